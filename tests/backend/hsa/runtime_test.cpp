// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

// Runtimes that lack something, and what is said of them.

#include <sys/wait.h>
#include <unistd.h>

#include <set>

#include "tests/backend/hsa/support.hpp"

namespace conccl::backend::hsa {
namespace {

using testing::AllOf;
using testing::Contains;
using testing::HasSubstr;
using testing::Not;

using HsaRuntime = OnDouble;

/// The double without one of its calls.
std::string without(const std::string& call) {
  std::string path = CONCCL_FAKE_HSA_PATH;
  return path.replace(path.rfind("libfake-hsa.so"), std::string::npos,
                      "libfake-hsa-without-" + call + ".so");
}

TEST_F(HsaRuntime, IsWhatItSays) {
  const Capabilities& found = backend().capabilities();
  EXPECT_EQ(found.backend, "hsa");
  EXPECT_EQ(found.distinct_devices, 8);
  EXPECT_EQ(found.dma_engines, 14) << "of 16, two are for the host";
  EXPECT_FALSE(found.emulation) << "the backend does not know that this is a double";
  EXPECT_THAT(found.warnings, Contains(HasSubstr("never run on an AMD GPU")));
  EXPECT_THAT(backend().machine().name, HasSubstr("8x AMD Instinct MI300X"));
}

TEST_F(HsaRuntime, ThatIsTooOldIsNamedWithWhatItLacks) {
  const std::string call = "hsa_amd_memory_async_copy_on_engine";
  environment().set("CONCCL_HSA", without(call));
  EXPECT_THAT(refusal<Unavailable>([&] { (void)backend(); }),
              AllOf(HasSubstr("too old"), HasSubstr(call), HasSubstr("ROCm 5.6")));
}

TEST_F(HsaRuntime, MayLackWhatOnlyAdvises) {
  for (const auto* call :
       {"hsa_amd_memory_copy_engine_status", "hsa_amd_memory_get_preferred_copy_engine",
        "hsa_amd_memory_async_batch_copy", "hsa_amd_profiling_get_async_copy_time",
        "hsa_amd_register_deallocation_callback"}) {
    SCOPED_TRACE(call);
    environment().set("CONCCL_HSA", without(call));
    const auto first = device(0);
    const auto second = device(1);
    const Memory source = first->allocate(kMiB);
    const Memory target = second->allocate(kMiB);
    fill(*first, source, {1, 1});
    first->start_timeline();
    const auto copies = queue(*first, plan::Engine::dma);
    copies->copy(target.data(), source.data(), kMiB, {});
    finish(*copies);
    EXPECT_EQ(mismatches(*second, target, {1, 1}), 0U);
    EXPECT_FALSE(first->take_timeline().spans.empty());
    close();
  }
}

TEST_F(HsaRuntime, WithoutKernelsStillMovesBytes) {
  environment().set("CONCCL_HSA", without("hsa_queue_create"));
  EXPECT_THAT(backend().capabilities().warnings,
              Contains(AllOf(HasSubstr("byte checks are missing"), HasSubstr("hsa_queue_create"))));
  const auto first = device(0);
  const auto second = device(1);
  const Memory source = first->allocate(4096);
  const Memory target = second->allocate(4096);
  std::vector<char> sent(4096, 'x');
  std::vector<char> received(4096, 'y');
  const auto copies = queue(*first, plan::Engine::dma);
  copies->copy(source.data(), sent.data(), sent.size(), {});
  finish(*copies);
  copies->copy(target.data(), source.data(), sent.size(), {});
  finish(*copies);
  copies->copy(received.data(), target.data(), sent.size(), {});
  finish(*copies);
  EXPECT_EQ(received, sent);
  const auto poison = first->make_poison(source.data(), source.bytes());
  const auto units = queue(*first, plan::Engine::compute);
  units->compute(*poison, {});
  units->submit();
  EXPECT_THAT(refusal<Unavailable>([&] { (void)units->synchronize(kLimit); }),
              HasSubstr("hsa_queue_create"));
}

TEST_F(HsaRuntime, WorkThatNeverStartedIsNoResult) {
  environment().set("CONCCL_HSA", without("hsa_queue_create"));
  const auto gpu = device(0);
  const auto flags = gpu->make_flags(1);
  const Memory memory = gpu->allocate(4096);
  const auto task = gpu->make_poison(memory.data(), 4096);
  const auto units = queue(*gpu, plan::Engine::compute);
  const auto later = queue(*gpu, plan::Engine::dma);
  units->compute(*task, {});
  units->signal({flags.get(), 0}, 1);
  later->after(*units);
  units->submit();
  EXPECT_THROW((void)units->synchronize(kLimit), Unavailable);
  EXPECT_TRUE(flags->poisoned());
  later->submit();
  EXPECT_TRUE(later->synchronize(kLimit)) << "a queue that comes after is let go";
  EXPECT_EQ(gpu->failure(), std::nullopt) << "the GPU can do what it can";
}

TEST_F(HsaRuntime, WithoutADeviceIsSaid) {
  fake().set("init_status", 0x1008);
  EXPECT_THAT(refusal<Unavailable>([&] { (void)backend(); }),
              AllOf(HasSubstr("no device"), HasSubstr("HSA_STATUS_ERROR_OUT_OF_RESOURCES")));
  fake().reset();
  fake().set("gpus", 0);
  EXPECT_THAT(refusal<Unavailable>([&] { (void)backend(); }), HasSubstr("no device"));
}

TEST_F(HsaRuntime, ThatWouldCopyOnComputeUnitsIsRefused) {
  for (const auto* variable : {"HSA_ENABLE_SDMA", "HSA_ENABLE_PEER_SDMA"}) {
    environment().set(variable, "0");
    EXPECT_THAT(refusal<Unavailable>([&] { (void)backend(); }),
                AllOf(HasSubstr(std::string(variable) + "=0"), HasSubstr("compute units")));
    environment().set(variable, std::nullopt);
  }
}

TEST_F(HsaRuntime, VariablesOfItsOwnAreReported) {
  environment().set("HSA_ENABLE_SDMA_GANG", "1");
  EXPECT_THAT(backend().capabilities().warnings, Contains(HasSubstr("HSA_ENABLE_SDMA_GANG=1")));
}

TEST_F(HsaRuntime, BadVariablesOfThisBackendAreWrongUsage) {
  environment().set("CONCCL_HSA_ENGINES", "two");
  EXPECT_THAT(refusal<InputError>([&] { (void)backend(); }), HasSubstr("CONCCL_HSA_ENGINES"));
}

TEST_F(HsaRuntime, IsClosedWithItsLastUser) {
  {
    const auto first = device(0);
    const Memory memory = first->allocate(100);
    fill(*first, memory, {1, 1});
  }
  close();
  for (const auto* kind : {"allocations", "signals", "queues", "locked", "imports", "running"}) {
    EXPECT_EQ(fake().get(kind), 0) << kind;
  }
  fake().set("gpus", 2);
  EXPECT_EQ(backend().capabilities().distinct_devices, 2) << "opened anew";
}

TEST_F(HsaRuntime, IsNotForAForkedChild) {
  const auto first = device(0);
  const pid_t child = fork();
  if (child == 0) {
    const auto said = refusal<RunError>([&] { (void)first->allocate(100); });
    _exit(said.find("forked") != std::string::npos ? 0 : 1);
  }
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0);
}

}  // namespace
}  // namespace conccl::backend::hsa
