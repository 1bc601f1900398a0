# MySQL Connector/C++ 1.1, the one with the interface of JDBC: the target MysqlConnectorCpp::MysqlConnectorCpp.
find_path(MysqlConnectorCpp_INCLUDE_DIR cppconn/driver.h)
find_library(MysqlConnectorCpp_LIBRARY mysqlcppconn)
mark_as_advanced(MysqlConnectorCpp_INCLUDE_DIR MysqlConnectorCpp_LIBRARY)

include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(MysqlConnectorCpp REQUIRED_VARS MysqlConnectorCpp_LIBRARY
                                                                 MysqlConnectorCpp_INCLUDE_DIR)

if(MysqlConnectorCpp_FOUND AND NOT TARGET MysqlConnectorCpp::MysqlConnectorCpp)
  add_library(MysqlConnectorCpp::MysqlConnectorCpp UNKNOWN IMPORTED)
  set_target_properties(MysqlConnectorCpp::MysqlConnectorCpp PROPERTIES
                        IMPORTED_LOCATION ${MysqlConnectorCpp_LIBRARY}
                        INTERFACE_INCLUDE_DIRECTORIES ${MysqlConnectorCpp_INCLUDE_DIR})
endif()
