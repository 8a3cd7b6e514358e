# Sets panto_under_mpirun, what stands before a program that is to run in two processes, for tests.
set(panto_under_mpirun ${MPIEXEC_EXECUTABLE} ${MPIEXEC_NUMPROC_FLAG} 2)
execute_process(COMMAND ${MPIEXEC_EXECUTABLE} --version OUTPUT_VARIABLE said ERROR_QUIET)
if(said MATCHES "Open MPI|OpenRTE")
  list(APPEND panto_under_mpirun --oversubscribe --allow-run-as-root)
endif()
