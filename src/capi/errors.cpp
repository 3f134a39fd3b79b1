// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

#include <algorithm>
#include <cstring>
#include <string>

#include "capi/handles.hpp"

using namespace conccl::capi;

concclResult_t concclGetVersion(int* version) {
  return guarded([&] {
    require(version, "concclGetVersion: version");
    *version = CONCCL_VERSION_CODE;
  });
}

const char* concclGetErrorString(concclResult_t result) {
  switch (result) {
    case concclSuccess:
      return "no error";
    case concclUnhandledError:
      return "a vendor's library or driver failed";
    case concclSystemError:
      return "the system refused a resource";
    case concclInternalError:
      return "a defect of ConCCL";
    case concclInvalidArgument:
      return "wrong argument";
    case concclInvalidUsage:
      return "wrong usage";
    case concclRemoteError:
      return "another rank failed, left or was late";
    case concclInProgress:
      return "not done yet";
    case concclUnavailable:
      return "not available on this machine";
    case concclNumResults:
      break;
  }
  return "unknown result";
}

const char* concclGetLastError(concclComm_t comm) {
  thread_local ErrorText shown;
  shown = last_error_of_thread();
  if (comm == nullptr) return shown.c_str();
  const auto copied = guarded([&] { comm_of(comm, "concclGetLastError")->copy_last_error(shown); });
  if (copied != concclSuccess) shown = last_error_of_thread();
  return shown.c_str();
}
