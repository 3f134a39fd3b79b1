// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

#include "capi/handles.hpp"

using namespace conccl::capi;

concclResult_t concclCommDestroy(concclComm_t comm) {
  return guarded([&] {
    auto destroyed = comm_of(comm, "concclCommDestroy");
    if (comm_table().remove(comm) == nullptr) return;  // another thread was faster
    const auto windows = window_table().remove_if(
        [&](const RegisteredWindow& window) { return window.comm.lock() == destroyed; });
  });
}

concclResult_t concclCommAbort(concclComm_t comm) {
  return guarded_on(comm, "concclCommAbort",
                    [](const auto& known) { known->communicator().abort(); });
}

concclResult_t concclCommGetAsyncError(concclComm_t comm, concclResult_t* async_error) {
  return guarded_on(comm, "concclCommGetAsyncError", [&](const auto& known) {
    require(async_error, "concclCommGetAsyncError: async_error");
    *async_error = known->communicator().async_error() ? concclRemoteError : concclSuccess;
  });
}

concclResult_t concclCommCount(concclComm_t comm, int* count) {
  return guarded_on(comm, "concclCommCount", [&](const auto& known) {
    require(count, "concclCommCount: count");
    *count = known->communicator().ranks();
  });
}

concclResult_t concclCommUserRank(concclComm_t comm, int* rank) {
  return guarded_on(comm, "concclCommUserRank", [&](const auto& known) {
    require(rank, "concclCommUserRank: rank");
    *rank = known->communicator().rank();
  });
}

concclResult_t concclCommDevice(concclComm_t comm, int* device) {
  return guarded_on(comm, "concclCommDevice", [&](const auto& known) {
    require(device, "concclCommDevice: device");
    *device = known->device_index();
  });
}
