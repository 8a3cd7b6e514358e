# What including a header costs, against including Eigen: cmake -D COMPILER=... -D FLAGS=... -D LIMITS=budget.txt
# -D WORK=<scratch> -P budget.cmake. Compared is the memory GCC's front end takes for an empty main with each header
# ("GGC memory", without collections): it grows with the templates that are instantiated as the time does, but is the
# same on a busy machine.
cmake_minimum_required(VERSION 3.21)

function(memory_of header result)
  file(WRITE ${WORK}/budget.cpp "#include <${header}>\nint main() {}\n")
  execute_process(
    COMMAND ${COMPILER} ${FLAGS} -fsyntax-only -fmem-report --param ggc-min-heapsize=100000000 ${WORK}/budget.cpp
    RESULT_VARIABLE code OUTPUT_VARIABLE said ERROR_VARIABLE said)
  if(NOT code EQUAL 0 OR NOT said MATCHES "\nTotal +[0-9]+[kMG]? +([0-9]+)([kM]) ")
    message(FATAL_ERROR "no memory report for ${header}: ${said}")
  endif()
  set(megabytes ${CMAKE_MATCH_1})
  if(CMAKE_MATCH_2 STREQUAL "k")
    math(EXPR megabytes "${megabytes} / 1024")
  endif()
  set(${result} ${megabytes} PARENT_SCOPE)
endfunction()

memory_of(Eigen/Dense eigen)
message("Eigen/Dense takes ${eigen} MB; percent of that:")
file(STRINGS ${LIMITS} lines REGEX "^[^#]")
foreach(line IN LISTS lines)
  if(NOT line MATCHES "^([a-zA-Z0-9_/.]+) +([0-9]+)$")
    message(FATAL_ERROR "not a header and a limit: ${line}")
  endif()
  set(header ${CMAKE_MATCH_1})
  set(limit ${CMAKE_MATCH_2})
  memory_of(${header} own)
  math(EXPR percent "100 * ${own} / ${eigen}")
  message("${header} ${percent}, limit ${limit}")
  if(percent GREATER limit)
    message(SEND_ERROR "${header} takes ${percent} % of what Eigen/Dense takes, must be ${limit} % or less (${LIMITS}). "
                       "A body that every unit compiles is the usual cause: docs/decisions/0010")
  endif()
  list(APPEND checked ${header})
endforeach()

# No room without a limit.
file(GLOB rooms RELATIVE ${INCLUDE} ${INCLUDE}/panto/*.hpp)
foreach(room IN LISTS rooms)
  if(NOT room IN_LIST checked AND NOT room STREQUAL "panto/study.hpp")
    message(SEND_ERROR "${room} has no limit in ${LIMITS}")
  endif()
endforeach()
