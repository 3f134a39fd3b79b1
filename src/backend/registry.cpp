// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

#include "conccl/backend/registry.hpp"

#include <fmt/format.h>

#include <utility>

#include "conccl/backend/cuda.hpp"
#include "conccl/backend/host.hpp"
#include "conccl/backend/hsa.hpp"
#include "conccl/core/errors.hpp"

namespace conccl::backend {
namespace {

std::string names_of(const std::vector<Entry>& entries) {
  std::string names;
  for (const Entry& entry : entries) names += (names.empty() ? "" : ", ") + entry.name;
  return names;
}

std::unique_ptr<Backend> open_first(const std::vector<Entry>& entries) {
  std::string reasons;
  for (const Entry& entry : entries) {
    try {
      return entry.open();
    } catch (const Unavailable& error) {
      reasons += fmt::format("; {}: {}", entry.name, error.what());
    }
  }
  throw Unavailable("no backend works here" + reasons);
}

}  // namespace

Registry Registry::standard() {
  Registry registry;
  registry.add({"cuda", open_cuda});
  registry.add({"hsa", open_hsa});
  registry.add({"host", open_host});
  return registry;
}

void Registry::add(Entry entry) { entries_.push_back(std::move(entry)); }

std::unique_ptr<Backend> Registry::open(std::string_view name) const {
  if (name.empty()) return open_first(entries_);
  for (const Entry& entry : entries_) {
    if (entry.name == name) return entry.open();
  }
  throw InputError(
      fmt::format("unknown backend \"{}\", expected one of: {}", name, names_of(entries_)));
}

std::unique_ptr<Backend> open(std::string_view name) { return Registry::standard().open(name); }

}  // namespace conccl::backend
