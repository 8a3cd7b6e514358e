# Defines panto::study_threads and panto::study_mpi, those of them that panto_study_parts names and whose packages are
# found. Used here and by the installed package alike: what a user gets depends on the user's machine only.
if("threads" IN_LIST panto_study_parts AND NOT TARGET panto::study_threads)
  if(NOT TARGET TBB::tbb)
    find_package(TBB QUIET)
  endif()
  if(TARGET TBB::tbb)
    add_library(panto::study_threads INTERFACE IMPORTED GLOBAL)
    target_link_libraries(panto::study_threads INTERFACE panto::study TBB::tbb)
    target_compile_definitions(panto::study_threads INTERFACE PANTO_STUDY_THREADS)
  endif()
endif()

if("mpi" IN_LIST panto_study_parts AND NOT TARGET panto::study_mpi)
  find_package(Threads QUIET)
  set(MPI_CXX_SKIP_MPICXX ON)  # the C interface is all that is used
  find_package(MPI QUIET COMPONENTS CXX)
  if(MPI_CXX_FOUND AND TARGET Threads::Threads)  # FindMPI leaves a target behind even where it finds nothing
    add_library(panto::study_mpi INTERFACE IMPORTED GLOBAL)
    target_link_libraries(panto::study_mpi INTERFACE panto::study MPI::MPI_CXX Threads::Threads)
    target_compile_definitions(panto::study_mpi INTERFACE PANTO_STUDY_MPI)
  endif()
endif()
