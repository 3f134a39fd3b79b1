// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

#include "capi/versioned.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <climits>
#include <cstdint>
#include <cstring>

#include "conccl/conccl.h"
#include "conccl/core/errors.hpp"

namespace conccl::capi {
namespace {

constexpr std::size_t kMostBytes = 4096;  // more is no structure of any version

struct Head {
  std::size_t size;
  unsigned magic;
  unsigned version;
};
static_assert(sizeof(Head) == offsetof(concclConfig_t, name));
static_assert(sizeof(Head) == offsetof(concclGemm_t, m));

Head head_of(const void* data) {
  Head head{};
  std::memcpy(&head, data, sizeof head);
  return head;
}

void check_head(const GivenStruct& given, const Head& head, const Head& ours) {
  if (head.magic != ours.magic) {
    throw InputError(fmt::format("{}: not initialised with {}", given.what, given.initialiser));
  }
  if (head.version < CONCCL_VERSION(0, 1, 0)) {
    throw InputError(fmt::format("{}: version {}, expected at least {}", given.what, head.version,
                                 CONCCL_VERSION(0, 1, 0)));
  }
  if (head.size < sizeof(Head) || head.size > kMostBytes || head.size % alignof(void*) != 0) {
    throw InputError(
        fmt::format("{}: size {}, expected {} or so", given.what, head.size, ours.size));
  }
}

// Later versions keep to fields whose undefined value is 0, NULL or CONCCL_CONFIG_UNDEF_INT.
void check_unknown(const GivenStruct& given, const Head& head, std::size_t known) {
  const auto* bytes = static_cast<const char*>(given.data);
  for (std::size_t at = known; at < head.size; at += sizeof(std::int32_t)) {
    std::int32_t word = 0;
    std::memcpy(&word, bytes + at, sizeof word);
    if (word == 0 || word == CONCCL_CONFIG_UNDEF_INT) continue;
    throw InputError(fmt::format(
        "{}: sets an option at byte {} that this library ({}) does not have; the header is {}",
        given.what, at, CONCCL_VERSION_CODE, head.version));
  }
}

}  // namespace

void complete(const GivenStruct& given, void* whole, std::size_t size) {
  const Head head = head_of(given.data);
  check_head(given, head, head_of(whole));
  check_unknown(given, head, size);
  std::memcpy(whole, given.data, std::min(head.size, size));
}

}  // namespace conccl::capi
