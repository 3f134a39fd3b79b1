// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

// What a trace is made of: rows, rates, and how recordings travel between processes.

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <cmath>

#include "bench/trace/gather_texts.hpp"
#include "bench/trace/traced_run.hpp"
#include "bench/trace/tracks.hpp"
#include "conccl/core/errors.hpp"
#include "tests/bench/trace_support.hpp"

namespace conccl::bench {
namespace {

using test::Stage;

std::vector<Piece> some_pieces() {
  const auto count = *rc::gen::inRange(0, 40);
  std::vector<Piece> pieces;
  for (int i = 0; i < count; ++i) {
    const auto start = *rc::gen::inRange(0, 100);
    const auto length = *rc::gen::inRange(0, 30);
    const auto row = *rc::gen::element(std::string("a"), std::string("b"));
    pieces.push_back({row, Nanoseconds(start), Nanoseconds(start + length)});
  }
  return pieces;
}

RC_GTEST_PROP(Tracks, HoldEveryPieceOnceOnItsRowWithoutOverlap, ()) {
  const auto pieces = some_pieces();
  std::vector<int> seen(pieces.size());
  for (const auto& track : lay_out(pieces)) {
    Nanoseconds end{};
    for (const std::size_t index : track.pieces) {
      ++seen[index];
      RC_ASSERT(track.name.starts_with(pieces[index].row));
      RC_ASSERT(pieces[index].start >= end);
      end = pieces[index].end;
    }
  }
  RC_ASSERT(std::count(seen.begin(), seen.end(), 1) == static_cast<std::ptrdiff_t>(seen.size()));
}

RC_GTEST_PROP(Rate, IntegratesToTheBytesAndEndsWithZero, ()) {
  const auto pieces = some_pieces();
  std::vector<Flow> flows;
  double bytes = 0;
  for (const auto& piece : pieces) {
    flows.push_back({piece.start, piece.end, static_cast<Bytes>(*rc::gen::inRange(0, 5000))});
    if (piece.end > piece.start) bytes += static_cast<double>(flows.back().bytes);
  }
  const auto points = rate_of(flows);
  double integral = 0;
  for (std::size_t i = 0; i + 1 < points.size(); ++i) {
    integral += points[i].gbps * static_cast<double>((points[i + 1].at - points[i].at).count());
  }
  RC_ASSERT(std::abs(integral - bytes) < 1e-6 * (1 + bytes));
  RC_ASSERT((points.empty() || points.back().gbps == 0));
}

TEST(Pack, ComesBackAsItWas) {
  Recorded recorded;
  recorded.timeline.spans.push_back({3, "comm0", 7, "dma1", Nanoseconds(-5),
                                     Nanoseconds(1) * (std::int64_t{1} << 60), 1ULL << 40});
  recorded.records = {"CUPTI",
                      {{CopyKind::peer, 5, 1, 2, 3, 4, ChannelType::copy_engine, 6, Nanoseconds(7),
                        Nanoseconds(8)}},
                      {{"\xff kernel", 1, Nanoseconds(2), Nanoseconds(3)}}};
  const Recorded back = unpack(pack(recorded));
  const auto& span = back.timeline.spans.at(0);
  EXPECT_EQ(span.rank, 3);
  EXPECT_EQ(span.lane, "comm0");
  EXPECT_EQ(span.step, 7);
  EXPECT_EQ(span.unit, "dma1");
  EXPECT_EQ(span.start, Nanoseconds(-5));
  EXPECT_EQ(span.end.count(), std::int64_t{1} << 60);
  EXPECT_EQ(span.bytes, 1ULL << 40);
  const auto& copy = back.records.copies.at(0);
  EXPECT_EQ(copy.kind, CopyKind::peer);
  EXPECT_EQ(copy.type, ChannelType::copy_engine);
  EXPECT_EQ(copy.copies, 6U);
  EXPECT_EQ(copy.end, Nanoseconds(8));
  EXPECT_EQ(back.records.kernels.at(0).name, "\xff kernel");
  EXPECT_EQ(back.records.tracer, "CUPTI");
}

TEST(Pack, RefusesWhatItDidNotWrite) {
  EXPECT_THROW(static_cast<void>(unpack("not it")), RunError);
  const auto bytes = pack({});
  EXPECT_THROW(static_cast<void>(unpack(bytes.substr(0, bytes.size() - 1))), RunError);
}

TEST(GatherTexts, OfAnyLengthFromRanksApart) {
  test::on_ranks_apart(3, [](Stage& stage) {
    const std::vector<std::string> texts{"", std::string(10'000, 'b'), std::string(4096, 'c')};
    const auto own = static_cast<std::size_t>(stage.ranks.rank_of(0));
    EXPECT_EQ(gather_texts(stage.ranks, texts[own]), texts);
    EXPECT_EQ(gather_texts(stage.ranks, ""), std::vector<std::string>(3));
  });
}

}  // namespace
}  // namespace conccl::bench
