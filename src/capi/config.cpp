// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

#include "capi/config.hpp"

#include <fmt/format.h>

#include <cstdint>
#include <cstring>

#include "conccl/core/errors.hpp"

namespace conccl::capi {
namespace {

constexpr std::size_t kHead = offsetof(concclConfig_t, name);
constexpr std::size_t kMostBytes = 4096;  // more is no structure of any version

// The layout that programs were compiled with; fields are only ever added behind.
static_assert(sizeof(void*) != 8 || (kHead == 16 && offsetof(concclConfig_t, device) == 40 &&
                                     sizeof(concclConfig_t) == 56));

void check_head(const concclConfig_t& given) {
  if (given.magic != CONCCL_CONFIG_MAGIC) {
    throw InputError("config: not initialised with CONCCL_CONFIG_INITIALIZER");
  }
  if (given.version < CONCCL_VERSION(0, 1, 0)) {
    throw InputError(fmt::format("config: version {}, expected at least {}", given.version,
                                 CONCCL_VERSION(0, 1, 0)));
  }
  if (given.size < kHead || given.size > kMostBytes || given.size % alignof(void*) != 0) {
    throw InputError(
        fmt::format("config: size {}, expected {} or so", given.size, sizeof(concclConfig_t)));
  }
}

// Later versions keep to fields whose undefined value is 0, NULL or CONCCL_CONFIG_UNDEF_INT.
void check_unknown(const concclConfig_t& given) {
  const auto* bytes = reinterpret_cast<const char*>(&given);
  for (std::size_t at = sizeof(concclConfig_t); at < given.size; at += sizeof(std::int32_t)) {
    std::int32_t word = 0;
    std::memcpy(&word, bytes + at, sizeof word);
    if (word == 0 || word == CONCCL_CONFIG_UNDEF_INT) continue;
    throw InputError(fmt::format(
        "config: sets an option at byte {} that this library ({}) does not have; the header is {}",
        at, CONCCL_VERSION_CODE, given.version));
  }
}

// The caller's structure may end before ours: what it lacks is undefined.
concclConfig_t complete(const concclConfig_t& given) {
  concclConfig_t whole = CONCCL_CONFIG_INITIALIZER;
  std::memcpy(&whole, &given, std::min(given.size, sizeof whole));
  return whole;
}

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

void read_fields(const concclConfig_t& config, Settings& settings) {
  if (config.name != nullptr) settings.options.name = config.name;
  if (config.backend != nullptr) settings.backend = config.backend;
  if (config.interface_name != nullptr) settings.meeting.interface = config.interface_name;
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
  if (config == nullptr) return settings;
  check_head(*config);
  check_unknown(*config);
  read_fields(complete(*config), settings);
  return settings;
}

}  // namespace conccl::capi
