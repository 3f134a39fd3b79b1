// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

#include "bench/evidence/records.hpp"

#include <utility>

namespace conccl::bench {
namespace {

Bytes& share_of(Traffic& traffic, const CopyRecord& copy) {
  const bool engine = copy.type == ChannelType::copy_engine;
  if (copy.kind == CopyKind::host) return traffic.host;
  if (copy.kind == CopyKind::peer) {
    return engine ? traffic.peer_by_copy_engine : traffic.peer_otherwise;
  }
  return engine ? traffic.local_by_copy_engine : traffic.local_otherwise;
}

}  // namespace

Traffic traffic_of(const Evidence& evidence) {
  Traffic traffic;
  std::set<std::pair<int, std::uint32_t>> channels;
  for (const auto& copy : evidence.copies) {
    share_of(traffic, copy) += copy.bytes;
    if (copy.type == ChannelType::copy_engine && copy.kind != CopyKind::host) {
      channels.emplace(copy.device, copy.channel);
    }
  }
  traffic.copy_channels = static_cast<int>(channels.size());
  return traffic;
}

Traffic operator+(const Traffic& a, const Traffic& b) {
  return {a.peer_by_copy_engine + b.peer_by_copy_engine,
          a.peer_otherwise + b.peer_otherwise,
          a.local_by_copy_engine + b.local_by_copy_engine,
          a.local_otherwise + b.local_otherwise,
          a.host + b.host,
          a.copy_channels + b.copy_channels};
}

std::set<std::string> kernel_names(const Evidence& evidence) {
  std::set<std::string> names;
  for (const auto& kernel : evidence.kernels) names.insert(kernel.name);
  return names;
}

}  // namespace conccl::bench
