# What a user gets: headers, data, the CMake package under share/, pkg-config. Nothing here depends on the architecture
# but the compiled library, where it is built.
include(CMakePackageConfigHelpers)
set(package_dir ${CMAKE_INSTALL_DATADIR}/cmake/panto)

# Without io, the headers that need nlohmann_json stay away; those with json in their name and the one of all files.
set(without "")
if(NOT PANTO_BUILD_IO)
  list(APPEND without PATTERN "*json*.hpp" EXCLUDE PATTERN "panto/io.hpp" EXCLUDE
       PATTERN "panto/io/comparison.hpp" EXCLUDE)
endif()
if(NOT PANTO_BUILD_STUDY)
  list(APPEND without PATTERN "panto/study" EXCLUDE PATTERN "panto/study.hpp" EXCLUDE)
endif()
install(DIRECTORY ${PROJECT_SOURCE_DIR}/include/panto DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}
        FILES_MATCHING PATTERN "*.hpp" ${without})
if(EXISTS ${PROJECT_SOURCE_DIR}/data)
  install(DIRECTORY ${PROJECT_SOURCE_DIR}/data/ DESTINATION ${panto_data_dir})
endif()
# To read and to copy: the links between them hold where they are installed, and `mkdocs build` makes the site there.
install(FILES ${PROJECT_SOURCE_DIR}/LICENSE ${PROJECT_SOURCE_DIR}/README.md ${PROJECT_SOURCE_DIR}/CHANGELOG.md
              ${PROJECT_SOURCE_DIR}/CONTRIBUTING.md ${PROJECT_SOURCE_DIR}/CITATION.cff ${PROJECT_SOURCE_DIR}/mkdocs.yml
        DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/panto)
install(DIRECTORY ${PROJECT_SOURCE_DIR}/docs ${PROJECT_SOURCE_DIR}/examples ${PROJECT_SOURCE_DIR}/programs
        DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/panto)

install(TARGETS panto EXPORT pantoTargets)
install(EXPORT pantoTargets NAMESPACE panto:: DESTINATION ${package_dir})
if(PANTO_BUILD_COMPILED)
  install(TARGETS panto_compiled EXPORT pantoCompiledTargets
          ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR} LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}
          RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
  install(EXPORT pantoCompiledTargets NAMESPACE panto:: DESTINATION ${package_dir})
endif()
if(PANTO_BUILD_IO)
  install(TARGETS panto_io EXPORT pantoIoTargets)
  install(EXPORT pantoIoTargets NAMESPACE panto:: DESTINATION ${package_dir})
endif()
if(PANTO_BUILD_STUDY)
  install(TARGETS panto_study EXPORT pantoStudyTargets)
  install(EXPORT pantoStudyTargets NAMESPACE panto:: DESTINATION ${package_dir})
  install(FILES ${PROJECT_SOURCE_DIR}/cmake/study_targets.cmake DESTINATION ${package_dir})
endif()

configure_package_config_file(
  ${PROJECT_SOURCE_DIR}/cmake/pantoConfig.cmake.in ${PROJECT_BINARY_DIR}/pantoConfig.cmake
  INSTALL_DESTINATION ${package_dir}
  PATH_VARS panto_data_dir
  NO_CHECK_REQUIRED_COMPONENTS_MACRO)
write_basic_package_version_file(
  ${PROJECT_BINARY_DIR}/pantoConfigVersion.cmake
  COMPATIBILITY SameMinorVersion ARCH_INDEPENDENT)
install(FILES ${PROJECT_BINARY_DIR}/pantoConfig.cmake ${PROJECT_BINARY_DIR}/pantoConfigVersion.cmake
        DESTINATION ${package_dir})

# pkg-config: paths relative to the .pc file, so that it may be moved as well.
set(pc_includedir "\${prefix}/${CMAKE_INSTALL_INCLUDEDIR}")
if(IS_ABSOLUTE "${CMAKE_INSTALL_INCLUDEDIR}")
  set(pc_includedir "${CMAKE_INSTALL_INCLUDEDIR}")
endif()
set(pc_prefix "${CMAKE_INSTALL_PREFIX}")
if(NOT IS_ABSOLUTE "${CMAKE_INSTALL_DATADIR}")
  file(RELATIVE_PATH up "/prefix/${CMAKE_INSTALL_DATADIR}/pkgconfig" "/prefix")
  string(REGEX REPLACE "/$" "" up "${up}")
  set(pc_prefix "\${pcfiledir}/${up}")
endif()
set(pc_libdir "\${prefix}/${CMAKE_INSTALL_LIBDIR}")
if(IS_ABSOLUTE "${CMAKE_INSTALL_LIBDIR}")
  set(pc_libdir "${CMAKE_INSTALL_LIBDIR}")
endif()
set(pc_files panto)
if(PANTO_BUILD_COMPILED)
  list(APPEND pc_files panto-compiled)
endif()
foreach(pc IN LISTS pc_files)
  configure_file(${PROJECT_SOURCE_DIR}/cmake/${pc}.pc.in ${PROJECT_BINARY_DIR}/${pc}.pc @ONLY)
  install(FILES ${PROJECT_BINARY_DIR}/${pc}.pc DESTINATION ${CMAKE_INSTALL_DATADIR}/pkgconfig)
endforeach()
