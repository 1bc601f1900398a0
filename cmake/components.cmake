# The libraries as applications find them: docs/install.md.
#
# tq_component(NAME FOLDER [PACKAGE ARGUMENT...] [DEBIAN PACKAGE]): makes of the static library tq_NAME, whose headers
# are in FOLDER/include, the component NAME: the target tablequeue::NAME, here and installed, and a file for
# pkg-config. What tq_NAME links goes with it; PACKAGE (what find_package takes) and DEBIAN say how CMake and apt find
# its client library. Called where tq_NAME is made, once all is linked.
#
# tq_internal_component(NAME): likewise a library without headers of its own, which other components link.
#
# With BUILD_SHARED_LIBS there is also a shared library a component, made of the same objects, and tablequeue::NAME
# is that one. Our own programs and tests link the static ones.

# A library of 0.x may change its binary interface with each minor version.
set(TQ_SOVERSION ${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR})
set(TQ_CMAKE_DIR ${CMAKE_INSTALL_LIBDIR}/cmake/tablequeue)
set(TQ_COMPONENTS_DIR ${CMAKE_CURRENT_LIST_DIR})
define_property(GLOBAL PROPERTY TQ_COMPONENTS BRIEF_DOCS "the components that were built")
define_property(GLOBAL PROPERTY TQ_COMPONENT_FACTS BRIEF_DOCS "what tablequeue-config.cmake knows of them")
add_custom_target(libraries)

function(tq_component name folder)
  cmake_parse_arguments(PARSE_ARGV 2 arg "" "DEBIAN" "PACKAGE")
  tq_make_component(${name})
  set_property(GLOBAL APPEND PROPERTY TQ_COMPONENTS ${name})
  set_property(GLOBAL PROPERTY TQ_DEBIAN_${name} ${arg_DEBIAN})
  if(TQ_INSTALL)
    install(DIRECTORY ${folder}/include/ DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} COMPONENT development
            FILES_MATCHING PATTERN *.hpp)
    tq_pkg_config(${name})
  endif()
  # The client library of a shared library is the loader's business.
  if(arg_PACKAGE AND NOT BUILD_SHARED_LIBS)
    tq_component_fact("set(tablequeue_${name}_package ${arg_PACKAGE})")
  endif()
endfunction()

function(tq_internal_component name)
  set_property(TARGET tq_${name} PROPERTY TQ_INTERNAL ON)
  tq_make_component(${name})
endfunction()

function(tq_component_fact line)
  set_property(GLOBAL APPEND_STRING PROPERTY TQ_COMPONENT_FACTS "${line}\n")
endfunction()

function(tq_make_component name)
  set(target tq_${name})
  set_target_properties(${target} PROPERTIES OUTPUT_NAME tablequeue-${name} EXPORT_NAME ${name})
  set(exported ${target})
  get_target_property(internal ${target} TQ_INTERNAL)
  if(BUILD_SHARED_LIBS)
    set(exported)
    if(NOT internal)
      tq_shared_library(${name})
      set(exported ${target}_shared)
    endif()
  endif()
  add_dependencies(libraries ${target} ${exported})
  if(exported AND NOT internal)
    add_library(tablequeue::${name} ALIAS ${exported})
  endif()
  tq_needs(${target} needs)
  if(exported)
    tq_component_fact("set(tablequeue_${name}_needs ${needs})")
  endif()
  if(TQ_INSTALL)
    tq_install_component(${name} "${exported}")
  endif()
endfunction()

# The components that TARGET links; in RESULT. Those that are part of the shared library are none of them.
function(tq_needs target result)
  set(needs)
  get_target_property(links ${target} LINK_LIBRARIES)
  foreach(link IN LISTS links)
    if(link MATCHES "^tq_(.+)")
      get_target_property(internal ${link} TQ_INTERNAL)
      if(NOT (internal AND BUILD_SHARED_LIBS))
        list(APPEND needs ${CMAKE_MATCH_1})
      endif()
    endif()
  endforeach()
  set(${result} ${needs} PARENT_SCOPE)
endfunction()

# Nothing is compiled twice, since the static library's objects are position-independent.
function(tq_shared_library name)
  set(static tq_${name})
  set(shared tq_${name}_shared)
  set(exports ${TQ_COMPONENTS_DIR}/exports.map)
  add_library(${shared} SHARED $<TARGET_OBJECTS:${static}>)
  set_target_properties(${shared} PROPERTIES
                        OUTPUT_NAME tablequeue-${name} EXPORT_NAME ${name} LINKER_LANGUAGE CXX
                        VERSION ${PROJECT_VERSION} SOVERSION ${TQ_SOVERSION}
                        INSTALL_RPATH $ORIGIN LINK_DEPENDS ${exports})
  target_link_options(${shared} PRIVATE LINKER:--version-script=${exports} LINKER:--exclude-libs,ALL
                      LINKER:--no-undefined LINKER:--as-needed)
  foreach(property INTERFACE_INCLUDE_DIRECTORIES INTERFACE_COMPILE_FEATURES)
    get_target_property(value ${static} ${property})
    if(value)
      set_property(TARGET ${shared} PROPERTY ${property} ${value})
    endif()
  endforeach()
  get_target_property(links ${static} LINK_LIBRARIES)
  get_target_property(public ${static} INTERFACE_LINK_LIBRARIES)
  foreach(link IN LISTS links)
    if(TARGET ${link}_shared)
      set(linked ${link}_shared)
    elseif(link MATCHES "^tq_")  # internal: its archive, and not what that links
      set(linked $<TARGET_FILE:${link}>)
      add_dependencies(${shared} ${link})
    else()
      set(linked ${link})
    endif()
    if(link IN_LIST public)
      target_link_libraries(${shared} PUBLIC ${linked})
    else()
      target_link_libraries(${shared} PRIVATE ${linked})
    endif()
  endforeach()
endfunction()

# EXPORTED is the library that tablequeue::NAME is, or nothing.
function(tq_install_component name exported)
  if(exported)
    install(TARGETS ${exported} EXPORT tablequeue-${name}
            ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT development
            LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT ${name}
                    NAMELINK_COMPONENT development)
    install(EXPORT tablequeue-${name} NAMESPACE tablequeue:: FILE tablequeue-${name}-targets.cmake
            DESTINATION ${TQ_CMAKE_DIR} COMPONENT development)
  endif()
  if(NOT exported STREQUAL "tq_${name}")
    install(TARGETS tq_${name} ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT development)
  endif()
endfunction()

# What the linker takes for LINK, a target or a file, and what that links; appended to RESULT.
function(tq_linker_flags link result)
  set(flags ${${result}})
  set(file ${link})
  set(more)
  if(TARGET ${link})
    get_target_property(file ${link} IMPORTED_LOCATION)
    if(NOT file)
      get_target_property(file ${link} IMPORTED_LOCATION_RELEASE)
    endif()
    get_target_property(more ${link} INTERFACE_LINK_LIBRARIES)
    if(NOT more)
      set(more)
    endif()
  endif()
  if(IS_ABSOLUTE "${file}")
    cmake_path(GET file PARENT_PATH folder)
    cmake_path(GET file STEM stem)
    string(REGEX REPLACE "^lib" "-l" flag ${stem})
    if(NOT folder IN_LIST CMAKE_CXX_IMPLICIT_LINK_DIRECTORIES)
      list(APPEND flags -L${folder})
    endif()
    list(APPEND flags ${flag})
  endif()
  foreach(link IN LISTS more)
    tq_linker_flags(${link} flags)
  endforeach()
  set(${result} ${flags} PARENT_SCOPE)
endfunction()

# Writes tablequeue-NAME.pc. Where there is only the static library, what it needs stands in Libs, so that
# `pkg-config --libs` links without --static.
function(tq_pkg_config name)
  set(own)
  set(needed)
  set(requires)
  get_target_property(links tq_${name} LINK_LIBRARIES)
  foreach(link IN LISTS links)
    if(link STREQUAL "Threads::Threads")
      list(APPEND needed ${CMAKE_THREAD_LIBS_INIT})
    elseif(link MATCHES "^tq_(.+)")
      get_target_property(internal ${link} TQ_INTERNAL)
      if(internal)
        list(APPEND own -ltablequeue-${CMAKE_MATCH_1})
      else()
        list(APPEND requires "tablequeue-${CMAKE_MATCH_1} = ${PROJECT_VERSION}")
      endif()
    elseif(NOT link MATCHES "^\\$<BUILD_INTERFACE:")
      tq_linker_flags(${link} needed)
    endif()
  endforeach()
  list(PREPEND needed ${own})
  list(REMOVE_DUPLICATES needed)
  list(JOIN requires ", " TQ_REQUIRES)
  list(JOIN needed " " needed)
  set(TQ_LIBS -ltablequeue-${name})
  if(BUILD_SHARED_LIBS)
    set(TQ_PRIVATE_LIBS ${needed})
  else()
    string(STRIP "${TQ_LIBS} ${needed}" TQ_LIBS)
  endif()
  set(TQ_NAME ${name})
  # From the folder of the file to the prefix, so that the tree can be moved.
  cmake_path(RELATIVE_PATH CMAKE_INSTALL_PREFIX
             BASE_DIRECTORY ${CMAKE_INSTALL_FULL_LIBDIR}/pkgconfig OUTPUT_VARIABLE TQ_UP)
  set(file ${PROJECT_BINARY_DIR}/pkgconfig/tablequeue-${name}.pc)
  configure_file(${TQ_COMPONENTS_DIR}/component.pc.in ${file} @ONLY)
  install(FILES ${file} DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig COMPONENT development)
endfunction()

# Called once all components were made: what find_package(tablequeue) reads.
function(tq_install_package)
  include(CMakePackageConfigHelpers)
  get_property(TQ_COMPONENTS GLOBAL PROPERTY TQ_COMPONENTS)
  get_property(TQ_COMPONENT_FACTS GLOBAL PROPERTY TQ_COMPONENT_FACTS)
  configure_file(${TQ_COMPONENTS_DIR}/tablequeue-config.cmake.in
                 ${PROJECT_BINARY_DIR}/cmake/tablequeue-config.cmake @ONLY)
  write_basic_package_version_file(${PROJECT_BINARY_DIR}/cmake/tablequeue-config-version.cmake
                                   COMPATIBILITY SameMinorVersion)
  file(GLOB modules ${TQ_COMPONENTS_DIR}/Find*.cmake)
  install(FILES ${PROJECT_BINARY_DIR}/cmake/tablequeue-config.cmake
                ${PROJECT_BINARY_DIR}/cmake/tablequeue-config-version.cmake
                ${modules}
          DESTINATION ${TQ_CMAKE_DIR} COMPONENT development)
endfunction()
