// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

// What the machine does not have: enough memory, peer access.

#include "backend/cuda/device.hpp"
#include "conccl/core/errors.hpp"
#include "tests/faults/gpu/pair.hpp"

namespace conccl::test {
namespace {

using backend::cuda::CudaDevice;
using backend::cuda::facts_of;
using backend::cuda::Gpu;
using backend::cuda::GpuFacts;
using testing::HasSubstr;
using testing::ThrowsMessage;

TEST(OutOfMemory, IsNamedWithItsBytesAndTheCommunicatorGoesOn) {
  Pair pair;
  auto& device = pair.device(0);
  const Bytes whole = facts_of(0).memory;
  EXPECT_THAT([&] { (void)device.allocate(2 * whole); },
              ThrowsMessage<RunError>(HasSubstr(std::to_string(2 * whole) + " bytes")));
  std::vector<backend::Memory> held;
  const Bytes piece = whole / 8 / (2 * kMiB) * (2 * kMiB);
  EXPECT_THAT(
      [&] {
        for (int i = 0; i < 16; ++i) held.push_back(device.allocate(piece));
      },
      ThrowsMessage<RunError>(
          testing::AllOf(HasSubstr("OUT_OF_MEMORY"), HasSubstr(std::to_string(piece) + " bytes"))));
  held.clear();
  pair.expect_to_work(1);
}

/// A GPU as it would be described where no other can access its memory.
std::unique_ptr<CudaDevice> loner(int ordinal) {
  GpuFacts facts = facts_of(ordinal);
  facts.reach = {ordinal};
  return std::make_unique<CudaDevice>(std::make_shared<Gpu>(facts));
}

TEST(NoPeerAccess, IsNamedByACommunicatorOfOneProcess) {
  CONCCL_NEEDS_TWO_GPUS();
  const auto backend = backend::open_cuda();
  std::vector<std::unique_ptr<backend::Device>> devices;
  for (const int ordinal : {0, 1}) devices.push_back(loner(ordinal));
  EXPECT_THAT([&] { (void)comm::Communicator::init_all(*backend, devices); },
              ThrowsMessage<Unavailable>(
                  testing::AllOf(HasSubstr("rank 0 to rank 1"), HasSubstr("no peer access"))));
}

TEST(NoPeerAccess, IsNamedWhereMemoryOfAnotherProcessIsMapped) {
  CONCCL_NEEDS_TWO_GPUS();
  const auto backend = backend::open_cuda();
  const auto other = backend->open_device(1);
  const auto memory = other->allocate(kMiB);
  auto shared = other->share(other->allocation_of(memory.data()).value());
  shared.owner[0] ^= std::byte{1};
  EXPECT_THAT([&] { (void)loner(0)->map(std::move(shared)); },
              ThrowsMessage<RunError>(HasSubstr("no peer access")));
}

}  // namespace
}  // namespace conccl::test
