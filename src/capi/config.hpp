// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

/// What a `concclConfig_t` says, checked and with its defaults.
#pragma once

#include <optional>
#include <string>

#include "conccl/comm/communicator.hpp"
#include "conccl/conccl.h"

namespace conccl::capi {

struct Settings {
  comm::Options options;
  comm::MeetingOptions meeting;
  std::string backend;        ///< empty: the default
  std::optional<int> device;  ///< none: the caller's choice
};

/// `config` may be null. Throws InputError naming the field.
[[nodiscard]] Settings read_config(const concclConfig_t* config);

}  // namespace conccl::capi
