# SOCI 4 with its backends as components (postgresql mysql sqlite3 odbc), each with the client library
# whose header its own header includes: the targets Soci::core and Soci::<backend>.
find_path(Soci_INCLUDE_DIR soci/soci.h)
find_library(Soci_LIBRARY soci_core)
mark_as_advanced(Soci_INCLUDE_DIR Soci_LIBRARY)

set(soci_header_postgresql libpq-fe.h)
set(soci_header_mysql mysql.h)
set(soci_header_sqlite3 sqlite3.h)
set(soci_header_odbc sqlext.h)
set(soci_client_postgresql pq)
set(soci_client_mysql mariadb mysqlclient)
set(soci_client_sqlite3 sqlite3)
set(soci_client_odbc odbc)
foreach(backend IN LISTS Soci_FIND_COMPONENTS)
  find_library(Soci_${backend}_LIBRARY soci_${backend})
  find_path(Soci_${backend}_CLIENT_INCLUDE_DIR ${soci_header_${backend}}
            PATH_SUFFIXES postgresql mariadb mysql)
  find_library(Soci_${backend}_CLIENT_LIBRARY NAMES ${soci_client_${backend}})
  mark_as_advanced(Soci_${backend}_LIBRARY Soci_${backend}_CLIENT_INCLUDE_DIR
                   Soci_${backend}_CLIENT_LIBRARY)
  if(Soci_${backend}_LIBRARY AND Soci_${backend}_CLIENT_INCLUDE_DIR AND Soci_${backend}_CLIENT_LIBRARY)
    set(Soci_${backend}_FOUND TRUE)
  endif()
endforeach()

include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(Soci REQUIRED_VARS Soci_LIBRARY Soci_INCLUDE_DIR HANDLE_COMPONENTS)

if(Soci_FOUND AND NOT TARGET Soci::core)
  add_library(Soci::core UNKNOWN IMPORTED)
  set_target_properties(Soci::core PROPERTIES IMPORTED_LOCATION ${Soci_LIBRARY}
                                              INTERFACE_INCLUDE_DIRECTORIES ${Soci_INCLUDE_DIR})
endif()
foreach(backend IN LISTS Soci_FIND_COMPONENTS)
  if(Soci_FOUND AND Soci_${backend}_FOUND AND NOT TARGET Soci::${backend})
    add_library(Soci::${backend} UNKNOWN IMPORTED)
    set_target_properties(
      Soci::${backend}
      PROPERTIES IMPORTED_LOCATION ${Soci_${backend}_LIBRARY}
                 INTERFACE_INCLUDE_DIRECTORIES ${Soci_${backend}_CLIENT_INCLUDE_DIR}
                 INTERFACE_LINK_LIBRARIES "Soci::core;${Soci_${backend}_CLIENT_LIBRARY}")
  endif()
endforeach()
