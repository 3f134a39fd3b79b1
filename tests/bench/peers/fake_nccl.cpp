// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

// A library with NCCL's names that does nothing but keep a record of its calls. What tests steer it
// with is at the end. FAKE_VERSION says which NCCL it is; FAKE_WITHOUT_ALL_TO_ALL leaves a call
// out.

#include <chrono>
#include <cstddef>
#include <cstring>
#include <mutex>
#include <sstream>
#include <string>
#include <thread>

namespace {

struct UniqueId {
  char internal[128];
};

/// As nccl.h of 2.28 declares it, written anew.
struct Config {
  std::size_t size;
  unsigned int magic;
  unsigned int version;
  int blocking, cgaClusterSize, minCTAs, maxCTAs;
  const char* netName;
  int splitShare, trafficClass;
  const char* commName;
  int collnetEnable, CTAPolicy, shrinkShare, nvlsCTAs, nChannelsPerNetPeer, nvlinkCentricSched;
};

struct Fake {
  std::mutex mutex;
  std::string log;
  std::string failing;
  int failure = 0;
  std::string slow;
  int async_error = 0;
  bool symmetric = true;
};

Fake& fake() {
  static Fake instance;
  return instance;
}

int called(const char* name, const std::string& arguments) {
  bool wait = false;
  int result = 0;
  {
    const std::lock_guard lock(fake().mutex);
    fake().log += std::string(name) + (arguments.empty() ? "" : " " + arguments) + "\n";
    wait = fake().slow == name;
    if (fake().failing == name) result = fake().failure;
  }
  if (wait) std::this_thread::sleep_for(std::chrono::milliseconds(400));
  return result;
}

template <typename... Values>
std::string text(const Values&... values) {
  std::ostringstream out;
  const char* gap = "";
  ((out << gap << values, gap = " "), ...);
  return out.str();
}

}  // namespace

extern "C" {

int ncclGetVersion(int* version) {
  *version = FAKE_VERSION;
  return called("ncclGetVersion", "");
}

const char* ncclGetErrorString(int) { return "made to fail"; }
const char* ncclGetLastError(void*) { return "the last words"; }

int ncclGetUniqueId(UniqueId* id) {
  std::memset(id->internal, 7, sizeof(id->internal));
  return called("ncclGetUniqueId", "");
}

int ncclCommInitRankConfig(void** comm, int ranks, UniqueId id, int rank, Config* config) {
  *comm = &fake();
  return called("ncclCommInitRankConfig",
                text("ranks", ranks, "rank", rank, "id", int{id.internal[0]}, int{id.internal[127]},
                     "size", config->size, "magic", config->magic, "version", config->version,
                     "blocking", config->blocking, "min", config->minCTAs, "max", config->maxCTAs,
                     "policy", config->CTAPolicy, "net", config->netName == nullptr, "name",
                     config->commName == nullptr, "last", config->nvlinkCentricSched));
}

int ncclCommFinalize(void*) { return called("ncclCommFinalize", ""); }
int ncclCommDestroy(void*) { return called("ncclCommDestroy", ""); }
int ncclCommAbort(void*) { return called("ncclCommAbort", ""); }

int ncclCommGetAsyncError(void*, int* error) {
  *error = fake().async_error;
  return called("ncclCommGetAsyncError", "");
}

int ncclAllGather(const void* send, void* recv, std::size_t count, int type, void*, void* stream) {
  return called("ncclAllGather", text(send, recv, count, type, stream));
}

#ifndef FAKE_WITHOUT_ALL_TO_ALL
int ncclAlltoAll(const void* send, void* recv, std::size_t count, int type, void*, void* stream) {
  return called("ncclAlltoAll", text(send, recv, count, type, stream));
}
#endif

int ncclCommWindowRegister(void*, void* data, std::size_t bytes, void** window, int flags) {
  if (fake().symmetric) *window = data;
  return called("ncclCommWindowRegister", text(data, bytes, flags));
}

int ncclCommWindowDeregister(void*, void* window) {
  return called("ncclCommWindowDeregister", text(window));
}

/// Forgets the record and every wish.
void fake_reset() {
  const std::lock_guard lock(fake().mutex);
  fake().log.clear();
  fake().failing.clear();
  fake().slow.clear();
  fake().async_error = 0;
  fake().symmetric = true;
}

/// The calls so far, a line each; valid until the next call.
const char* fake_log() {
  const std::lock_guard lock(fake().mutex);
  return fake().log.c_str();
}

void fake_fail(const char* call, int code) {
  const std::lock_guard lock(fake().mutex);
  fake().failing = call;
  fake().failure = code;
}

/// `call` takes 400 ms from now on.
void fake_slow_down(const char* call) {
  const std::lock_guard lock(fake().mutex);
  fake().slow = call;
}

void fake_async_error(int code) { fake().async_error = code; }
void fake_no_symmetric_memory() { fake().symmetric = false; }
}
