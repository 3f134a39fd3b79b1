# SPDX-FileCopyrightText: 2026 The ConCCL authors
# SPDX-License-Identifier: Apache-2.0

# The HSA backend's host code needs nothing to be built; its kernels need a clang that compiles and
# links for AMD GPUs, and are left out where there is none. No ROCm is needed.
#
# conccl_find_hsa_clang(): sets in the cache CONCCL_HSA_CLANG_FOUND (empty: none),
# CONCCL_HSA_FOUND_TARGETS, those of CONCCL_HSA_TARGETS that this clang knows, and
# CONCCL_HSA_MISSING, why there are none.
# conccl_embed_code_objects(TARGET FILE): compiles a .hip file for each of them and embeds these in
# a target as conccl::backend::hsa::code_objects().
include(ConcclEmbed)

set(CONCCL_HSA_KERNELS "AUTO" CACHE STRING
    "Build the kernels of the HSA backend: AUTO (where a clang for AMD GPUs is found), ON or OFF")
set_property(CACHE CONCCL_HSA_KERNELS PROPERTY STRINGS AUTO ON OFF)
set(CONCCL_HSA_TARGETS "gfx90a;gfx942" CACHE STRING "AMD GPUs to build kernels for")
set(CONCCL_HSA_CLANG "" CACHE FILEPATH "The clang to build them with; empty: the best one found")
mark_as_advanced(CONCCL_HSA_TARGETS CONCCL_HSA_CLANG)

# The HIP language without HIP's headers and libraries. Every runtime since ROCm 4.2 loads code
# objects of version 4.
set(conccl_hsa_flags -x hip --cuda-device-only -nogpuinc -nogpulib --no-gpu-bundle-output
    -mcode-object-version=4 -std=c++20 -O3 -ffp-contract=off)

# What `clang` says when it compiles and links for `target`, in the variable `said`; empty: it can.
function(conccl_try_hsa_clang said clang target)
  set(probe ${CMAKE_BINARY_DIR}/CMakeFiles/conccl_hsa_probe)
  file(WRITE ${probe}.hip "extern \"C\" __attribute__((global)) void probe(int* p) { *p = 1; }\n")
  execute_process(
    COMMAND ${clang} ${conccl_hsa_flags} --offload-arch=${target} ${probe}.hip -o ${probe}.co
    RESULT_VARIABLE status OUTPUT_QUIET ERROR_VARIABLE errors)
  set(text "")
  if(NOT status EQUAL 0)
    string(REGEX MATCH "error: [^\n]*" text "${errors}")
    if(text STREQUAL "")
      set(text "it ended with ${status}")
    endif()
    string(REPLACE ";" "," text "${text}")
    string(REGEX REPLACE "[\"\\\\]" "'" text "${text}")
  endif()
  set(${said} "${text}" PARENT_SCOPE)
endfunction()

# The clangs to try, best first, in the variable `result`.
function(conccl_hsa_clangs result)
  if(CONCCL_HSA_CLANG)
    set(${result} ${CONCCL_HSA_CLANG} PARENT_SCOPE)
    return()
  endif()
  set(found "")
  foreach(name clang-19 clang-22 clang-21 clang-20 clang-18 clang-17 clang-16 clang-15 clang-14
               amdclang clang)
    find_program(path ${name} NO_CACHE PATHS /opt/rocm/bin)
    if(path)
      list(APPEND found ${path})
    endif()
    unset(path)
  endforeach()
  set(${result} ${found} PARENT_SCOPE)
endfunction()

# Trying costs a tenth of a second each; what fell short is tried again, as a linker may have come.
function(conccl_find_hsa_clang)
  set(wanted ${CONCCL_HSA_TARGETS})
  set(asked "${CONCCL_HSA_KERNELS}|${CONCCL_HSA_CLANG}|${wanted}")
  if(CONCCL_HSA_ASKED STREQUAL asked AND CONCCL_HSA_FOUND_TARGETS STREQUAL wanted
     AND EXISTS "${CONCCL_HSA_CLANG_FOUND}")
    conccl_report_hsa_clang("${CONCCL_HSA_CLANG_FOUND}" "${wanted}" "none")
    return()
  endif()
  set(best "")
  set(best_targets "")
  set(reasons "")
  if(CONCCL_HSA_KERNELS STREQUAL "OFF")
    set(reasons "CONCCL_HSA_KERNELS is OFF")
  else()
    conccl_hsa_clangs(clangs)
    foreach(clang IN LISTS clangs)
      set(targets "")
      foreach(target IN LISTS wanted)
        conccl_try_hsa_clang(said ${clang} ${target})
        if(said STREQUAL "")
          list(APPEND targets ${target})
        else()
          list(APPEND reasons "${clang} for ${target}: ${said}")
        endif()
      endforeach()
      list(LENGTH targets count)
      list(LENGTH best_targets most)
      if(count GREATER most)
        set(best ${clang})
        set(best_targets ${targets})
      endif()
      if(targets STREQUAL wanted)
        break()
      endif()
    endforeach()
    if(reasons STREQUAL "")
      set(reasons "no clang was found")
    endif()
  endif()
  conccl_report_hsa_clang("${best}" "${best_targets}" "${reasons}")
  set(CONCCL_HSA_ASKED "${asked}" CACHE INTERNAL "What the search for a clang was asked")
endfunction()

function(conccl_report_hsa_clang clang targets reasons)
  list(GET reasons 0 reason)
  set(missing "")
  string(JOIN ", " names ${targets})
  if(clang)
    message(STATUS "HSA kernels: for ${names} with ${clang}")
    if(NOT targets STREQUAL CONCCL_HSA_TARGETS)
      message(STATUS "HSA kernels: others are left out, ${reason}")
    endif()
  elseif(CONCCL_HSA_KERNELS STREQUAL "ON")
    message(FATAL_ERROR "CONCCL_HSA_KERNELS=ON: expected a clang that compiles and links for one "
                        "of ${CONCCL_HSA_TARGETS} (Debian: clang-19 and lld-19): ${reason}")
  else()
    set(missing "${reason}")
    message(STATUS "HSA kernels: left out, ${reason}")
  endif()
  set(CONCCL_HSA_CLANG_FOUND "${clang}" CACHE INTERNAL "The clang for AMD GPUs")
  set(CONCCL_HSA_FOUND_TARGETS "${targets}" CACHE INTERNAL "AMD GPUs it compiles for")
  set(CONCCL_HSA_MISSING "${missing}" CACHE INTERNAL "Why the HSA backend has no kernels")
endfunction()

function(conccl_embed_code_objects target file)
  set(source ${CMAKE_CURRENT_SOURCE_DIR}/${file})
  set(images "")
  foreach(gpu IN LISTS CONCCL_HSA_FOUND_TARGETS)
    set(image ${CMAKE_CURRENT_BINARY_DIR}/${gpu}.co)
    add_custom_command(
      OUTPUT ${image}
      COMMAND ${CONCCL_HSA_CLANG_FOUND} ${conccl_hsa_flags} --offload-arch=${gpu}
              -Wall -Wextra -Wshadow -Wconversion
              -I${CMAKE_SOURCE_DIR}/include -I${CMAKE_SOURCE_DIR}/src
              -MD -MF ${image}.d -MT ${image} ${source} -o ${image}
      DEPENDS ${source}
      DEPFILE ${image}.d
      COMMENT "Compiling kernels for ${gpu}"
      VERBATIM)
    list(APPEND images ${image})
  endforeach()
  conccl_embed(${target} BYTES
    HEADER backend/hsa/kernel_images.hpp
    NAMESPACE conccl::backend::hsa
    TYPE KernelImage
    FUNCTION code_objects
    FILES ${images})
endfunction()
