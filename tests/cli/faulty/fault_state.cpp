// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

#include "tests/cli/faulty/fault_state.hpp"

#include <unistd.h>

#include <cstdlib>
#include <string>

#include "conccl/core/errors.hpp"
#include "conccl/core/shared_segment.hpp"

namespace conccl::test {
namespace {

constexpr const char* kSegmentVariable = "CONCCL_FAULT_SEGMENT";
constexpr Bytes kSegmentBytes = backend::HostFlags::bytes_for(kMostRanks);

SharedSegment open_segment() {
  const char* const inherited = std::getenv(kSegmentVariable);
  if (inherited == nullptr) return SharedSegment::create("conccl-faulty", kSegmentBytes);
  return SharedSegment::map(FileDescriptor(::dup(std::atoi(inherited))), kSegmentBytes);
}

backend::Memory compares_memory() {
  const auto segment = std::make_shared<SharedSegment>(open_segment());
  return {std::shared_ptr<void>(segment, segment->data()), segment->bytes()};
}

}  // namespace

void share_compares_with_children() {
  if (std::getenv(kSegmentVariable) != nullptr) return;
  const auto segment = SharedSegment::create("conccl-faulty", kSegmentBytes);
  // A plain duplicate is not closed by exec.
  const int inherited = ::dup(segment.descriptor().get());
  ::setenv(kSegmentVariable, std::to_string(inherited).c_str(), 1);
}

FaultState::FaultState(Fault fault)
    : fault_(fault),
      compares_(std::make_unique<backend::HostFlags>(compares_memory(), kMostRanks, nullptr)) {}

Fault fault_from_environment() {
  const char* const value = std::getenv("CONCCL_FAULT");
  const std::string_view name = value == nullptr ? "" : value;
  if (name.empty()) return Fault::none;
  if (name == "drop") return Fault::drop;
  if (name == "shift") return Fault::shift;
  if (name == "stale") return Fault::stale;
  if (name == "late") return Fault::late;
  throw InputError("CONCCL_FAULT: \"" + std::string(name) +
                   "\" is not one of drop, shift, stale, late");
}

void FaultState::add_memory(int device, const std::shared_ptr<void>& memory, Bytes bytes) {
  allocations_[static_cast<const std::byte*>(memory.get())] = {memory, bytes, device};
}

const FaultState::Allocation* FaultState::find(const void* address) const {
  const auto* const wanted = static_cast<const std::byte*>(address);
  auto after = allocations_.upper_bound(wanted);
  if (after == allocations_.begin()) return nullptr;
  const auto& [begin, allocation] = *--after;
  const bool inside = wanted < begin + allocation.bytes && !allocation.memory.expired();
  return inside ? &allocation : nullptr;
}

int FaultState::owner_of(const void* address) const {
  const auto* const allocation = find(address);
  return allocation == nullptr ? -1 : allocation->device;
}

std::shared_ptr<void> FaultState::share(const void* address) const {
  const auto* const allocation = find(address);
  return allocation == nullptr ? nullptr : allocation->memory.lock();
}

Shadow& FaultState::shadow_to_fill(backend::Device& device, const std::byte* data, Bytes bytes) {
  Shadow& shadow = shadows_[data];
  if (shadow.bytes != bytes) {
    shadow = {data, bytes, 0, {device.allocate(bytes), device.allocate(bytes)}};
  }
  ++shadow.fills;
  return shadow;
}

const std::byte* FaultState::previous(const std::byte* source, Bytes bytes) const {
  auto after = shadows_.upper_bound(source);
  if (after == shadows_.begin()) return nullptr;
  const Shadow& shadow = (--after)->second;
  if (source + bytes > shadow.data + shadow.bytes || shadow.fills < 2) return nullptr;
  return shadow.kept[(shadow.fills - 1) % 2].at(static_cast<Bytes>(source - shadow.data));
}

void FaultState::release_late_copies() { compares_->poison(); }

}  // namespace conccl::test
