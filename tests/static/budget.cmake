# What including a header costs, against including Eigen: cmake -D COMPILER=... -D FLAGS=... -D LIMITS=budget.txt
# -D WORK=<scratch> -D ALL=ON -P budget.cmake. Compared is the memory GCC's front end takes for an empty main with each
# header ("GGC memory", without collections): it grows with the templates that are instantiated as the time does, but is
# the same on a busy machine. A line with panto/<room>/all limits all headers of these rooms together, also those that
# the room's own header leaves to be included by name. With ALL=OFF such a line, which takes minutes, is not measured.
cmake_minimum_required(VERSION 3.21)

set(needs_more "^panto/study/(mpi|threads)\\.hpp$")  # MPI and oneTBB, which need not be here; both are short

# The headers that an entry stands for: one, or all of some rooms.
function(headers_of what result)
  separate_arguments(parts UNIX_COMMAND "${what}")
  set(found "")
  foreach(part IN LISTS parts)
    if(part MATCHES "/all$")
      string(REGEX REPLACE "/all$" "" folder ${part})
      file(GLOB part RELATIVE ${INCLUDE} ${INCLUDE}/${folder}/*.hpp)
    endif()
    list(APPEND found ${part})
  endforeach()
  set(${result} ${found} PARENT_SCOPE)
endfunction()

function(memory_of what result)
  headers_of("${what}" headers)
  list(FILTER headers EXCLUDE REGEX "${needs_more}")
  list(TRANSFORM headers REPLACE "(.+)" "#include <\\1>\n" OUTPUT_VARIABLE includes)
  string(CONCAT includes ${includes})
  file(WRITE ${WORK}/budget.cpp "${includes}int main() {}\n")
  execute_process(
    COMMAND ${COMPILER} ${FLAGS} -fsyntax-only -fmem-report --param ggc-min-heapsize=100000000 ${WORK}/budget.cpp
    RESULT_VARIABLE code OUTPUT_VARIABLE said ERROR_VARIABLE said)
  if(NOT code EQUAL 0 OR NOT said MATCHES "\nTotal +[0-9]+[kMG]? +([0-9]+)([kM]) ")
    message(FATAL_ERROR "no memory report for ${what}: ${said}")
  endif()
  set(megabytes ${CMAKE_MATCH_1})
  if(CMAKE_MATCH_2 STREQUAL "k")
    math(EXPR megabytes "${megabytes} / 1024")
  endif()
  set(${result} ${megabytes} PARENT_SCOPE)
endfunction()

# Marks a header of ours and all it includes as checked.
function(mark header)
  get_property(known GLOBAL PROPERTY checked_${header})
  if(known OR NOT EXISTS ${INCLUDE}/${header})
    return()
  endif()
  set_property(GLOBAL PROPERTY checked_${header} TRUE)
  file(STRINGS ${INCLUDE}/${header} lines REGEX "^#include <panto/")
  foreach(line IN LISTS lines)
    string(REGEX REPLACE "^#include <(.*)>.*" "\\1" included ${line})
    mark(${included})
  endforeach()
endfunction()

memory_of(Eigen/Dense eigen)
message("Eigen/Dense takes ${eigen} MB; percent of that:")
file(STRINGS ${LIMITS} lines REGEX "^[^#]")
foreach(line IN LISTS lines)
  if(NOT line MATCHES "^(.*[^ ]) +([0-9]+)$")
    message(FATAL_ERROR "not a header and a limit: ${line}")
  endif()
  set(header ${CMAKE_MATCH_1})
  set(limit ${CMAKE_MATCH_2})
  if(ALL OR NOT header MATCHES "/all( |$)")
    memory_of("${header}" own)
    math(EXPR percent "100 * ${own} / ${eigen}")
    message("${header} ${percent}, limit ${limit}")
    if(percent GREATER limit)
      message(SEND_ERROR "${header} takes ${percent} % of what Eigen/Dense takes, must be ${limit} % or less (${LIMITS}). "
                         "A body that every unit compiles is the usual cause: docs/decisions/0010")
    endif()
  endif()
  headers_of("${header}" headers)
  foreach(one IN LISTS headers)
    mark(${one})
  endforeach()
  list(APPEND checked ${header})
endforeach()

# No room, and no header, without a limit.
file(GLOB rooms RELATIVE ${INCLUDE} ${INCLUDE}/panto/*.hpp)
foreach(room IN LISTS rooms)
  if(NOT room IN_LIST checked)
    message(SEND_ERROR "${room} has no limit in ${LIMITS}")
  endif()
endforeach()
file(GLOB_RECURSE headers RELATIVE ${INCLUDE} ${INCLUDE}/panto/*/*.hpp)
foreach(header IN LISTS headers)
  get_property(known GLOBAL PROPERTY checked_${header})
  file(STRINGS ${INCLUDE}/${header} moved REGEX "removed in the next release" LIMIT_COUNT 1)  # includes the new place
  if(NOT known AND NOT moved)
    string(REGEX REPLACE "^(panto/[^/]+)/.*" "\\1" room ${header})
    message(SEND_ERROR "no limit covers ${header}: include it in ${room}.hpp, or give ${room}/all a limit in ${LIMITS}")
  endif()
endforeach()
