// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

/// Reading the `model` section of a machine file. For sources only.
#pragma once

#include "core/figure_reader.hpp"

namespace conccl {

/// `device` is that of the same file: what the model says is checked against it. Complains as
/// `TomlReader` does.
[[nodiscard]] ModelFacts read_model(FigureReader& reader, const toml::table& table,
                                    const DeviceFacts& device);

}  // namespace conccl
