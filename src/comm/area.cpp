// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

#include "comm/area.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <new>

#include "conccl/core/errors.hpp"

namespace conccl::comm {
namespace {

std::shared_ptr<void> owner_of(SharedSegment segment) {
  const auto owner = std::make_shared<SharedSegment>(std::move(segment));
  return {owner, owner->data()};
}

}  // namespace

HostPost host_post(Operation operation, std::span<const std::byte> data) {
  HostPost post;
  ensure(data.size() <= post.data.size(), "what is said on the host fits its slot");
  post.operation = operation;
  post.bytes = static_cast<std::uint32_t>(data.size());
  std::copy(data.begin(), data.end(), post.data.begin());
  return post;
}

HostPost host_post(const Post& post) {
  return host_post(post.operation, std::as_bytes(std::span(&post, 1)));
}

Post post_in(const HostPost& post) {
  static_assert(sizeof(Post) <= Communicator::kMaxExchange);
  Post found;
  std::memcpy(&found, post.data.data(), sizeof found);
  return found;
}

std::optional<std::string> mismatch(int rank_a, const HostPost& a, int rank_b, const HostPost& b) {
  if (a.operation == b.operation && a.operation != Operation::exchange) {
    return mismatch(rank_a, post_in(a), rank_b, post_in(b));
  }
  Post kind_a;
  Post kind_b;
  kind_a.operation = a.operation;
  kind_b.operation = b.operation;
  return mismatch(rank_a, kind_a, rank_b, kind_b);
}

Area::Area(std::shared_ptr<void> memory)
    : layout_(static_cast<AreaLayout*>(memory.get())),
      words_(std::make_unique<backend::HostFlags>(
          backend::Memory(std::move(memory), sizeof(AreaLayout::words)), kWords, nullptr)) {}

Area Area::in_process() { return Area(std::make_shared<AreaLayout>()); }

Area Area::shared(const std::string& label, FileDescriptor& segment) {
  auto created = SharedSegment::create(label, sizeof(AreaLayout));
  segment = created.descriptor().duplicate();
  auto memory = owner_of(std::move(created));
  new (memory.get()) AreaLayout;
  return Area(std::move(memory));
}

Area Area::map(FileDescriptor segment, Bytes bytes) {
  if (bytes != sizeof(AreaLayout)) {
    throw RunError(
        fmt::format("area of a peer: {} bytes, expected {}; all ranks must run the same "
                    "version",
                    bytes, sizeof(AreaLayout)));
  }
  return Area(owner_of(SharedSegment::map(std::move(segment), bytes)));
}

}  // namespace conccl::comm
