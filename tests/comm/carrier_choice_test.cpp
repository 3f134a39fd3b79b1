// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

// What `Policy::automatic` takes on a machine that is known, told of the GEMM or not.

#include <regex>

#include "comm/carrier_choice.hpp"
#include "conccl/core/errors.hpp"
#include "conccl/core/log.hpp"
#include "tests/comm/capture_support.hpp"
#include "tests/support/machine_file.hpp"

namespace conccl::test {
namespace {

using comm::Policy;
using plan::Collective;
using testing::AllOf;
using testing::Each;
using testing::ElementsAre;
using testing::HasSubstr;

constexpr int kTwo = 2;
constexpr GemmSpec kGemm{{4096, 4096, 4096}};
constexpr GemmSpec kOtherGemm{{8192, 4096, 4096}};
constexpr std::uint64_t kFewBytes = 100'000;

comm::Options on(const MachineFile& file, Policy policy = Policy::automatic) {
  comm::Options options = World::patient();
  options.machine = file.path();
  options.policy = policy;
  return options;
}

/// Lines of the log while it lives.
class Lines {
 public:
  Lines() {
    set_log_sink([this](LogLevel level, std::string_view line) {
      if (level == LogLevel::info) lines_.emplace_back(line);
    });
  }
  ~Lines() { set_log_sink({}); }

  [[nodiscard]] std::vector<std::string> take() { return std::exchange(lines_, {}); }

 private:
  std::vector<std::string> lines_;
};

/// Two ranks on a machine file with these costs of DMA engines.
class CarrierTest : public testing::Test {
 protected:
  CarrierTest() { join(kMediumDma); }

  void join(const std::string& dma_launch, Policy policy = Policy::automatic) {
    file_.emplace(host_machine(kTwo, dma_launch));
    comms_ = world_.more_communicators(on(*file_, policy));
  }

  void tell(const std::optional<GemmSpec>& gemm) {
    for (auto& comm : comms_) comm.concurrent_compute(gemm);
  }

  /// What carried one collective of every rank; its bytes are checked.
  std::string carrier(Collective collective = Collective::all_gather,
                      std::uint64_t count = kFewBytes) {
    std::vector<comm::Statistics> before;
    for (auto& comm : comms_) before.push_back(comm.statistics());
    Exchange exchange(world_, comms_, {collective, count}, 5);
    exchange.call_all();
    world_.synchronize();
    EXPECT_TRUE(exchange.right());
    std::string all;
    for (std::size_t rank = 0; rank < comms_.size(); ++rank) {
      const auto now = comms_[rank].statistics();
      EXPECT_EQ(now.dma + now.compute, before[rank].dma + before[rank].compute + 1);
      all += now.dma > before[rank].dma ? " dma" : " compute";
    }
    return all;
  }

  World world_{kTwo};
  std::optional<MachineFile> file_;
  std::vector<comm::Communicator> comms_;
};

TEST_F(CarrierTest, NotToldItGoesBySize) {
  EXPECT_EQ(carrier(), " compute compute");
  EXPECT_EQ(carrier(Collective::all_to_all, 32 * kMiB), " dma dma");
}

TEST_F(CarrierTest, ToldItGoesByTheGemmUntilToldOtherwise) {
  tell(kGemm);
  EXPECT_EQ(carrier(), " dma dma");
  EXPECT_EQ(carrier(Collective::all_to_all), " dma dma");
  tell({});
  EXPECT_EQ(carrier(), " compute compute");
  tell(kGemm);
  EXPECT_EQ(carrier(), " dma dma");
}

TEST_F(CarrierTest, KernelsWinWhereEnginesAreSlow) {
  join(kSlowDma);
  tell(kGemm);
  EXPECT_EQ(carrier(), " compute compute");
  EXPECT_EQ(carrier(Collective::all_to_all, kMiB), " compute compute");
}

TEST_F(CarrierTest, EachChoiceIsSaidOnce) {
  Lines lines;
  carrier();
  EXPECT_THAT(lines.take(),
              ElementsAre(AllOf(HasSubstr("rank 0: all_gather of 200000 beside no GEMM that is "),
                                HasSubstr("known on compute units: by the size alone, 0.1")),
                          HasSubstr("rank 1: all_gather of 200000 beside")));
  tell(kGemm);
  carrier();
  EXPECT_THAT(lines.take(), ElementsAre(HasSubstr("bf16 on DMA engines: conccl, because "),
                                        HasSubstr("bf16 on DMA engines: conccl, because ")));
  carrier();
  tell({});
  carrier();
  EXPECT_THAT(lines.take(), testing::IsEmpty());
}

TEST_F(CarrierTest, OtherPoliciesAreNotAsked) {
  Lines lines;
  join(kSlowDma, Policy::dma);
  tell(kGemm);
  EXPECT_EQ(carrier(), " dma dma");
  join(kQuickDma, Policy::compute);
  tell(kGemm);
  EXPECT_EQ(carrier(), " compute compute");
  EXPECT_THAT(lines.take(), testing::IsEmpty());
}

TEST_F(CarrierTest, WithoutAMachineItIsDma) {
  comms_ = world_.more_communicators(World::patient());
  tell(GemmSpec{kGemm.shape, GemmType::fp8});
  EXPECT_EQ(carrier(), " dma dma");
}

TEST_F(CarrierTest, NoBytesAreNoQuestion) {
  Lines lines;
  EXPECT_EQ(carrier(Collective::all_gather, 0), " dma dma");
  EXPECT_THAT(lines.take(), testing::IsEmpty());
}

TEST_F(CarrierTest, AGroupsCallsGoByWhatWasToldBeforeThem) {
  Exchange first(world_, comms_, {Collective::all_gather, kFewBytes}, 1);
  Exchange second(world_, comms_, {Collective::all_gather, kFewBytes}, 2);
  comm::Group group;
  for (int rank = 0; rank < kTwo; ++rank) first.call(rank);
  tell(kGemm);
  for (int rank = 0; rank < kTwo; ++rank) second.call(rank);
  group.end();
  world_.synchronize();
  EXPECT_TRUE(first.right() && second.right());
  for (auto& comm : comms_) {
    EXPECT_EQ(comm.statistics().compute, 1U);
    EXPECT_EQ(comm.statistics().dma, 1U);
  }
}

TEST_F(CarrierTest, GemmsThatDifferAreNamed) {
  for (const bool windowed : {false, true}) {
    join(kMediumDma);
    Exchange exchange(world_, comms_,
                      {Collective::all_gather, kFewBytes, DataType::uint8, {}, 0, windowed}, 3);
    comms_[0].concurrent_compute(kGemm);
    comms_[1].concurrent_compute(kOtherGemm);
    const auto named = AllOf(HasSubstr("concurrent GEMM of all_gather differs between ranks"),
                             HasSubstr("rank 0 has 4096x4096x4096 bf16"),
                             HasSubstr("rank 1 has 8192x4096x4096 bf16"));
    const auto outcomes = on_each_rank(kTwo, [&](int rank) { exchange.call(rank); });
    world_.synchronize();
    if (!windowed) {
      EXPECT_THAT(outcomes, Each(named));
    }
    for (auto& comm : comms_) EXPECT_THAT(comm.async_error().value_or(""), named);
  }
}

TEST_F(CarrierTest, OneRankThatWasNotToldIsNamed) {
  Exchange exchange(world_, comms_, {Collective::all_to_all, kFewBytes}, 3);
  comms_[1].concurrent_compute(kGemm);
  EXPECT_THAT(on_each_rank(kTwo, [&](int rank) { exchange.call(rank); }),
              Each(AllOf(HasSubstr("rank 0 has none"), HasSubstr("rank 1 has 4096x4096x4096"))));
}

TEST_F(CarrierTest, AGemmThatIsNoneChangesNothing) {
  tell(kGemm);
  for (const GemmShape shape : {GemmShape{0, 1, 1}, {1, -1, 1}, {1, 1, std::int64_t{1} << 31U}}) {
    EXPECT_THROW(comms_[0].concurrent_compute(GemmSpec{shape}), InputError);
  }
  try {
    comms_[0].concurrent_compute(GemmSpec{kGemm.shape, GemmType::fp8});
    FAIL() << "the file has no peak of fp8";
  } catch (const InputError& error) {
    EXPECT_THAT(error.what(), HasSubstr("fp8"));
  }
  EXPECT_EQ(carrier(), " dma dma");
}

/// What making communicators on such a file throws.
std::string refusal(World& world, const std::string& machine) {
  comm::Options options = World::patient();
  options.machine = machine;
  try {
    static_cast<void>(world.more_communicators(options));
  } catch (const InputError& error) {
    return error.what();
  }
  return "nothing";
}

TEST_F(CarrierTest, AFileThatIsNotOfTheseRanksIsNamed) {
  const auto text = host_machine(kTwo, kQuickDma);
  const auto refused = [&](const std::string& content) {
    const MachineFile file(content);
    const auto why = refusal(world_, file.path());
    EXPECT_THAT(why, testing::StartsWith(file.path()));
    return why;
  };
  EXPECT_THAT(refused("name = \"x\"\nbackend = 7\n"), HasSubstr(":2:"));
  EXPECT_THAT(refused(host_machine(3, kQuickDma)), HasSubstr("3 devices; expected 2"));
  EXPECT_THAT(refused(std::regex_replace(text, std::regex("\"host\""), "\"cuda\"")),
              HasSubstr("backend cuda; expected host"));
  EXPECT_THAT(refused(text.substr(0, text.find("[baseline.all_to_all]"))),
              HasSubstr("baseline.all_to_all is not known"));
  EXPECT_THAT(refusal(world_, "mi300x"), HasSubstr("mi300x: machine \"8x MI300X\": backend hsa"));
  EXPECT_THAT(refusal(world_, "/no/such/file"), HasSubstr("/no/such/file"));
}

TEST_F(CarrierTest, ARanksMachineIsComparedWhenRanksJoin) {
  const MachineFile other(host_machine(kTwo, kSlowDma));
  const auto id = comm::make_unique_id();
  const auto outcomes = on_each_rank(kTwo, [&](int rank) {
    static_cast<void>(comm::Communicator::init_rank(*world_.backend, world_.device(rank), id,
                                                    {rank, kTwo}, on(rank == 0 ? *file_ : other)));
  });
  EXPECT_THAT(outcomes, Each(AllOf(HasSubstr("options differ"), HasSubstr("machine="))));
}

TEST(CarrierChoice, ForgetsWhatIsTooMuch) {
  const MachineFile file(host_machine(kTwo, kQuickDma));
  comm::CarrierChoice choice(comm::machine_for(file.path(), "host", kTwo));
  for (Bytes block = 1; block <= comm::CarrierChoice::kCapacity; ++block) {
    EXPECT_NE(choice.choose({Collective::all_gather, kTwo, block}).news, "");
  }
  EXPECT_EQ(choice.choose({Collective::all_gather, kTwo, 1}).news, "");
  EXPECT_NE(choice.choose({Collective::all_to_all, kTwo, 1}).news, "");
  EXPECT_NE(choice.choose({Collective::all_gather, kTwo, 1}).news, "");
}

/// Captured collectives on a machine where a GEMM makes the difference.
class CapturedCarrier : public Capture {
 protected:
  CapturedCarrier() : CapturedCarrier(std::make_unique<MachineFile>(host_machine(3, kMediumDma))) {}
  explicit CapturedCarrier(std::unique_ptr<MachineFile> file) : Capture(3, on(*file)) {}

  void tell(int rank, const std::optional<GemmSpec>& gemm) {
    world().comm(rank).concurrent_compute(gemm);
  }
};

TEST_F(CapturedCarrier, KeepsWhatWasChosen) {
  const auto graphs = capture([&](int rank) {
    tell(rank, kGemm);
    all_gather(rank);
    tell(rank, {});
    all_to_all(rank);
  });
  for (int rank = 0; rank < ranks(); ++rank) {
    EXPECT_EQ(world().comm(rank).statistics().dma, 1U);
    EXPECT_EQ(world().comm(rank).statistics().compute, 1U);
  }
  for (int round = 0; round < 5; ++round) {
    fill(round);
    launch(graphs);
    expect_exchanged(round);
  }
}

TEST_F(CapturedCarrier, GemmsThatDifferAreNamed) {
  const auto outcomes = on_each_rank(ranks(), [&](int rank) {
    stream(rank).begin();
    tell(rank, rank == 2 ? kOtherGemm : kGemm);
    all_gather(rank);
  });
  EXPECT_THAT(outcomes,
              Each(AllOf(HasSubstr("concurrent GEMM"), HasSubstr("rank 2 has 8192x4096x4096"))));
}

}  // namespace
}  // namespace conccl::test
