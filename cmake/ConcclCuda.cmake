# SPDX-FileCopyrightText: 2026 The ConCCL authors
# SPDX-License-Identifier: Apache-2.0

# The CUDA backend is built where nvcc and cuda.h are found; nothing of CUDA is linked.
#
# conccl_find_cuda(): sets CONCCL_WITH_CUDA, CONCCL_NVCC and CONCCL_CUDA_INCLUDE in the cache. Where
# the CUDA runtime is found too, the target conccl_cudart is that, static, for tests and examples.
# conccl_embed_kernels(TARGET FILE): compiles a .cu file for all GPUs (a fatbin) and embeds it in a
# target as conccl::backend::cuda::fatbins().
include(ConcclEmbed)

set(CONCCL_CUDA "AUTO" CACHE STRING "Build the CUDA backend: AUTO (where nvcc is found), ON or OFF")
set_property(CACHE CONCCL_CUDA PROPERTY STRINGS AUTO ON OFF)

function(conccl_find_cuda)
  set(CONCCL_WITH_CUDA OFF CACHE INTERNAL "Whether the CUDA backend is built")
  if(CONCCL_CUDA STREQUAL "OFF")
    return()
  endif()
  find_program(CONCCL_NVCC nvcc HINTS ENV CUDA_HOME ENV CUDA_PATH /usr/local/cuda PATH_SUFFIXES bin)
  cmake_path(GET CONCCL_NVCC PARENT_PATH bin)
  find_path(CONCCL_CUDA_INCLUDE NAMES cublasLt.h HINTS ${bin}/../include /usr/local/cuda/include)
  mark_as_advanced(CONCCL_NVCC CONCCL_CUDA_INCLUDE)
  set(version 0)
  if(EXISTS "${CONCCL_CUDA_INCLUDE}/cuda.h")
    file(STRINGS ${CONCCL_CUDA_INCLUDE}/cuda.h line REGEX "^#define CUDA_VERSION [0-9]+")
    string(REGEX MATCH "[0-9]+$" version "${line}")
  endif()
  if(CONCCL_NVCC AND version GREATER_EQUAL 13000)
    set(CONCCL_WITH_CUDA ON CACHE INTERNAL "Whether the CUDA backend is built")
    message(STATUS "CUDA backend: with ${CONCCL_NVCC}")
    conccl_find_cudart(${bin})
  elseif(CONCCL_CUDA STREQUAL "AUTO")
    message(STATUS "CUDA backend: left out, nvcc and headers of CUDA 13 were not found")
  else()
    message(FATAL_ERROR "CONCCL_CUDA=${CONCCL_CUDA}: nvcc, cuda.h and cublasLt.h of CUDA 13 or "
                        "newer were not found (set CUDA_HOME)")
  endif()
endfunction()

function(conccl_find_cudart bin)
  find_library(CONCCL_CUDART cudart_static
    HINTS ${bin}/../lib64 ${bin}/../lib ${bin}/../targets/${CMAKE_SYSTEM_PROCESSOR}-linux/lib)
  mark_as_advanced(CONCCL_CUDART)
  if(CONCCL_CUDART)
    find_package(Threads REQUIRED)
    add_library(conccl_cudart INTERFACE)
    target_link_libraries(conccl_cudart INTERFACE ${CONCCL_CUDART} Threads::Threads ${CMAKE_DL_LIBS} rt)
    target_include_directories(conccl_cudart SYSTEM INTERFACE ${CONCCL_CUDA_INCLUDE})
  endif()
endfunction()

function(conccl_embed_kernels target file)
  set(source ${CMAKE_CURRENT_SOURCE_DIR}/${file})
  set(image ${CMAKE_CURRENT_BINARY_DIR}/kernels.fatbin)
  add_custom_command(
    OUTPUT ${image}
    COMMAND ${CONCCL_NVCC} -std=c++20 --expt-relaxed-constexpr -O3 -fatbin
            -ccbin ${CMAKE_CXX_COMPILER} -I${CMAKE_SOURCE_DIR}/include -I${CMAKE_SOURCE_DIR}/src
            -gencode arch=compute_80,code=compute_80 -gencode arch=compute_90,code=sm_90
            -MD -MF ${image}.d -MT ${image} ${source} -o ${image}
    DEPENDS ${source}
    DEPFILE ${image}.d
    COMMENT "Compiling kernels for GPUs"
    VERBATIM)
  conccl_embed(${target} BYTES
    HEADER backend/cuda/kernels.hpp
    NAMESPACE conccl::backend::cuda
    TYPE KernelImage
    FUNCTION fatbins
    FILES ${image})
endfunction()
