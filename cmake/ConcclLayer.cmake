# SPDX-FileCopyrightText: 2026 The ConCCL authors
# SPDX-License-Identifier: Apache-2.0

# conccl_layer(NAME [COMPUTES] SOURCES ... LINKS ... [PRIVATE_LINKS ...]): one static library per layer.
# conccl_computes(TARGET): what COMPUTES does, for other targets.
# conccl_apart(FILES...): files of this folder that share a name with another file of their target.
# conccl_test_code(TARGET LINKS...): what the code of tests is compiled with and linked to.
# conccl_test(NAME SOURCES ... LINKS ... [LABEL word] [TIMEOUT s] [PREFIX text] [FILTER pattern]): one GoogleTest program, each test registered with CTest.
include_guard()

if(CONCCL_SANITIZE)
  add_compile_options(-fsanitize=${CONCCL_SANITIZE} -fno-omit-frame-pointer)
  add_link_options(-fsanitize=${CONCCL_SANITIZE})
  add_compile_definitions(CONCCL_SANITIZED)
  if(CONCCL_SANITIZE MATCHES "address")
    add_compile_definitions(CONCCL_ADDRESS_SANITIZER)
  endif()
  # Clang's check of an object's type takes those of a library that is not sanitized (fmt) for none,
  # and its check of a function's type those of vendors' libraries, which are declared here anew.
  if(CONCCL_SANITIZE MATCHES "undefined" AND CMAKE_CXX_COMPILER_ID STREQUAL "Clang")
    add_compile_options(-fno-sanitize=vptr,function)
    add_link_options(-fno-sanitize=vptr,function)
  endif()
endif()

if(CONCCL_BUILD_FUZZERS)
  if(NOT CMAKE_CXX_COMPILER_ID STREQUAL "Clang")
    message(FATAL_ERROR "CONCCL_BUILD_FUZZERS needs Clang for libFuzzer, not "
                        "${CMAKE_CXX_COMPILER_ID}: use cmake --preset fuzz")
  endif()
  add_compile_options(-fsanitize=fuzzer-no-link)
endif()

add_library(conccl_warnings INTERFACE)
target_compile_options(conccl_warnings INTERFACE
  -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wsign-conversion
  $<$<COMPILE_LANGUAGE:CXX>:-Wnon-virtual-dtor>
  # What GCC does not mind: libstdc++ 12's own stable_sort calls what it marks as deprecated; inner
  # braces of arrays; functions in C that the header alone says do not throw; vendors' headers.
  $<$<COMPILE_LANG_AND_ID:CXX,Clang>:-Wno-deprecated-declarations;-Wno-missing-braces>
  $<$<COMPILE_LANG_AND_ID:CXX,Clang>:-Wno-missing-exception-spec;-Wno-nested-anon-types>)

# What computes is optimised under sanitizers too, where all else mostly waits and is not.
function(conccl_computes target)
  if(CONCCL_SANITIZE)
    target_compile_options(${target} PRIVATE -O1)
  endif()
endfunction()

function(conccl_layer name)
  cmake_parse_arguments(ARG "COMPUTES" "" "SOURCES;LINKS;PRIVATE_LINKS" ${ARGN})
  add_library(conccl_${name} STATIC ${ARG_SOURCES})
  set_target_properties(conccl_${name} PROPERTIES EXPORT_NAME ${name})
  target_compile_features(conccl_${name} PUBLIC cxx_std_20)
  target_include_directories(conccl_${name} PUBLIC $<BUILD_INTERFACE:${CMAKE_SOURCE_DIR}/include>
                                            PRIVATE ${CMAKE_SOURCE_DIR}/src)
  target_link_libraries(conccl_${name} PUBLIC ${ARG_LINKS}
                                       PRIVATE ${ARG_PRIVATE_LINKS} $<BUILD_INTERFACE:conccl_warnings>)
  if(ARG_COMPUTES)
    conccl_computes(conccl_${name})
  endif()
endfunction()

# In every preset several files of a target are compiled as one, where a name may be defined once, in
# anonymous namespaces too. Rename, or list the file here.
function(conccl_apart)
  set_source_files_properties(${ARGN} PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)
endfunction()

# Unoptimised, whatever the preset: tests compile in half the time, and how what they test is
# compiled does not hang on it. Nor are tests themselves looked at for undefined behaviour, which
# takes as long again to compile. Several files as one, unless CMAKE_UNITY_BUILD says: most of what a
# test costs to compile are the headers of GoogleTest and rapidcheck.
function(conccl_test_code target)
  if(NOT DEFINED CMAKE_UNITY_BUILD)
    set_target_properties(${target} PROPERTIES UNITY_BUILD ON)
  endif()
  target_compile_options(${target} PRIVATE -O0 -fno-sanitize=undefined)
  target_include_directories(${target} PRIVATE ${CMAKE_SOURCE_DIR} ${CMAKE_SOURCE_DIR}/src)
  target_link_libraries(${target} PRIVATE ${ARGN} conccl_warnings)
endfunction()

function(conccl_test name)
  cmake_parse_arguments(ARG "" "LABEL;TIMEOUT;PREFIX;FILTER" "SOURCES;LINKS" ${ARGN})
  if(NOT ARG_TIMEOUT)
    set(ARG_TIMEOUT 300)
  endif()
  add_executable(${name} ${ARG_SOURCES})
  conccl_test_code(${name} ${ARG_LINKS} GTest::gmock GTest::gtest_main)
  # Parameter values stay out of test names: they may hold addresses, which change between builds.
  gtest_discover_tests(${name} TEST_PREFIX "${ARG_PREFIX}" DISCOVERY_MODE PRE_TEST DISCOVERY_TIMEOUT 60 NO_PRETTY_VALUES
                       TEST_FILTER "${ARG_FILTER}"
                       PROPERTIES TIMEOUT ${ARG_TIMEOUT} LABELS "${ARG_LABEL}")
endfunction()

include(GoogleTest)
