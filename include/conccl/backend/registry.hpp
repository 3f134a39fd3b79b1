// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

/// The list of backends. A backend is one folder and one entry here.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "conccl/backend/device.hpp"

namespace conccl::backend {

/// How to open a backend. `open` throws Unavailable with the reason when it cannot work here.
struct Entry {
  std::string name;
  std::function<std::unique_ptr<Backend>()> open;
};

/// Backends in order of preference: the first that opens is the default.
class Registry {
 public:
  /// The backends built into the library.
  [[nodiscard]] static Registry standard();

  void add(Entry entry);
  [[nodiscard]] const std::vector<Entry>& entries() const { return entries_; }

  /// Opens `name`; empty: the first that works. Throws InputError for an unknown name (listing the
  /// known), Unavailable when it does not work here.
  [[nodiscard]] std::unique_ptr<Backend> open(std::string_view name) const;

 private:
  std::vector<Entry> entries_;
};

/// Opens a backend of the standard registry.
[[nodiscard]] std::unique_ptr<Backend> open(std::string_view name = {});

}  // namespace conccl::backend
