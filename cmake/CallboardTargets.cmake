# SPDX-License-Identifier: Apache-2.0
# How the folders of this project become targets: each has one job, one target and one include root.

# callboard_folder(<name> [SOURCES …] [PUBLIC …] [PRIVATE …])
# The library callboard::<name> of the folder of that name; without sources it is headers only.
function(callboard_folder name)
  cmake_parse_arguments(ARG "" "" "SOURCES;PUBLIC;PRIVATE" ${ARGN})
  if(ARG_SOURCES)
    set(scope PUBLIC)
    add_library(callboard_${name} ${ARG_SOURCES})
    target_include_directories(callboard_${name} PRIVATE src)
    target_link_libraries(callboard_${name} PRIVATE ${ARG_PRIVATE} $<BUILD_INTERFACE:callboard_warnings>)
  else()
    set(scope INTERFACE)
    add_library(callboard_${name} INTERFACE)
  endif()
  add_library(callboard::${name} ALIAS callboard_${name})
  set_target_properties(callboard_${name} PROPERTIES EXPORT_NAME ${name})
  target_include_directories(callboard_${name} ${scope}
    $<BUILD_INTERFACE:${CMAKE_CURRENT_SOURCE_DIR}/include>
    $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
  target_compile_features(callboard_${name} ${scope} cxx_std_20)
  target_link_libraries(callboard_${name} ${scope} ${ARG_PUBLIC})
  install(TARGETS callboard_${name} EXPORT CallboardTargets)
  install(DIRECTORY include/ DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
endfunction()

# callboard_test(<name> SOURCES … [LIBRARIES …] [LABEL …])
# A GoogleTest program whose cases ctest runs one by one. Tests share a precompiled header.
# One label only: gtest_discover_tests of CMake 3.25 loses all but the first of a list.
function(callboard_test name)
  cmake_parse_arguments(ARG "" "LABEL" "SOURCES;LIBRARIES" ${ARGN})
  add_executable(${name} ${ARG_SOURCES})
  target_link_libraries(${name} PRIVATE ${ARG_LIBRARIES} GTest::gmock GTest::gtest_main callboard_warnings)
  target_include_directories(${name} PRIVATE ${PROJECT_SOURCE_DIR}/tests)
  target_compile_options(${name} PRIVATE $<$<CONFIG:Release>:-O1>)  # compiled more often than run
  target_precompile_headers(${name} PRIVATE <gmock/gmock.h> <gtest/gtest.h>)
  gtest_discover_tests(${name}
    DISCOVERY_TIMEOUT 60
    PROPERTIES TIMEOUT 120 LABELS "${ARG_LABEL}")
endfunction()
