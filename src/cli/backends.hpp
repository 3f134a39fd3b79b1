// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

/// What there is to say of a registry's backends.
#pragma once

#include <CLI/App.hpp>
#include <memory>
#include <string>
#include <vector>

#include "conccl/backend/registry.hpp"

namespace conccl::cli {

/// `backend` is null where it does not work here; `reason` says why.
struct Probed {
  std::string name;
  std::unique_ptr<backend::Backend> backend;
  std::string reason;
};

/// Opens every backend in turn.
[[nodiscard]] std::vector<Probed> probe_all(const backend::Registry& registry);

/// A line per capability, each starting with `prefix`.
[[nodiscard]] std::string capabilities_text(const backend::Capabilities& capabilities,
                                            std::string_view prefix);

void add_backend(CLI::App& app, std::string& target);

}  // namespace conccl::cli
