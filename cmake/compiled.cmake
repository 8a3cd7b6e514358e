# panto::compiled: what the headers declare under PANTO_COMPILED as `extern template`, compiled once. The sources are
# written from these declarations, one per room, so that nothing is listed twice.
file(GLOB_RECURSE headers CONFIGURE_DEPENDS RELATIVE ${PROJECT_SOURCE_DIR}/include ${PROJECT_SOURCE_DIR}/include/panto/*.hpp)
set(rooms "")
foreach(header IN LISTS headers)
  if(NOT header MATCHES "^panto/([a-z_]+)/")
    continue()
  endif()
  set(room ${CMAKE_MATCH_1})
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/include/${header})
  if(header STREQUAL "panto/core/eigen_instances.hpp" AND Eigen3_VERSION VERSION_GREATER_EQUAL 3.4.90)
    continue()  # it declares nothing then
  endif()
  file(READ ${PROJECT_SOURCE_DIR}/include/${header} text)
  if(NOT text MATCHES "\nextern template ")
    continue()
  endif()
  string(REPLACE ";" "@" text "${text}")  # no end of a list element
  string(REGEX MATCHALL "\n(namespace [a-z_:]+ {|}  // namespace|extern template [^@]*@)" found "${text}")
  list(APPEND rooms ${room})
  string(APPEND includes_${room} "#include <${header}>\n")
  foreach(piece IN LISTS found)
    string(REPLACE "}  // namespace" "}" piece "${piece}")
    string(REPLACE "extern template " "template " piece "${piece}")
    string(REPLACE "@" ";" piece "${piece}")
    string(APPEND instances_${room} "${piece}")
  endforeach()
  string(APPEND instances_${room} "\n")
endforeach()
list(REMOVE_DUPLICATES rooms)

file(CONFIGURE OUTPUT compiled/alignment.cpp CONTENT
"#include <panto/core/compiled.hpp>
template <>
const char panto::compiled::AlignmentOfThisUnit::as_in_the_compiled_library = 0;
")
set(sources ${CMAKE_CURRENT_BINARY_DIR}/compiled/alignment.cpp)
foreach(room IN LISTS rooms)
  file(CONFIGURE OUTPUT compiled/${room}.cpp CONTENT "${includes_${room}}${instances_${room}}" @ONLY)
  list(APPEND sources ${CMAKE_CURRENT_BINARY_DIR}/compiled/${room}.cpp)
endforeach()

add_library(panto_compiled ${sources})
add_library(panto::compiled ALIAS panto_compiled)
set_target_properties(panto_compiled PROPERTIES EXPORT_NAME compiled CXX_EXTENSIONS OFF POSITION_INDEPENDENT_CODE ON
                      VERSION ${PROJECT_VERSION} SOVERSION ${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR})
target_link_libraries(panto_compiled PUBLIC panto)
target_compile_definitions(panto_compiled PUBLIC PANTO_COMPILED)
# As our programs are: much shorter to compile than with -O3, and nothing here runs in a cycle.
target_compile_options(panto_compiled PRIVATE $<$<CONFIG:Release>:-O2>)
