# A study in two processes, one of which dies of SIGKILL in the midst of an evaluation, three times: mpirun ends the
# other one, and the study goes on from its journal to the bits of an undisturbed one.
#     cmake -DRUN=<mpirun ... program> -DJOURNAL=<file> -P killed.cmake
file(REMOVE ${JOURNAL})
set(before 0)
foreach(victim IN ITEMS 0 0 1)  # the last one, since process 0 goes on until mpirun ends it
  execute_process(COMMAND ${RUN} kill ${JOURNAL} ${victim} 5 RESULT_VARIABLE code OUTPUT_QUIET ERROR_QUIET)
  if(code EQUAL 0)
    message(FATAL_ERROR "process ${victim} was to be killed")
  endif()
  file(STRINGS ${JOURNAL} lines)
  list(LENGTH lines count)
  if(NOT count GREATER before)
    message(FATAL_ERROR "the journal has ${count} lines after ${before}: nothing was done before process ${victim} was killed")
  endif()
  set(before ${count})
endforeach()
execute_process(COMMAND ${RUN} finish ${JOURNAL} RESULT_VARIABLE code)
if(NOT code EQUAL 0)
  message(FATAL_ERROR "the finished study is not that of an undisturbed one")
endif()
