// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

#include "bench/peers/nccl_api.hpp"

#include <dlfcn.h>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <string_view>
#include <vector>

#include "conccl/core/errors.hpp"

namespace conccl::bench::nccl {
namespace {

constexpr const char* kPathVariable = "CONCCL_NCCL";
constexpr const char* kMulticastVariable = "NCCL_NVLS_ENABLE";
constexpr std::array kPaths = {"libnccl.so.2", "/usr/lib/x86_64-linux-gnu/libnccl.so.2",
                               "/usr/lib/aarch64-linux-gnu/libnccl.so.2",
                               "/usr/local/cuda/lib64/libnccl.so.2"};
constexpr int kNextMajor = version_code(3, 0, 0);

std::string text_of(int code) {
  return fmt::format("{}.{}.{}", code / 10000, code / 100 % 100, code % 100);
}

template <typename Function>
void find(void* library, const std::string& path, const char* name, Function& function) {
  function = reinterpret_cast<Function>(dlsym(library, name));
  if (function == nullptr) {
    throw Unavailable(fmt::format("{} has no {}, expected NCCL {} or newer", path, name,
                                  text_of(kOldestVersion)));
  }
}

/// The version comes first: an old library lacks calls too, and its age says more.
void read_version(void* library, Api& api) {
  find(library, api.path, "ncclGetVersion", api.ncclGetVersion);
  if (api.ncclGetVersion(&api.code) != kSuccess) {
    throw Unavailable(fmt::format("{}: ncclGetVersion failed", api.path));
  }
  if (api.code < kOldestVersion || api.code >= kNextMajor) {
    throw Unavailable(fmt::format("{} is NCCL {}, expected {} or a newer 2.x", api.path,
                                  text_of(api.code), text_of(kOldestVersion)));
  }
}

std::shared_ptr<const Api> api_of(void* library, const std::string& path) {
  auto api = std::make_shared<Api>();
  api->path = path;
  read_version(library, *api);
#define CONCCL_FIND(name, arguments) find(library, path, #name, api->name);
  CONCCL_NCCL_CALLS(CONCCL_FIND)
#undef CONCCL_FIND
  find(library, path, "ncclGetErrorString", api->ncclGetErrorString);
  find(library, path, "ncclGetLastError", api->ncclGetLastError);
  return api;
}

void* load(const char* path) { return dlopen(path, RTLD_NOW | RTLD_LOCAL); }

bool only_prints(std::string_view variable) { return variable.starts_with("NCCL_DEBUG"); }

}  // namespace

std::string Api::version() const { return text_of(code); }

std::shared_ptr<const Api> open_nccl(const std::string& path) {
  void* library = load(path.c_str());
  if (library == nullptr) {
    const char* reason = dlerror();
    throw Unavailable(fmt::format("NCCL: {}", reason != nullptr ? reason : path));
  }
  return api_of(library, path);
}

std::shared_ptr<const Api> find_nccl() {
  setenv(kMulticastVariable, "0", 0);
  if (const char* path = std::getenv(kPathVariable); path != nullptr && *path != '\0') {
    return open_nccl(path);
  }
  for (const char* path : kPaths) {
    if (void* library = load(path); library != nullptr) return api_of(library, path);
  }
  throw Unavailable(fmt::format("{} not found: add its folder to LD_LIBRARY_PATH or name it in {}",
                                kPaths.front(), kPathVariable));
}

void check(const Api& api, Result result, const char* call) {
  if (result == kSuccess) return;
  const char* last = api.ncclGetLastError(nullptr);
  const std::string_view detail = last != nullptr ? last : "";
  throw RunError(fmt::format("{}: {} ({}){}{}", call, api.ncclGetErrorString(result), result,
                             detail.empty() ? "" : ": ", detail));
}

std::string environment() {
  std::vector<std::string_view> found;
  for (char** entry = environ; *entry != nullptr; ++entry) {
    const std::string_view text = *entry;
    if (text.starts_with("NCCL_") && !only_prints(text)) found.push_back(text);
  }
  std::sort(found.begin(), found.end());
  return fmt::format("{}", fmt::join(found, " "));
}

}  // namespace conccl::bench::nccl
