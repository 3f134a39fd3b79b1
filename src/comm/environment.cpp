// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

#include <fmt/format.h>

#include <charconv>
#include <cstdlib>
#include <optional>

#include "comm/meeting_point.hpp"
#include "comm/root.hpp"
#include "conccl/comm/unique_id.hpp"
#include "conccl/core/errors.hpp"

namespace conccl::comm {
namespace {

std::optional<std::string> variable(const char* name) {
  const char* const value = std::getenv(name);
  if (value == nullptr) return std::nullopt;
  return std::string(value);
}

std::string required(const char* name) {
  auto value = variable(name);
  if (!value) {
    throw InputError(fmt::format(
        "{} is not set; conccl run sets it, as RANK, WORLD_SIZE, MASTER_ADDR, MASTER_PORT and "
        "CONCCL_SECRET",
        name));
  }
  return std::move(*value);
}

/// Digits alone, from `low` to `high`.
int whole_number(const char* name, const std::string& text, int low, int high) {
  int value = 0;
  const char* const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, value);
  if (error != std::errc() || stop != end || value < low || value > high) {
    throw InputError(
        fmt::format("{}=\"{}\": expected a whole number from {} to {}", name, text, low, high));
  }
  return value;
}

Address master_address() {
  const std::string host = required("MASTER_ADDR");
  auto address = parse_host(host == "localhost" ? "127.0.0.1" : host);
  if (!address) {
    throw InputError(fmt::format(
        "MASTER_ADDR=\"{}\": expected a numeric address, as 127.0.0.1 or ::1, or localhost", host));
  }
  // A launcher may have its own service at MASTER_PORT, as torchrun has.
  const char* const name = variable("CONCCL_PORT") ? "CONCCL_PORT" : "MASTER_PORT";
  address->port = static_cast<std::uint16_t>(whole_number(name, required(name), 1, 65535));
  return *address;
}

Secret secret_of_run() {
  Secret secret;
  // The value itself is a password and stays out of messages.
  if (!from_hexadecimal(required("CONCCL_SECRET"), secret)) {
    throw InputError("CONCCL_SECRET: expected 32 hexadecimal digits");
  }
  return secret;
}

}  // namespace

bool launched_by_environment() { return variable("RANK").has_value(); }

Place place_from_environment() {
  Place place;
  place.ranks = whole_number("WORLD_SIZE", required("WORLD_SIZE"), 1, kMaxJoined);
  place.rank = whole_number("RANK", required("RANK"), 0, place.ranks - 1);
  const auto local = variable("LOCAL_RANK");
  place.local_rank = local ? whole_number("LOCAL_RANK", *local, 0, place.ranks - 1) : place.rank;
  return place;
}

UniqueId unique_id_from_environment(const MeetingOptions& options) {
  const Place place = place_from_environment();
  const MeetingPoint point{secret_of_run(), master_address(), Opening::later};
  if (place.rank == 0) open_root({point.address, point.secret, options.deadline});
  return pack(point);
}

}  // namespace conccl::comm
