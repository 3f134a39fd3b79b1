// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

// Every C3 strategy through a communicator: which unit ran each chunk and tile, and in what order.
//
// Starts and ends are read by the units themselves, so a unit may be delayed between taking a piece
// and reading its start. What is asserted holds all the same: a piece was taken between the end of
// the piece before on its unit and its own start.

#include <algorithm>
#include <map>
#include <set>

#include "conccl/c3/strategy.hpp"
#include "conccl/core/errors.hpp"
#include "tests/comm/support.hpp"

namespace conccl::test {
namespace {

using c3::BudgetKind;
using plan::Span;

constexpr int kRanks = 2;
constexpr Bytes kBlock = 6 * kMiB + 5;  // two dozen chunks a copy
constexpr GemmShape kShape{256, 512, 128};

/// A span, and when its unit was free to take it.
struct Piece {
  Span span;
  Nanoseconds free{};
};

bool is_chunk(const Piece& piece) { return piece.span.bytes > 0; }
bool is_tile(const Piece& piece) { return piece.span.bytes == 0; }

std::vector<Piece> pieces_of(plan::Timeline timeline) {
  std::stable_sort(timeline.spans.begin(), timeline.spans.end(),
                   [](const Span& a, const Span& b) { return a.start < b.start; });
  std::map<std::string, Nanoseconds> ends;
  std::vector<Piece> pieces;
  for (const Span& span : timeline.spans) {
    pieces.push_back({span, ends[span.unit]});
    ends[span.unit] = span.end;
  }
  return pieces;
}

/// What ran on one rank.
struct Record {
  std::vector<Piece> chunks;
  std::vector<Piece> tiles;

  [[nodiscard]] static std::set<std::string> units(const std::vector<Piece>& pieces) {
    std::set<std::string> names;
    for (const Piece& piece : pieces) names.insert(piece.span.unit);
    return names;
  }
};

std::set<std::string> compute_units(int first, int end) {
  std::set<std::string> names;
  for (int unit = first; unit < end; ++unit) names.insert("compute" + std::to_string(unit));
  return names;
}

/// Two ranks that run one plan with a GEMM each.
class Overlap {
 public:
  explicit Overlap(plan::Collective collective) : trial_{collective, kBlock} {
    for (int rank = 0; rank < kRanks; ++rank) {
      gemms_.push_back(world_.device(rank).make_gemm({kShape}, static_cast<std::uint64_t>(rank)));
      world_.stream(rank).compute(*gemms_.back(), {rank, 0});
      world_.stream(rank).submit();
    }
    world_.synchronize();
    for (const auto& gemm : gemms_) {
      gemm->keep_reference();
      gemm->poison_result();
    }
  }

  [[nodiscard]] c3::DeviceShape shape() const {
    const auto& found = world_.backend->capabilities();
    return {found.compute_units, found.dma_engines};
  }

  /// Runs the strategy, checks every byte, and returns what ran where.
  [[nodiscard]] std::vector<Record> run(const c3::Strategy& strategy, int budget) {
    Exchange exchange(world_, trial_, 5);
    const c3::C3Request request{strategy, {trial_.collective, kRanks, kBlock}, shape(), budget};
    const plan::Plan plan = c3::c3_plan(request);
    for (auto& device : world_.devices) device->start_timeline();
    launch(plan, exchange);
    world_.synchronize();
    world_.comms.clear();  // its queues are idle then
    EXPECT_TRUE(exchange.right());
    for (const auto& gemm : gemms_) EXPECT_EQ(gemm->mismatches(), 0U);
    return records();
  }

 private:
  void launch(const plan::Plan& plan, Exchange& exchange) {
    std::vector<backend::Task*> tasks;
    for (const auto& gemm : gemms_) tasks.push_back(gemm.get());
    comm::Group group;
    for (int rank = 0; rank < kRanks; ++rank) {
      const std::span<backend::Task* const> mine(&tasks[World::at(rank)], 1);
      world_.comm(rank).run({&plan.ranks[World::at(rank)],
                             plan.request,
                             plan.flags,
                             exchange.send(rank),
                             exchange.recv(rank),
                             mine,
                             {}},
                            world_.stream(rank));
    }
    group.end();
  }

  std::vector<Record> records() {
    std::vector<Record> found;
    for (auto& device : world_.devices) {
      const auto pieces = pieces_of(device->take_timeline());
      Record record;
      std::copy_if(pieces.begin(), pieces.end(), std::back_inserter(record.chunks), is_chunk);
      std::copy_if(pieces.begin(), pieces.end(), std::back_inserter(record.tiles), is_tile);
      found.push_back(std::move(record));
    }
    return found;
  }

  World world_{kRanks};
  Trial trial_;
  std::vector<std::unique_ptr<backend::Gemm>> gemms_;
};

void expect_whole(const Record& record) {
  Bytes moved = 0;
  for (const Piece& chunk : record.chunks) moved += chunk.span.bytes;
  EXPECT_EQ(moved, kRanks * kBlock) << "a rank moves its own block and one per peer";
  EXPECT_GE(record.tiles.size(), 8U);
}

/// Chunks that ran while a tile of the rank was still to end.
int chunks_before_the_gemm_ended(const Record& record) {
  Nanoseconds end{};
  for (const Piece& tile : record.tiles) end = std::max(end, tile.span.end);
  return static_cast<int>(
      std::count_if(record.chunks.begin(), record.chunks.end(),
                    [end](const Piece& chunk) { return chunk.span.start < end; }));
}

/// Tiles that were surely taken after the first chunk.
int tiles_behind_chunks(const Record& record) {
  const Nanoseconds first = record.chunks.front().span.start;
  return static_cast<int>(std::count_if(record.tiles.begin(), record.tiles.end(),
                                        [first](const Piece& tile) { return tile.free >= first; }));
}

int tiles_before_any_chunk(const Record& record) {
  const Nanoseconds first = record.chunks.front().span.start;
  return static_cast<int>(
      std::count_if(record.tiles.begin(), record.tiles.end(),
                    [first](const Piece& tile) { return tile.span.start < first; }));
}

/// Chunks that were surely taken after a tile although their copy had surely begun before it.
int chunks_behind_tiles(const Record& record) {
  int behind = 0;
  for (const Piece& tile : record.tiles) {
    std::set<int> begun;
    for (const Piece& chunk : record.chunks) {
      if (chunk.span.start <= tile.free) begun.insert(chunk.span.step);
    }
    for (const Piece& chunk : record.chunks) {
      if (begun.count(chunk.span.step) > 0 && chunk.free >= tile.span.start) ++behind;
    }
  }
  return behind;
}

using testing::IsSubsetOf;

void expect_units(const Record& record, const c3::Strategy& strategy, int budget, int units) {
  const bool comm_split = strategy.budget == BudgetKind::comm_units;
  EXPECT_THAT(Record::units(record.tiles), IsSubsetOf(compute_units(budget, units)));
  if (strategy.form == plan::Form::dma) {
    EXPECT_THAT(Record::units(record.chunks), testing::Each(testing::StartsWith("dma")));
  } else {
    EXPECT_THAT(Record::units(record.chunks),
                IsSubsetOf(compute_units(0, comm_split ? budget : units)));
  }
}

void expect_order(const Record& record, const c3::Strategy& strategy) {
  const bool shares_units = strategy.budget == BudgetKind::none;
  switch (strategy.order) {
    case c3::Order::gemm_then_comm:
      EXPECT_EQ(chunks_before_the_gemm_ended(record), 0);
      return;
    case c3::Order::gemm_first:
      // With units of their own, chunks need not queue behind tiles.
      EXPECT_EQ(shares_units ? tiles_behind_chunks(record) : 0, 0);
      return;
    case c3::Order::comm_first:
      EXPECT_EQ(tiles_before_any_chunk(record), 0);
      EXPECT_EQ(shares_units ? chunks_behind_tiles(record) : 0, 0);
      return;
    case c3::Order::together:
      return;
  }
}

struct Case {
  c3::Strategy strategy;
  plan::Collective collective;
};

class StrategyTimeline : public testing::TestWithParam<Case> {};

TEST_P(StrategyTimeline, UnitsAndOrder) {
  const auto& strategy = GetParam().strategy;
  const c3::DeviceShape shape = Overlap(GetParam().collective).shape();
  for (const int budget : c3::budgets_to_sweep(strategy, shape)) {
    SCOPED_TRACE("budget " + std::to_string(budget));
    Overlap overlap(GetParam().collective);
    for (const Record& record : overlap.run(strategy, budget)) {
      expect_whole(record);
      expect_units(record, strategy, budget, shape.compute_units);
      expect_order(record, strategy);
    }
  }
}

TEST(StrategyTimelineChecks, NoticeTheOtherOrder) {
  const auto collective = plan::Collective::all_gather;
  for (const Record& record : Overlap(collective).run(c3::find_strategy("c3_sp"), 0)) {
    EXPECT_GT(tiles_behind_chunks(record), 0);
    EXPECT_GT(chunks_before_the_gemm_ended(record), 0);
  }
  for (const Record& record : Overlap(collective).run(c3::find_strategy("c3_base"), 0)) {
    EXPECT_GT(tiles_before_any_chunk(record), 0);
  }
}

std::vector<Case> cases() {
  std::vector<Case> list;
  for (const auto& strategy : c3::strategies()) {
    for (const auto collective : plan::all_collectives()) list.push_back({strategy, collective});
  }
  return list;
}

INSTANTIATE_TEST_SUITE_P(All, StrategyTimeline, testing::ValuesIn(cases()), [](const auto& test) {
  return std::string(test.param.strategy.name) + "_" +
         std::string(plan::name_of(test.param.collective));
});

}  // namespace
}  // namespace conccl::test
