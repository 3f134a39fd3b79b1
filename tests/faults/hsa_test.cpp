// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

// Ranks in processes of their own on the HSA backend, each with a double of the runtime; memory
// goes from one to the other by handles, flags lie in shared memory of the host.

#include <fmt/format.h>

#include "tests/faults/crew.hpp"
#include "tests/faults/leftovers.hpp"
#include "tests/support/environment.hpp"

namespace conccl::test {
namespace {

using testing::AllOf;
using testing::Each;
using testing::HasSubstr;

constexpr std::chrono::milliseconds kDeadline = 20s;

class HsaProcesses : public testing::Test {
 protected:
  /// What every process's double is told.
  void tell_doubles(const std::string& settings) { environment_.set("CONCCL_FAKE_HSA", settings); }
  void set(const std::string& name, const std::string& value) { environment_.set(name, value); }

  /// What each rank says to a command that fails.
  static std::vector<std::string> refusals(Crew& crew, const std::string& command) {
    crew.tell_all(command);
    std::vector<std::string> texts;
    for (int rank = 0; rank < crew.size(); ++rank) {
      const auto answer = crew[rank].answer(kPatience);
      texts.push_back(answer.ok() ? "no error" : answer.text);
    }
    return texts;
  }

 private:
  Environment environment_;
};

TEST_F(HsaProcesses, TwoToEightMoveEveryByte) {
  for (const int ranks : {2, 3, 8}) {
    SCOPED_TRACE(ranks);
    Crew crew(ranks);
    crew.join(kDeadline);
    crew.tell_all("windows 1048576");
    crew.all_ok();
    std::uint64_t round = 0;
    for (const auto* buffers : {"window", "ordinary"}) {
      for (const auto* collective : {"all_gather", "all_to_all"}) {
        for (const int count : {1, 777, 100'000}) {
          crew.tell_all(fmt::format("call {} {} {} uint8 {}", collective, buffers, count, ++round));
          crew.all_ok();
        }
      }
    }
    crew.tell_all("leave");
    crew.all_ok();
  }
}

TEST_F(HsaProcesses, MemoryThatCannotBeAttachedIsNamed) {
  tell_doubles("attach_fails=1");
  Crew crew(2);
  crew.join(kDeadline);
  EXPECT_THAT(refusals(crew, "windows 8192"),
              Each(AllOf(HasSubstr("hsa_amd_ipc_memory_attach"), HasSubstr("8192 bytes"))));
}

TEST_F(HsaProcesses, ACopyThatFailsIsEverybodysFailure) {
  tell_doubles("fail_copy_at=2");
  Crew crew(3);
  crew.join(kDeadline);
  crew.tell_all("windows 8192");
  crew.all_ok();
  EXPECT_THAT(refusals(crew, "call all_gather window 100 uint8 1"),
              Each(AllOf(HasSubstr("copy of 100 bytes"), HasSubstr("failed with signal value"))));
}

TEST_F(HsaProcesses, ALostCompletionIsEverybodysFailure) {
  tell_doubles("lose_completion_at=2");
  set("CONCCL_HSA_DEADLINE", "0.5");
  Crew crew(3);
  crew.join(kDeadline);
  crew.tell_all("windows 8192");
  crew.all_ok();
  EXPECT_THAT(refusals(crew, "call all_to_all window 100 uint8 1"), Each(HasSubstr("not ended")));
}

}  // namespace
}  // namespace conccl::test
