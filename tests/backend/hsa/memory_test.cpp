// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

// Memory that other users of the runtime made, as hipMalloc does; memory of the host.

#include <limits>

#include "backend/hsa/library.hpp"
#include "tests/backend/hsa/support.hpp"

namespace conccl::backend::hsa {
namespace {

using testing::AllOf;
using testing::HasSubstr;

/// GPU 0's memory by the runtime's own calls.
class HsaMemory : public OnDouble {
 protected:
  [[nodiscard]] std::byte* allocate_elsewhere(Bytes bytes) {
    (void)backend();
    library_ = open_library();
    abi::hsa_agent_t gpu{};
    const auto first_gpu = [](abi::hsa_agent_t agent, void* data) {
      abi::hsa_device_type_t type{};
      (void)open_library().calls.hsa_agent_get_info(agent, abi::HSA_AGENT_INFO_DEVICE, &type);
      if (type != abi::HSA_DEVICE_TYPE_GPU) return abi::HSA_STATUS_SUCCESS;
      *static_cast<abi::hsa_agent_t*>(data) = agent;
      return abi::HSA_STATUS_INFO_BREAK;
    };
    EXPECT_EQ(library_.calls.hsa_iterate_agents(first_gpu, &gpu), abi::HSA_STATUS_INFO_BREAK);
    abi::hsa_amd_memory_pool_t pool{};
    const auto first_pool = [](abi::hsa_amd_memory_pool_t each, void* data) {
      *static_cast<abi::hsa_amd_memory_pool_t*>(data) = each;
      return abi::HSA_STATUS_INFO_BREAK;
    };
    EXPECT_EQ(library_.calls.hsa_amd_agent_iterate_memory_pools(gpu, first_pool, &pool),
              abi::HSA_STATUS_INFO_BREAK);
    void* pointer = nullptr;
    EXPECT_EQ(library_.calls.hsa_amd_memory_pool_allocate(pool, bytes, 0, &pointer),
              abi::HSA_STATUS_SUCCESS);
    return static_cast<std::byte*>(pointer);
  }
  void free_elsewhere(std::byte* memory) {
    EXPECT_EQ(library_.calls.hsa_amd_memory_pool_free(memory), abi::HSA_STATUS_SUCCESS);
  }

 private:
  Library library_;
};

TEST_F(HsaMemory, OfOthersIsKnownUntilTheyFreeIt) {
  auto* const memory = allocate_elsewhere(8192);
  const auto gpu = device(0);
  const auto found = gpu->allocation_of(memory + 100);
  ASSERT_TRUE(found.has_value());
  EXPECT_EQ(found->base, memory);
  EXPECT_EQ(found->bytes, 8192U);
  EXPECT_EQ(gpu->bytes_behind(memory + 100), 8092U);
  EXPECT_EQ(gpu->allocation_of(memory)->id, found->id);
  free_elsewhere(memory);
  EXPECT_TRUE(found->memory.expired());
  EXPECT_EQ(gpu->allocation_of(memory), std::nullopt);
}

TEST_F(HsaMemory, OfOthersIsReachedByAllGpus) {
  auto* const memory = allocate_elsewhere(kMiB);
  const auto last = device(7);
  const Memory source = last->allocate(kMiB);
  fill(*last, source, {3, 3});
  const auto copies = queue(*last, plan::Engine::dma);
  copies->copy(memory, source.data(), kMiB, {});
  finish(*copies);
  const auto owner = device(0);
  Comparison result;
  run(*owner, *owner->make_compare(memory, {{0, kMiB, {3, 3}, 0}}, result));
  EXPECT_EQ(result.compared, kMiB);
  EXPECT_EQ(result.mismatches, 0U);
  free_elsewhere(memory);
}

TEST_F(HsaMemory, OfOthersIsNotKnownIfItsEndIsNot) {
  std::string path = CONCCL_FAKE_HSA_PATH;
  path.replace(path.rfind("libfake-hsa.so"), std::string::npos,
               "libfake-hsa-without-hsa_amd_register_deallocation_callback.so");
  environment().set("CONCCL_HSA", path);
  EXPECT_THAT(backend().capabilities().warnings, testing::Contains(HasSubstr("hipMalloc")));
  auto* const memory = allocate_elsewhere(8192);
  const auto gpu = device(0);
  EXPECT_THAT(gpu->why_unusable(memory, 8192, Reach::between_processes).value_or("usable"),
              HasSubstr("allocate it from the device"));
  free_elsewhere(memory);
}

TEST_F(HsaMemory, OfTheHostIsCopiedByPiecesAtATime) {
  const auto gpu = device(0);
  const Memory target = gpu->allocate(10 * kKiB);
  std::vector<std::uint8_t> sent(10 * kKiB);
  for (std::size_t i = 0; i < sent.size(); ++i) sent[i] = static_cast<std::uint8_t>(i * 7);
  std::vector<std::uint8_t> received(sent.size());
  const auto copies = queue(*gpu, plan::Engine::dma);
  copies->copy(target.data(), sent.data(), sent.size(), {});
  finish(*copies);
  copies->copy(received.data(), target.data(), received.size(), {});
  for (Bytes at = 0; at < received.size(); at += kKiB) {
    copies->copy(received.data() + at, target.at(at), kKiB, {});
  }
  finish(*copies);
  EXPECT_EQ(received, sent);
  EXPECT_EQ(fake().get("locked"), 0);
}

TEST_F(HsaMemory, ThatIsNobodysIsNamed) {
  const auto gpu = device(0);
  const Memory target = gpu->allocate(64);
  const auto copies = queue(*gpu, plan::Engine::dma);
  copies->copy(target.data(), reinterpret_cast<void*>(std::uintptr_t{16}), 64, {});
  copies->submit();
  EXPECT_THAT(refusal<RunError>([&] { (void)copies->synchronize(kLimit); }),
              AllOf(HasSubstr("hsa_amd_memory_lock"), HasSubstr("64 bytes")));
  EXPECT_EQ(gpu->failure(), std::nullopt) << "the caller's mistake";
  const auto units = queue(*gpu, plan::Engine::compute);
  units->copy(target.data(), reinterpret_cast<void*>(std::uintptr_t{16}), 64, {});
  units->submit();
  EXPECT_THROW((void)units->synchronize(kLimit), RunError);
  fill(*gpu, target, {1, 1});
  EXPECT_EQ(mismatches(*gpu, target, {1, 1}), 0U) << "the GPU works on";
}

TEST_F(HsaMemory, IsNotMoreThanThereIs) {
  const auto gpu = device(0);
  for (const Bytes bytes : {Bytes{1} << 62, std::numeric_limits<Bytes>::max()}) {
    EXPECT_THAT(refusal<RunError>([&] { (void)gpu->allocate(bytes); }),
                AllOf(HasSubstr(std::to_string(bytes)), HasSubstr("GPU 0")));
  }
}

TEST_F(HsaMemory, IsGivenBackWhenItsLastOwnerGoes) {
  const auto gpu = device(0);
  const auto before = fake().get("allocations");
  Memory memory = gpu->allocate(64);
  const auto found = gpu->allocation_of(memory.data());
  ASSERT_TRUE(found.has_value());
  const Memory again = gpu->map(gpu->share(*found));
  EXPECT_EQ(again.data(), memory.data()) << "an allocation of this process is itself";
  memory = {};
  EXPECT_EQ(fake().get("allocations"), before + 1);
}

}  // namespace
}  // namespace conccl::backend::hsa
