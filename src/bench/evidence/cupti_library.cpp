// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

#include "bench/evidence/cupti_library.hpp"

#include <dlfcn.h>
#include <fmt/format.h>
#include <glob.h>

#include <cstdlib>
#include <vector>

#include "conccl/core/errors.hpp"

namespace conccl::bench {
namespace {

constexpr const char* kPathVariable = "CONCCL_CUPTI";
constexpr const char* kName = "libcupti.so.13";
constexpr const char* kPlaces[] = {"/usr/local/cuda*/targets/x86_64-linux/lib/libcupti.so.13",
                                   "/usr/local/cuda*/lib64/libcupti.so.13",
                                   "/usr/local/cuda*/extras/CUPTI/lib64/libcupti.so.13"};
constexpr std::uint32_t kRelease = 13;
constexpr std::uint32_t kPerRelease = 10'000;

std::vector<std::string> files_like(const char* pattern) {
  glob_t found{};
  std::vector<std::string> files;
  if (glob(pattern, 0, nullptr, &found) == 0) {
    files.assign(found.gl_pathv, found.gl_pathv + found.gl_pathc);
  }
  globfree(&found);
  return files;
}

void* open_file(const std::string& file) { return dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL); }

void* open_anywhere() {
  if (const char* named = std::getenv(kPathVariable); named != nullptr && *named != '\0') {
    if (void* library = open_file(named); library != nullptr) return library;
    throw Unavailable(fmt::format("{}={}: {}", kPathVariable, named, dlerror()));
  }
  if (void* library = open_file(kName); library != nullptr) return library;
  for (const char* place : kPlaces) {
    for (const auto& file : files_like(place)) {
      if (void* library = open_file(file); library != nullptr) return library;
    }
  }
  throw Unavailable(fmt::format("{} not found (set {} to its path)", kName, kPathVariable));
}

template <typename Function>
void find(void* library, const char* name, Function& function) {
  function = reinterpret_cast<Function>(dlsym(library, name));
  if (function == nullptr) throw Unavailable(fmt::format("{}: no {} in it", kName, name));
}

std::string version_of(const Cupti& cupti) {
  std::uint32_t version = 0;
  cupti.check(cupti.cuptiGetVersion(&version), "cuptiGetVersion");
  if (version / kPerRelease != kRelease) {
    throw Unavailable(fmt::format("CUPTI of version {}, expected {}.x", version, kRelease));
  }
  return fmt::format("CUPTI {}.{}.{}", kRelease, version % kPerRelease / 100, version % 100);
}

}  // namespace

void Cupti::check(CUptiResult result, const char* operation) const {
  if (result == CUPTI_SUCCESS) return;
  const char* text = nullptr;
  if (cuptiGetResultString(result, &text) != CUPTI_SUCCESS) text = "unknown error";
  throw Unavailable(fmt::format("{}: {} ({})", operation, text, static_cast<int>(result)));
}

Cupti open_cupti_library() {
  void* library = open_anywhere();
  Cupti cupti;
#define CONCCL_FIND(name) find(library, #name, cupti.name);
  CONCCL_CUPTI_CALLS(CONCCL_FIND)
#undef CONCCL_FIND
  cupti.version = version_of(cupti);
  return cupti;
}

}  // namespace conccl::bench
