// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

#include "capi/config.hpp"

#include <fmt/format.h>

#include <cstddef>
#include <cstdlib>

#include "capi/versioned.hpp"
#include "conccl/core/errors.hpp"

namespace conccl::capi {
namespace {

// The layout that programs were compiled with; fields are only ever added behind.
static_assert(sizeof(void*) != 8 ||
              (offsetof(concclConfig_t, device) == 40 && offsetof(concclConfig_t, machine) == 56 &&
               sizeof(concclConfig_t) == 64));

bool given(int value) { return value != CONCCL_CONFIG_UNDEF_INT; }

comm::Policy policy_of(int value) {
  switch (value) {
    case CONCCL_CONFIG_UNDEF_INT:
    case concclPolicyAuto:
      return comm::Policy::automatic;
    case concclPolicyDma:
      return comm::Policy::dma;
    case concclPolicyCompute:
      return comm::Policy::compute;
    default:
      throw InputError(fmt::format("config: policy {} is none of concclPolicy_t", value));
  }
}

plan::Direction direction_of(int value) {
  switch (value) {
    case CONCCL_CONFIG_UNDEF_INT:
    case concclDirectionPush:
      return plan::Direction::push;
    case concclDirectionPull:
      return plan::Direction::pull;
    default:
      throw InputError(fmt::format("config: direction {} is none of concclDirection_t", value));
  }
}

std::optional<int> device_of(int value) {
  if (!given(value)) return std::nullopt;
  if (value < 0) throw InputError(fmt::format("config: device {} is negative", value));
  return value;
}

const char* machine_of(const concclConfig_t& config) {
  return config.machine != nullptr ? config.machine : std::getenv("CONCCL_MACHINE");
}

void read_fields(const concclConfig_t& config, Settings& settings) {
  if (config.name != nullptr) settings.options.name = config.name;
  if (config.backend != nullptr) settings.backend = config.backend;
  if (config.interface_name != nullptr) settings.meeting.interface = config.interface_name;
  if (const char* const machine = machine_of(config)) settings.options.machine = machine;
  settings.device = device_of(config.device);
  settings.options.policy = policy_of(config.policy);
  settings.options.direction = direction_of(config.direction);
  if (given(config.deadline_ms)) {
    if (config.deadline_ms <= 0) {
      throw InputError(fmt::format("config: deadline_ms {} is not positive", config.deadline_ms));
    }
    settings.options.deadline = std::chrono::milliseconds(config.deadline_ms);
    settings.meeting.deadline = settings.options.deadline;
  }
}

}  // namespace

Settings read_config(const concclConfig_t* config) {
  Settings settings;
  concclConfig_t whole = CONCCL_CONFIG_INITIALIZER;
  if (config != nullptr) {
    complete({config, "config", "CONCCL_CONFIG_INITIALIZER"}, &whole, sizeof whole);
  }
  read_fields(whole, settings);
  return settings;
}

}  // namespace conccl::capi
