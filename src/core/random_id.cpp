// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

#include "conccl/core/random_id.hpp"

#include <fmt/format.h>
#include <sys/random.h>

#include <cerrno>
#include <cstring>

#include "conccl/core/errors.hpp"

namespace conccl {

std::array<std::byte, 16> random_id() {
  std::array<std::byte, 16> id{};
  while (true) {
    const ssize_t got = getrandom(id.data(), id.size(), 0);
    if (got == static_cast<ssize_t>(id.size())) return id;
    if (got < 0 && errno != EINTR) {
      throw RunError(fmt::format("getrandom: {}", std::strerror(errno)));
    }
  }
}

}  // namespace conccl
