# SPDX-FileCopyrightText: 2026 The ConCCL authors
# SPDX-License-Identifier: Apache-2.0

# What is installed, for whom it can be found (CMake, pkg-config), and the Debian packages.
#
# Components: runtime (the C library), dev (headers, the C++ layers as static libraries, CMake and
# pkg-config files), tool.
include_guard()
include(CMakePackageConfigHelpers)

set(cxx_layers core plan c3 backend comm)
set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/conccl)

install(TARGETS conccl_shared EXPORT concclTargets
  LIBRARY COMPONENT runtime NAMELINK_COMPONENT dev
  INCLUDES DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
list(TRANSFORM cxx_layers PREPEND conccl_ OUTPUT_VARIABLE cxx_targets)
install(TARGETS ${cxx_targets} EXPORT concclCxxTargets
  ARCHIVE COMPONENT dev
  INCLUDES DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
install(TARGETS conccl conccl-hsa-conformance RUNTIME COMPONENT tool)

install(FILES include/conccl/conccl.h
  DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/conccl COMPONENT dev)
list(TRANSFORM cxx_layers PREPEND include/conccl/ OUTPUT_VARIABLE cxx_headers)
install(DIRECTORY ${cxx_headers}
  DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/conccl COMPONENT dev FILES_MATCHING PATTERN "*.hpp")

# Before 1.0 a minor version may break: a program finds the one it was written for.
write_basic_package_version_file(${CMAKE_BINARY_DIR}/package/concclConfigVersion.cmake
  COMPATIBILITY SameMinorVersion)
configure_package_config_file(cmake/concclConfig.cmake.in
  ${CMAKE_BINARY_DIR}/package/concclConfig.cmake INSTALL_DESTINATION ${package_dir})
install(FILES
    ${CMAKE_BINARY_DIR}/package/concclConfig.cmake
    ${CMAKE_BINARY_DIR}/package/concclConfigVersion.cmake
    cmake/FindOpenBLASThreads.cmake
  DESTINATION ${package_dir} COMPONENT dev)
foreach(set IN ITEMS concclTargets concclCxxTargets)
  install(EXPORT ${set} NAMESPACE conccl:: DESTINATION ${package_dir} COMPONENT dev)
endforeach()

# The paths in the file are relative to it, so that an installation can be moved.
set(pc_dir ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
file(RELATIVE_PATH pc_to_prefix /${pc_dir} /)
string(REGEX REPLACE "/$" "" pc_to_prefix "${pc_to_prefix}")
configure_file(cmake/conccl.pc.in ${CMAKE_BINARY_DIR}/package/conccl.pc @ONLY)
install(FILES ${CMAKE_BINARY_DIR}/package/conccl.pc DESTINATION ${pc_dir} COMPONENT dev)

# Debian wants the licence by the package's name.
foreach(pair IN ITEMS runtime:libconccl0 dev:libconccl-dev tool:conccl)
  string(REPLACE ":" ";" pair ${pair})
  list(GET pair 0 component)
  list(GET pair 1 package)
  install(FILES LICENSE DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/${package} RENAME copyright
    COMPONENT ${component})
  string(TOUPPER ${component} upper)
  set(CPACK_DEBIAN_${upper}_PACKAGE_NAME ${package})
endforeach()

set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_COMPONENTS_ALL runtime dev tool)
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
# Who packs for others puts the address here at which these may complain.
set(CONCCL_PACKAGE_CONTACT "The ConCCL authors <conccl@localhost>" CACHE STRING
  "Maintainer named in the Debian packages")
set(CPACK_PACKAGE_CONTACT "${CONCCL_PACKAGE_CONTACT}")
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_GENERATE_SHLIBS ON)
set(CPACK_DEBIAN_PACKAGE_CONTROL_STRICT_PERMISSION ON)
set(CPACK_DEBIAN_RUNTIME_PACKAGE_SECTION libs)
set(CPACK_DEBIAN_DEV_PACKAGE_SECTION libdevel)
set(CPACK_DEBIAN_TOOL_PACKAGE_SECTION utils)
set(CPACK_DEBIAN_DEV_PACKAGE_DEPENDS "libconccl0 (= ${PROJECT_VERSION})")
set(CPACK_DEBIAN_DEV_PACKAGE_RECOMMENDS
  "libfmt-dev, libhwloc-dev, libopenblas-pthread-dev, libtomlplusplus-dev, nlohmann-json3-dev")
# Without a common summary the first line of each description is the package's own.
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "")
set(CPACK_COMPONENT_RUNTIME_DESCRIPTION "collectives on GPU DMA engines (C library)
All-gather and all-to-all that leave a GPU's compute units to the matrix
products that run at the same time. This package holds the shared library.")
set(CPACK_COMPONENT_DEV_DESCRIPTION "collectives on GPU DMA engines (development files)
Headers, the C++ layers as static libraries, and the files by which CMake
and pkg-config find them. The C library needs none of the packages that are
recommended, the C++ layers need all.")
set(CPACK_COMPONENT_TOOL_DESCRIPTION "overlap of matrix products and collectives, measured
The tool of ConCCL: how much of a collective a machine hides behind a matrix
product under each strategy, with every byte checked; a benchmark of
collectives, a launcher of ranks, a printer and prover of plans.")
include(CPack)
