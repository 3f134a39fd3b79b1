# SPDX-FileCopyrightText: 2026 The ConCCL authors
# SPDX-License-Identifier: Apache-2.0

# GNUInstallDirs, with Debian's folder for libraries under any prefix, so that one build serves
# both `cmake --install` and the Debian packages.
include_guard()

if(EXISTS /etc/debian_version AND CMAKE_LIBRARY_ARCHITECTURE)
  set(CMAKE_INSTALL_LIBDIR lib/${CMAKE_LIBRARY_ARCHITECTURE} CACHE PATH "Folder of libraries")
endif()
include(GNUInstallDirs)
