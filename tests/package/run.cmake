# One test of the package as a user meets it.
#     cmake -DCASE=... -DSOURCE=<panto> -DBUILT=<build of it> -DWORK=<scratch> -DGENERATOR=... -DCOMPILER=... -DVERSION=... -P run.cmake
# The network is out of reach throughout (the caller sets proxies that lead nowhere).
file(REMOVE_RECURSE ${WORK})
file(MAKE_DIRECTORY ${WORK})

function(run)
  execute_process(COMMAND ${ARGN} RESULT_VARIABLE code OUTPUT_VARIABLE said ERROR_VARIABLE said)
  if(NOT code EQUAL 0)
    list(JOIN ARGN " " command)
    message(FATAL_ERROR "${command}\n${said}")
  endif()
  message("${said}")
endfunction()

function(must_fail words)
  execute_process(COMMAND ${ARGN} RESULT_VARIABLE code OUTPUT_VARIABLE said ERROR_VARIABLE said)
  if(code EQUAL 0 OR NOT said MATCHES "${words}")
    list(JOIN ARGN " " command)
    message(FATAL_ERROR "should fail with '${words}': ${command}\n${said}")
  endif()
endfunction()

set(configure ${CMAKE_COMMAND} -G ${GENERATOR} -DCMAKE_CXX_COMPILER=${COMPILER} -DEXPECTED_VERSION=${VERSION})
set(consumer ${configure} -S ${SOURCE}/tests/package/consumer)

# Installs panto and moves the installation, so that nothing can depend on where it was made.
function(install_and_move)
  run(${configure} -S ${SOURCE} -B ${WORK}/panto -DCMAKE_INSTALL_PREFIX=${WORK}/made_here -DPANTO_BUILD_EXAMPLES=OFF
      -DPANTO_BUILD_TESTS=OFF -DPANTO_BUILD_BENCH=OFF -DPANTO_BUILD_COMPILED=OFF ${ARGN})
  run(${CMAKE_COMMAND} --install ${WORK}/panto)
  file(RENAME ${WORK}/made_here ${WORK}/moved)
  file(REMOVE_RECURSE ${WORK}/panto)
endfunction()

function(build_and_run how)
  run(${consumer} -B ${WORK}/consumer_${how} -DHOW=${how} ${ARGN})
  run(${CMAKE_COMMAND} --build ${WORK}/consumer_${how})
  run(${WORK}/consumer_${how}/consumer)
endfunction()

# One file of the shipped data, for the consumer to read.
file(GLOB data RELATIVE ${SOURCE}/data ${SOURCE}/data/catenaries/*.json)
set(data_file "")
if(data)
  list(GET data 0 data_file)
endif()
set(moved -DCMAKE_PREFIX_PATH=${WORK}/moved)

if(CASE STREQUAL "find_package")
  install_and_move()
  # Whoever does not ask for io needs nothing but Eigen. Every header in two units, header-only.
  build_and_run(find ${moved} -DCMAKE_DISABLE_FIND_PACKAGE_nlohmann_json=ON -DTWO_UNITS=ON)
  must_fail("no component 'compiled'" ${consumer} -B ${WORK}/compiled -DHOW=find_compiled ${moved})
  string(REGEX MATCH "^([0-9]+)\\.([0-9]+)" minor ${VERSION})
  math(EXPR next "${CMAKE_MATCH_2} + 1")
  run(${consumer} -B ${WORK}/same -DHOW=find -DWANTED_VERSION=${minor} ${moved})
  must_fail("compatible" ${consumer} -B ${WORK}/newer -DHOW=find -DWANTED_VERSION=${CMAKE_MATCH_1}.${next} ${moved})
  must_fail("nonsense" ${consumer} -B ${WORK}/unknown -DHOW=find_unknown ${moved})
  run(${consumer} -B ${WORK}/narrow -DHOW=find_32_bit ${moved})

  # No flag reaches a user, and no path of the machine that made the package.
  file(GLOB_RECURSE package ${WORK}/moved/share/cmake/*.cmake ${WORK}/moved/share/pkgconfig/*.pc)
  foreach(file IN LISTS package)
    file(READ ${file} text)
    if(text MATCHES "[ \";](-m[a-z]|-O[0-9sf]|-ffast-math|-W[a-z]|-std=)" OR text MATCHES "NDEBUG"
       OR text MATCHES "COMPILE_OPTIONS")
      message(FATAL_ERROR "${file} carries a compiler flag: ${CMAKE_MATCH_1}")
    endif()
    string(FIND "${text}" "${WORK}" here)
    string(FIND "${text}" "${SOURCE}" there)
    if(NOT here EQUAL -1 OR NOT there EQUAL -1)
      message(FATAL_ERROR "${file} carries a path of the machine it was made on")
    endif()
  endforeach()
  if(NOT package)
    message(FATAL_ERROR "no package under share/")
  endif()
  file(GLOB_RECURSE elsewhere LIST_DIRECTORIES false ${WORK}/moved/lib*/*)
  if(elsewhere)
    message(FATAL_ERROR "something depends on the architecture: ${elsewhere}")
  endif()

  # README, docs, examples and programs come along, and what the README refers to is there.
  set(doc ${WORK}/moved/share/doc/panto)
  file(READ ${doc}/README.md text)
  string(REGEX MATCHALL "\\((docs|examples|programs)/[a-zA-Z0-9_/.]+" links "${text}")
  foreach(link IN LISTS links ITEMS "(docs/index.md" "(examples/own_hardware.cpp" "(programs/panto_run.cpp")
    string(SUBSTRING "${link}" 1 -1 target)
    if(NOT EXISTS ${doc}/${target})
      message(FATAL_ERROR "the installed README refers to ${target}, which is not installed")
    endif()
  endforeach()

  # pkg-config, where there is one: relative to the moved .pc file.
  find_program(pkg_config NAMES pkg-config pkgconf)
  if(pkg_config)
    set(ENV{PKG_CONFIG_PATH} ${WORK}/moved/share/pkgconfig)
    execute_process(COMMAND ${pkg_config} --cflags panto OUTPUT_VARIABLE flags COMMAND_ERROR_IS_FATAL ANY)
    separate_arguments(flags UNIX_COMMAND "${flags}")
    run(${COMPILER} -std=c++20 -fsyntax-only ${flags} -DEXPECTED_VERSION="${VERSION}" ${SOURCE}/tests/package/consumer/main.cpp)
  endif()

elseif(CASE STREQUAL "compiled")
  # The library of the build that runs this test, moved; then a shared one.
  run(${CMAKE_COMMAND} --install ${BUILT} --prefix ${WORK}/made_here)
  file(RENAME ${WORK}/made_here ${WORK}/moved)
  build_and_run(find_compiled ${moved} -DTWO_UNITS=ON)
  file(GLOB_RECURSE package ${WORK}/moved/share/cmake/pantoCompiled*.cmake ${WORK}/moved/share/pkgconfig/*.pc)
  foreach(file IN LISTS package)
    file(READ ${file} text)
    if(text MATCHES "[ \";](-m[a-z]|-O[0-9sf]|-ffast-math|-W[a-z]|-std=)" OR text MATCHES "NDEBUG|COMPILE_OPTIONS")
      message(FATAL_ERROR "${file} carries a compiler flag")
    endif()
    string(FIND "${text}" "${BUILT}" here)
    if(NOT here EQUAL -1)
      message(FATAL_ERROR "${file} carries a path of the machine it was made on")
    endif()
  endforeach()

  # A unit that counts on another alignment is refused when it is linked, and one without flags is not.
  find_program(pkg_config NAMES pkg-config pkgconf)
  if(pkg_config)
    set(ENV{PKG_CONFIG_PATH} ${WORK}/moved/share/pkgconfig)
    execute_process(COMMAND ${pkg_config} --cflags --libs panto-compiled OUTPUT_VARIABLE flags COMMAND_ERROR_IS_FATAL ANY)
    separate_arguments(flags UNIX_COMMAND "${flags}")
    set(unit ${COMPILER} -std=c++20 ${SOURCE}/tests/package/consumer/least.cpp -o ${WORK}/least)
    run(${unit} ${flags})
    if(CMAKE_HOST_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64")
      must_fail("EigenAlignment<32, 32, false>::as_in_the_compiled_library" ${unit} -mavx ${flags})
      must_fail("EigenAlignment<64, 64, false>::as_in_the_compiled_library" ${unit} -mavx512f -mfma -ffunction-sections
                -Wl,--gc-sections ${flags})
    endif()
  endif()

  file(REMOVE_RECURSE ${WORK}/moved ${WORK}/consumer_find_compiled)
  run(${configure} -S ${SOURCE} -B ${WORK}/panto -DCMAKE_INSTALL_PREFIX=${WORK}/made_here -DPANTO_BUILD_EXAMPLES=OFF
      -DPANTO_BUILD_TESTS=OFF -DPANTO_BUILD_BENCH=OFF -DBUILD_SHARED_LIBS=ON -DCMAKE_BUILD_TYPE=Debug)
  run(${CMAKE_COMMAND} --build ${WORK}/panto)
  run(${CMAKE_COMMAND} --install ${WORK}/panto)
  file(RENAME ${WORK}/made_here ${WORK}/moved)
  file(REMOVE_RECURSE ${WORK}/panto)
  build_and_run(find_compiled ${moved})

elseif(CASE STREQUAL "component_io")
  install_and_move()
  build_and_run(find_io ${moved} -DDATA_FILE=${data_file})
  must_fail("nlohmann_json" ${consumer} -B ${WORK}/without -DHOW=find_io ${moved}
            -DCMAKE_DISABLE_FIND_PACKAGE_nlohmann_json=ON)

elseif(CASE STREQUAL "component_study")
  # The package is made where neither oneTBB nor MPI is found, and its user may have both.
  set(neither -DCMAKE_DISABLE_FIND_PACKAGE_TBB=ON -DCMAKE_DISABLE_FIND_PACKAGE_MPI=ON)
  install_and_move(-DPANTO_BUILD_IO=OFF ${neither})
  build_and_run(find_study ${moved} ${neither})
  must_fail("needs oneTBB" ${consumer} -B ${WORK}/without -DHOW=find_study_threads ${moved} ${neither})
  foreach(part IN LISTS STUDY_PARTS)
    build_and_run(find_study_${part} ${moved})
  endforeach()

elseif(CASE STREQUAL "without_io")
  install_and_move(-DPANTO_BUILD_IO=OFF -DCMAKE_DISABLE_FIND_PACKAGE_nlohmann_json=ON -DPANTO_BUILD_STUDY=OFF)
  foreach(room IN ITEMS io study)
    if(EXISTS ${WORK}/moved/include/panto/${room})
      message(FATAL_ERROR "headers of ${room} are installed without ${room}")
    endif()
    must_fail("no component '${room}'" ${consumer} -B ${WORK}/consumer_${room} -DHOW=find_${room} ${moved})
  endforeach()
  run(${consumer} -B ${WORK}/consumer_find -DHOW=find ${moved})

elseif(CASE STREQUAL "include_folder")
  # An absolute include folder, and a relative one of another name: each appears once in what a consumer gets.
  # (The absolute one lies outside the source folder, as CMake demands of installed include paths.)
  execute_process(COMMAND mktemp -d OUTPUT_VARIABLE elsewhere OUTPUT_STRIP_TRAILING_WHITESPACE COMMAND_ERROR_IS_FATAL ANY)
  function(must_export folder)
    file(STRINGS ${WORK}/moved/share/cmake/panto/pantoTargets.cmake lines REGEX "INTERFACE_INCLUDE_DIRECTORIES")
    if(NOT lines STREQUAL "  INTERFACE_INCLUDE_DIRECTORIES \"${folder}\"")
      message(FATAL_ERROR "not just ${folder}: ${lines}")
    endif()
  endfunction()
  install_and_move(-DCMAKE_INSTALL_INCLUDEDIR=${elsewhere}/here)
  must_export(${elsewhere}/here)
  build_and_run(find ${moved})
  file(REMOVE_RECURSE ${WORK}/moved)
  install_and_move(-DCMAKE_INSTALL_INCLUDEDIR=include/deeper)
  must_export("\${_IMPORT_PREFIX}/include/deeper")
  file(REMOVE_RECURSE ${elsewhere})
  build_and_run(find ${moved})

elseif(CASE STREQUAL "add_subdirectory")
  build_and_run(subdirectory -DPANTO_SOURCE=${SOURCE})
  # Installing the consumer must not install panto.
  run(${CMAKE_COMMAND} --install ${WORK}/consumer_subdirectory --prefix ${WORK}/installed)
  if(EXISTS ${WORK}/installed/include)
    message(FATAL_ERROR "panto is installed with somebody else's project")
  endif()

elseif(CASE STREQUAL "fetch_content")
  build_and_run(fetch -DPANTO_SOURCE=${SOURCE} -DFETCHCONTENT_FULLY_DISCONNECTED=ON -DDATA_FILE=${data_file})

elseif(CASE STREQUAL "warnings")
  # No header warns, though it is no system header, and two files of a program may have them all.
  set(strict -Werror -Wall -Wextra -Wpedantic -Wconversion -Wshadow -Wold-style-cast -Wdouble-promotion -Wcast-qual
      -Wcast-align -Wnon-virtual-dtor -Woverloaded-virtual -Wundef -Wredundant-decls -Wextra-semi
      -Wzero-as-null-pointer-constant)
  foreach(folder IN LISTS EIGEN_INCLUDE)
    list(APPEND strict -isystem ${folder})
  endforeach()
  list(JOIN strict " " flags)
  install_and_move(-DPANTO_BUILD_IO=OFF)
  build_and_run(find ${moved} -DEVERYTHING=ON -DCMAKE_NO_SYSTEM_FROM_IMPORTED=ON -DCMAKE_CXX_FLAGS=${flags})
  build_and_run(subdirectory -DPANTO_SOURCE=${SOURCE} -DCMAKE_CXX_FLAGS=${flags})
  find_program(pkg_config NAMES pkg-config pkgconf)
  if(pkg_config)
    set(ENV{PKG_CONFIG_PATH} ${WORK}/moved/share/pkgconfig)
    execute_process(COMMAND ${pkg_config} --cflags panto OUTPUT_VARIABLE found COMMAND_ERROR_IS_FATAL ANY)
    separate_arguments(found UNIX_COMMAND "${found}")
    run(${COMPILER} -std=c++20 -fsyntax-only ${strict} ${found} -DEXPECTED_VERSION="${VERSION}"
        ${SOURCE}/tests/package/consumer/main.cpp)
  endif()
  # A checkout and a compiler, without CMake, in the next standard.
  run(${COMPILER} -std=c++2b -fsyntax-only ${strict} -I${SOURCE}/include ${SOURCE}/tests/package/consumer/everything.cpp)

else()
  message(FATAL_ERROR "CASE is '${CASE}'")
endif()
file(REMOVE_RECURSE ${WORK})
