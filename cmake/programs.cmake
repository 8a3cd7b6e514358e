# Every .cpp file in examples/, programs/ and tools/ is a program, together with the sources in a folder of its name.
# Those that read or write files link panto::io, and do without where they need no JSON; those that parse a command line
# link CLI11.
file(GLOB programs CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/examples/*.cpp ${PROJECT_SOURCE_DIR}/programs/*.cpp
     ${PROJECT_SOURCE_DIR}/tools/*.cpp)
find_package(CLI11 QUIET)
set(PANTO_PROGRAMS "" CACHE STRING "Which programs in programs/ to build, a list of names; empty: all of them")
if(PANTO_PROGRAMS)
  foreach(source IN LISTS programs)
    cmake_path(GET source STEM program)
    if(source MATCHES "/programs/" AND NOT program IN_LIST PANTO_PROGRAMS)
      list(REMOVE_ITEM programs ${source})
    endif()
  endforeach()
endif()

# Much shorter to compile than with -O3; the preset `native` leaves it out.
set(PANTO_PROGRAM_OPTIONS -O2 CACHE STRING "Compiler options of the programs in a Release build")

# What most programs read, precompiled once per set of options. With GCC alone, so that Clang sees what a program forgets
# to include.
file(CONFIGURE OUTPUT precompiled.cpp CONTENT "// Carries the precompiled headers.\n")
function(precompile name options)  # <name> <options> <header...> [LINK <libraries>]
  cmake_parse_arguments(of "" "" "LINK" ${ARGN})
  if(NOT CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    return()
  endif()
  add_library(${name} OBJECT EXCLUDE_FROM_ALL ${CMAKE_CURRENT_BINARY_DIR}/precompiled.cpp)
  target_link_libraries(${name} PRIVATE panto_for_programs panto_warnings ${of_LINK})
  target_compile_options(${name} PRIVATE $<$<CONFIG:Release>:${options}>)
  target_precompile_headers(${name} PRIVATE ${of_UNPARSED_ARGUMENTS})
endfunction()
if(PANTO_BUILD_IO AND CLI11_FOUND)
  precompile(headers_of_programs "${PANTO_PROGRAM_OPTIONS}" <Eigen/Dense> <CLI/CLI.hpp> <nlohmann/json.hpp> <chrono> <fstream>
             <functional> <iostream> <random> LINK panto::io CLI11::CLI11)
endif()

set(panto_programs "")
foreach(source IN LISTS programs)
  cmake_path(GET source STEM program)
  cmake_path(REMOVE_EXTENSION source OUTPUT_VARIABLE folder)
  file(GLOB parts CONFIGURE_DEPENDS ${folder}/*.cpp)
  set(includes "")
  foreach(part IN LISTS parts ITEMS ${source})
    file(STRINGS ${part} more REGEX "^#include [<\"]")
    list(APPEND includes ${more})
  endforeach()
  set(wants_io FALSE)
  set(wants_json FALSE)
  set(wants_cli FALSE)
  set(wants_study FALSE)
  if(includes MATCHES "<(panto/(io|session)|nlohmann)")
    set(wants_io TRUE)
  endif()
  if(includes MATCHES "json|<panto/io\\.hpp>|#include \"")  # headers of our own may need it
    set(wants_json TRUE)
  endif()
  if(includes MATCHES "<CLI/")
    set(wants_cli TRUE)
  endif()
  if(includes MATCHES "<panto/study")
    set(wants_study TRUE)
  endif()
  if(wants_study AND NOT PANTO_BUILD_STUDY)
    message(STATUS "${program} is not built: it needs panto::study (PANTO_BUILD_STUDY)")
    continue()
  endif()
  if((wants_io AND wants_json AND NOT PANTO_BUILD_IO) OR (wants_cli AND NOT CLI11_FOUND))
    message(STATUS "${program} is not built: it needs panto::io (PANTO_BUILD_IO) and CLI11 (Debian: libcli11-dev)")
    continue()
  endif()
  add_executable(${program} ${source} ${parts})
  target_link_libraries(${program} PRIVATE panto_for_programs panto_warnings)
  if(source MATCHES "/tools/")
    set_target_properties(${program} PROPERTIES EXCLUDE_FROM_ALL TRUE)  # for those who keep docs/validation.md
  endif()
  target_compile_options(${program} PRIVATE $<$<CONFIG:Release>:${PANTO_PROGRAM_OPTIONS}>)
  set_target_properties(${program} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/bin)
  if(source MATCHES "/tools/")  # measures what the tests measure
    target_include_directories(${program} PRIVATE ${PROJECT_SOURCE_DIR}/tests/support)
    target_compile_definitions(${program} PRIVATE PANTO_TEST_GOLDEN="${PROJECT_SOURCE_DIR}/tests/golden")
  endif()
  if(wants_io AND PANTO_BUILD_IO)
    target_link_libraries(${program} PRIVATE panto::io)
  endif()
  if(wants_study)  # with what was found of it
    target_link_libraries(${program} PRIVATE panto::study $<TARGET_NAME_IF_EXISTS:panto::study_threads>
                                             $<TARGET_NAME_IF_EXISTS:panto::study_mpi>)
  endif()
  if(wants_cli)
    target_link_libraries(${program} PRIVATE CLI11::CLI11)
  endif()
  if(TARGET headers_of_programs AND wants_io AND wants_cli AND NOT wants_study AND NOT source MATCHES "/tools/")
    target_precompile_headers(${program} REUSE_FROM headers_of_programs)
  endif()
  list(APPEND panto_programs ${program})
endforeach()
add_custom_target(programs DEPENDS ${panto_programs})

# Examples are tests too: run as a reader would, each in a folder of its own that was emptied before; the main job in
# both its modes, briefly. Then what they wrote is looked at, and wrong command lines are tried.
set(arguments_panto_run --duration 2 --out results)
set(arguments_identify_train --parameters 17 26 --length 30)
set(arguments_robustness --quick --pads 240 --runs 1)
set(arguments_train_methods --rows 1 19 34 35 21 24 62 --budget 22 --length 100)
set(arguments_ride --vehicle manchester_1 --speed 160 --length 400 --radius -3000 --cant 60 --transition 120)
set(printing choose_controller first_day own_engine own_hardware shaking_table speed_sweep static_configuration)
set(parsing choose_controller critical_speed design_absorbing_boundary identify_beam identify_bogie identify_boundary
    identify_train panto_run ride robustness sensitivity_study train_methods)
if(PANTO_BUILD_TESTS)
  set(folders "")
  set(step ${CMAKE_COMMAND} -D)
  set(steps -P ${CMAKE_CURRENT_LIST_DIR}/check_examples.cmake)
  foreach(program IN LISTS panto_programs)
    if(EXISTS ${PROJECT_SOURCE_DIR}/tools/${program}.cpp)
      continue()
    endif()
    set(folder ${PROJECT_BINARY_DIR}/example_output/${program})
    list(APPEND folders ${folder})
    file(MAKE_DIRECTORY ${folder})
    set(of_program -D EXAMPLE=${program} -D PROGRAM=$<TARGET_FILE:${program}>)
    if(program IN_LIST printing)
      add_test(NAME example.${program} COMMAND ${step} STEP=print ${of_program} -D FOLDER=${folder} ${steps})
    else()
      add_test(NAME example.${program} COMMAND ${program} ${arguments_${program}} WORKING_DIRECTORY ${folder})
    endif()
    set_tests_properties(example.${program} PROPERTIES LABELS example TIMEOUT 600 FIXTURES_REQUIRED example_folders
                                                       FIXTURES_SETUP example_${program})
    add_test(NAME example.${program}.content COMMAND ${step} STEP=content ${of_program} -D FOLDER=${folder} ${steps})
    set_tests_properties(example.${program}.content PROPERTIES LABELS example TIMEOUT 600
                                                               FIXTURES_REQUIRED example_${program})
    if(program IN_LIST parsing)
      add_test(NAME example.${program}.refuse
               COMMAND ${step} STEP=refuse ${of_program} -D FOLDER=${folder}_refuse ${steps})
      set_tests_properties(example.${program}.refuse PROPERTIES LABELS example TIMEOUT 600)
    endif()
  endforeach()
  add_test(NAME example.empty_folders COMMAND ${step} STEP=empty -D "FOLDERS=${folders}" ${steps})
  set_tests_properties(example.empty_folders PROPERTIES LABELS example FIXTURES_SETUP example_folders)
  if(TARGET panto_run)
    add_test(NAME example.panto_run.simulate COMMAND panto_run --mode simulate --duration 2 --out results_simulate
             WORKING_DIRECTORY ${PROJECT_BINARY_DIR}/example_output/panto_run)
    set_tests_properties(example.panto_run.simulate PROPERTIES
                         LABELS example TIMEOUT 600 FIXTURES_REQUIRED example_folders FIXTURES_SETUP example_panto_run)
    add_test(NAME example.panto_run.train
             COMMAND panto_run --mode simulate --pantographs 2 --spacing 60 --duration 2 --no-report --out results_train
             WORKING_DIRECTORY ${PROJECT_BINARY_DIR}/example_output/panto_run)
    set_tests_properties(example.panto_run.train PROPERTIES
                         LABELS example TIMEOUT 600 FIXTURES_REQUIRED example_folders FIXTURES_SETUP example_panto_run)
    # A vehicle on level track changes nothing, one on a random track does.
    foreach(track IN ITEMS level low)
      add_test(NAME example.panto_run.${track}
               COMMAND panto_run --duration 2 --vehicle tgv_like --track ${track} --no-report --out results_${track}
               WORKING_DIRECTORY ${PROJECT_BINARY_DIR}/example_output/panto_run)
      set_tests_properties(example.panto_run.${track} PROPERTIES LABELS example TIMEOUT 600 FIXTURES_SETUP
                           example_panto_run FIXTURES_REQUIRED example_folders)
    endforeach()
    add_test(NAME example.panto_run.mpc
             COMMAND panto_run --catenary stitched_hil --controller mpc --duration 1 --no-report --out results_mpc
             WORKING_DIRECTORY ${PROJECT_BINARY_DIR}/example_output/panto_run)
    set_tests_properties(example.panto_run.mpc PROPERTIES
                         LABELS example TIMEOUT 600 FIXTURES_REQUIRED example_folders FIXTURES_SETUP example_panto_run)
    add_test(NAME example.panto_run.two_drives
             COMMAND panto_run --controller mpc --rig two_drives --duration 2 --no-report --out results_two_drives
             WORKING_DIRECTORY ${PROJECT_BINARY_DIR}/example_output/panto_run)
    set_tests_properties(example.panto_run.two_drives PROPERTIES
                         LABELS example TIMEOUT 600 FIXTURES_REQUIRED example_folders FIXTURES_SETUP example_panto_run)
    # The predictive paper's run, on the linear drive alone; and a simulation on the line in the train's frame.
    add_test(NAME example.panto_run.linear_drive
             COMMAND panto_run --controller mpc --duration 2 --no-report --out results_linear_drive
             WORKING_DIRECTORY ${PROJECT_BINARY_DIR}/example_output/panto_run)
    add_test(NAME example.panto_run.moving
             COMMAND panto_run --mode simulate --engine moving --catenary predictive_hil --duration 1 --no-report
                     --out results_moving
             WORKING_DIRECTORY ${PROJECT_BINARY_DIR}/example_output/panto_run)
    set_tests_properties(example.panto_run.linear_drive example.panto_run.moving PROPERTIES
                         LABELS example TIMEOUT 600 FIXTURES_REQUIRED example_folders FIXTURES_SETUP example_panto_run)
    foreach(of IN ITEMS warn fault)
      add_test(NAME example.panto_run.${of}
               COMMAND ${step} STEP=${of} -D PROGRAM=$<TARGET_FILE:panto_run>
                       -D FOLDER=${PROJECT_BINARY_DIR}/example_output/panto_run_${of} ${steps})
      set_tests_properties(example.panto_run.${of} PROPERTIES LABELS example TIMEOUT 600)
    endforeach()
    add_test(NAME example.panto_run.interrupted
             COMMAND sh ${CMAKE_CURRENT_LIST_DIR}/check_interrupted.sh $<TARGET_FILE:panto_run> $<TARGET_FILE:own_hardware>
                     ${PROJECT_SOURCE_DIR}/data
                     ${PROJECT_BINARY_DIR}/example_output/panto_run_interrupted)
    set_tests_properties(example.panto_run.interrupted PROPERTIES LABELS example TIMEOUT 600 PROCESSORS 2)
  endif()
  if(TARGET sensitivity_study AND TARGET panto::study_mpi)
    include(${CMAKE_CURRENT_LIST_DIR}/mpirun.cmake)
    set(parallel example.sensitivity_study.mpirun)
    add_test(NAME ${parallel} COMMAND ${panto_under_mpirun} $<TARGET_FILE:sensitivity_study> --out mpi
             WORKING_DIRECTORY ${PROJECT_BINARY_DIR}/example_output/sensitivity_study)
    set_tests_properties(${parallel} PROPERTIES LABELS example TIMEOUT 600 PROCESSORS 2
                         FIXTURES_REQUIRED example_folders FIXTURES_SETUP example_sensitivity_study)
  endif()
  if(TARGET identify_train)
    add_test(NAME example.identify_train.choose
             COMMAND identify_train --choose 3 --trajectories 2 --model linear --length 30 --no-report --out chosen
             WORKING_DIRECTORY ${PROJECT_BINARY_DIR}/example_output/identify_train)
    set_tests_properties(example.identify_train.choose PROPERTIES LABELS example TIMEOUT 600
                         FIXTURES_REQUIRED example_folders FIXTURES_SETUP example_identify_train)
  endif()
  if(TARGET train_methods)
    add_test(NAME example.train_methods.defects
             COMMAND train_methods --rows 37 --budget 120 --length 100 --no-report --out defects
             WORKING_DIRECTORY ${PROJECT_BINARY_DIR}/example_output/train_methods)
    set_tests_properties(example.train_methods.defects PROPERTIES LABELS example TIMEOUT 600
                         FIXTURES_REQUIRED example_folders FIXTURES_SETUP example_train_methods)
  endif()
  if(TARGET train_methods AND TARGET panto::study_mpi)
    add_test(NAME example.train_methods.mpirun
             COMMAND ${panto_under_mpirun} $<TARGET_FILE:train_methods> --rows 27 30 --budget 4 --length 100 --no-report
                     --out mpi
             WORKING_DIRECTORY ${PROJECT_BINARY_DIR}/example_output/train_methods)
    set_tests_properties(example.train_methods.mpirun PROPERTIES LABELS example TIMEOUT 600 PROCESSORS 2
                         FIXTURES_REQUIRED example_folders FIXTURES_SETUP example_train_methods)
  endif()
endif()

# The gallery: one idea and one picture each. It is built where the compiled library is, which keeps it cheap; one test
# runs all of it and looks at the pictures and at the page that shows them.
file(GLOB gallery CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/examples/gallery/*.cpp)
if(PANTO_BUILD_COMPILED)
  precompile(headers_of_gallery -O1 <Eigen/Dense> "${PROJECT_SOURCE_DIR}/examples/gallery/plot.hpp")
  set(pictures "")
  foreach(source IN LISTS gallery)
    cmake_path(GET source STEM name)
    add_executable(gallery_${name} ${source})
    target_link_libraries(gallery_${name} PRIVATE panto_for_programs panto_warnings)
    target_compile_options(gallery_${name} PRIVATE $<$<CONFIG:Release>:-O1>)
    set_target_properties(gallery_${name} PROPERTIES OUTPUT_NAME ${name}
                                                     RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/bin/gallery)
    if(TARGET headers_of_gallery)
      target_precompile_headers(gallery_${name} REUSE_FROM headers_of_gallery)
    endif()
    list(APPEND pictures ${name})
  endforeach()
  if(PANTO_BUILD_TESTS)
    add_test(NAME example.gallery
             COMMAND ${CMAKE_COMMAND} -D STEP=gallery "-DNAMES=${pictures}" -D BIN=${PROJECT_BINARY_DIR}/bin/gallery
                     -D DOCS=${PROJECT_SOURCE_DIR}/docs -D FOLDER=${PROJECT_BINARY_DIR}/example_output/gallery
                     -P ${CMAKE_CURRENT_LIST_DIR}/check_examples.cmake)
    set_tests_properties(example.gallery PROPERTIES LABELS example TIMEOUT 600)
  endif()
endif()
