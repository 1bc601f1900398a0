# Debian packages, one for each installed component: scripts/package, docs/install.md.
#
# A shared library is a package of its own, named by what the loader asks for (Debian Policy 8.1), so that a
# program on one client library does not install the others'. Included last.
set(TQ_PACKAGE_CONTACT "TableQueue maintainers <maintainers@tablequeue.example>" CACHE STRING
    "Who answers for the packages that are built here")
get_property(libraries GLOBAL PROPERTY TQ_COMPONENTS)

set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME tablequeue)
set(CPACK_PACKAGE_CONTACT ${TQ_PACKAGE_CONTACT})
set(CPACK_PACKAGE_DIRECTORY ${PROJECT_BINARY_DIR}/packages)
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_INSTALL_DEFAULT_DIRECTORY_PERMISSIONS
    OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ GROUP_EXECUTE WORLD_READ WORLD_EXECUTE)
set(CPACK_STRIP_FILES ON)
set(CPACK_PRE_BUILD_SCRIPTS ${CMAKE_CURRENT_LIST_DIR}/debian_files.cmake)
set(CPACK_COMPONENTS_ALL)

set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_RELEASE 1)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS_PRIVATE_DIRS ${PROJECT_BINARY_DIR}/core ${PROJECT_BINARY_DIR}/dialects)
set(CPACK_DEBIAN_PACKAGE_GENERATE_SHLIBS ON)
set(CPACK_DEBIAN_PACKAGE_GENERATE_SHLIBS_POLICY ">=")
set(version "${PROJECT_VERSION}-${CPACK_DEBIAN_PACKAGE_RELEASE}")

set(odbc_drivers odbc-postgresql odbc-mariadb libsqliteodbc)

# tq_package(COMPONENT NAME SECTION SUMMARY TEXT [DEPENDS PACKAGE...] [RECOMMENDS PACKAGE...] [SUGGESTS PACKAGE...])
macro(tq_package component name section summary text)
  cmake_parse_arguments(arg "" "" "DEPENDS;RECOMMENDS;SUGGESTS" ${ARGN})
  string(TOUPPER ${component} key)
  list(APPEND CPACK_COMPONENTS_ALL ${component})
  set(CPACK_DEBIAN_${key}_PACKAGE_NAME ${name})
  set(CPACK_DEBIAN_${key}_PACKAGE_SECTION ${section})
  set(CPACK_DEBIAN_${key}_DESCRIPTION "${summary}\n${text}")
  list(JOIN arg_DEPENDS ", " CPACK_DEBIAN_${key}_PACKAGE_DEPENDS)
  list(JOIN arg_RECOMMENDS ", " CPACK_DEBIAN_${key}_PACKAGE_RECOMMENDS)
  list(JOIN arg_SUGGESTS ", " CPACK_DEBIAN_${key}_PACKAGE_SUGGESTS)
endmacro()
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "") # each has its own
set(about "TableQueue keeps job queues in ordinary tables of the database that an
application has already, so that an order and the job that sends its
invoice commit together, or not at all.")

set(packages)
set(client_packages)
foreach(library IN LISTS libraries)
  # Debian sets a version off from a name that ends in a digit.
  string(REGEX REPLACE "([0-9])$" "\\1-" package libtablequeue-${library})
  set(package ${package}${TQ_SOVERSION})
  list(APPEND packages "${package} (= ${version})")
  set(depends)
  if(NOT library STREQUAL "core")
    set(depends DEPENDS "libtablequeue-core${TQ_SOVERSION} (= ${version})")
  endif()
  # What dpkg does to the loader's cache. CPack's own scripts do so, too, as was the custom before.
  string(TOUPPER ${library} key)
  set(CPACK_DEBIAN_${key}_PACKAGE_CONTROL_EXTRA ${CMAKE_CURRENT_LIST_DIR}/triggers)
  tq_package(${library} ${package} libs "job queues in ordinary tables: shared library ${library}"
             "${about}\n.\nThis is the shared library of the component ${library}." ${depends})
  get_property(client GLOBAL PROPERTY TQ_DEBIAN_${library})
  list(APPEND client_packages ${client})
endforeach()

tq_package(development libtablequeue-dev libdevel "job queues in ordinary tables: development files"
           "${about}\n.\nThese are the headers, the static libraries, and what CMake and pkg-config
read."
           DEPENDS ${packages} SUGGESTS ${client_packages})
tq_package(program tablequeue database "job queues in ordinary tables: the program tq"
           "${about}\n.\nThis is the program tq, for producers and workers in any language and for
operators, with its manual page and its completion for shells."
           SUGGESTS ${odbc_drivers})
tq_package(suite tablequeue-conformance database "job queues in ordinary tables: the conformance suite"
           "${about}\n.\nThis is the program tq-conformance, which checks a database server against
every clause of the queue contract, and leaves nothing behind there."
           RECOMMENDS ${odbc_drivers} SUGGESTS "tablequeue (= ${version})")
include(CPack)
