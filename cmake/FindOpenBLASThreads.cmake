# SPDX-FileCopyrightText: 2026 The ConCCL authors
# SPDX-License-Identifier: Apache-2.0

# Finds an OpenBLAS that several threads may call at once; defines OpenBLAS::Threads.
#
# Debian's serial build is not such a one (its packing buffers are handed out without a lock), and
# update-alternatives may point the plain name at it, so the pthread flavour's own folder comes
# first. Any other OpenBLAS is accepted: the host backend notices a serial one when it runs, lets calls
# take turns and says so.
find_path(OpenBLASThreads_INCLUDE_DIR cblas.h PATH_SUFFIXES openblas-pthread openblas)
find_library(OpenBLASThreads_LIBRARY openblas PATH_SUFFIXES openblas-pthread)

include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(OpenBLASThreads
  REQUIRED_VARS OpenBLASThreads_LIBRARY OpenBLASThreads_INCLUDE_DIR
  REASON_FAILURE_MESSAGE "on Debian: apt-get install libopenblas-pthread-dev")
mark_as_advanced(OpenBLASThreads_INCLUDE_DIR OpenBLASThreads_LIBRARY)

if(OpenBLASThreads_FOUND AND NOT TARGET OpenBLAS::Threads)
  add_library(OpenBLAS::Threads UNKNOWN IMPORTED)
  set_target_properties(OpenBLAS::Threads PROPERTIES
    IMPORTED_LOCATION "${OpenBLASThreads_LIBRARY}"
    INTERFACE_INCLUDE_DIRECTORIES "${OpenBLASThreads_INCLUDE_DIR}")
endif()
