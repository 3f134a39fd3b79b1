// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

#include "plan/verify/values.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "conccl/plan/expectation.hpp"
#include "plan/verify/contents.hpp"

namespace conccl::plan {
namespace {

/// In steps of an order search, by their time.
constexpr std::size_t kUnitsPerPiece = 32;
/// Copies of finely cut ranges can multiply pieces without bound; this many, beyond one per step,
/// take about half a GiB.
constexpr std::size_t kSparePieces = std::size_t{1} << 23U;

Ref origin_at(const Piece& piece, Bytes place) {
  Ref origin = piece.origin;
  origin.offset += place - piece.offset;
  return origin;
}

class ValueRun {
 public:
  ValueRun(const Plan& plan, const Structure& structure, Budget& budget)
      : plan_(plan),
        budget_(budget),
        contents_(structure.use.size()),
        max_pieces_(kSparePieces + step_count(plan)) {
    for (std::size_t index = 0; index < contents_.size(); ++index) {
      if (structure.use[index].writes == 0) continue;
      const Ref self{static_cast<int>(index / kBufferKinds),
                     static_cast<BufferKind>(index % kBufferKinds), 0};
      contents_[index].emplace(self, buffer_bytes(plan, self.buffer), &memory_);
    }
  }

  void copy(Event event, const Copy& copy) {
    if (is_exhausted()) return;
    held_.clear();
    read(range_of(copy.src, copy.bytes), held_);
    auto& target = *contents_[buffer_index(copy.dst.rank, copy.dst.buffer)];
    pieces_ -= target.pieces();
    for (const auto& held : held_) {
      target.write({held.begin - copy.src.offset + copy.dst.offset,
                    held.end - copy.src.offset + copy.dst.offset, held.origin, event});
    }
    pieces_ += target.pieces();
    budget_.spend(kUnitsPerPiece * held_.size());
  }

  [[nodiscard]] bool is_exhausted() const { return budget_.exhausted() || pieces_ > max_pieces_; }

  /// The last thing to do with a buffer: forgets what it holds.
  void compare(int rank, BufferKind buffer, const std::vector<Piece>& expected, Report& report) {
    held_.clear();
    read({rank, buffer, 0, buffer_bytes(plan_, buffer)}, held_);
    contents_[buffer_index(rank, buffer)].reset();
    auto held = held_.begin();
    for (const auto& piece : expected) {
      for (Bytes place = piece.offset; place < piece.offset + piece.bytes && !report.full();) {
        const Bytes end = std::min(held->end, piece.offset + piece.bytes);
        compare({rank, buffer, place, end}, *held, origin_at(piece, place), report);
        place = end;
        if (held->end == end) ++held;
      }
    }
  }

 private:
  void read(const Range& range, std::vector<Held>& out) {
    if (range.begin == range.end) return;
    if (auto& contents = contents_[buffer_index(range.rank, range.buffer)]) {
      pieces_ -= contents->pieces();
      contents->read(range.begin, range.end, out);
      pieces_ += contents->pieces();
    } else {
      out.push_back({range.begin, range.end, {range.rank, range.buffer, range.begin}, {}});
    }
  }

  static void compare(const Range& range, const Held& held, const Ref& expected, Report& report) {
    Ref found = held.origin;
    found.offset += range.begin - held.begin;
    if (found == expected) return;
    const auto what = fmt::format("{} ends with what {} held at the start; expected what {} held",
                                  text_of(range), text_of(found), text_of(expected));
    if (held.writer.lane != kNone) {
      report.add(Fault::wrong_bytes, held.writer, range, what);
    } else {
      report.add(Fault::wrong_bytes, range, what + "; no step writes there");
    }
  }

  const Plan& plan_;
  Budget& budget_;
  std::pmr::unsynchronized_pool_resource memory_;
  std::vector<std::optional<Contents>> contents_;  // of buffers that some step writes
  std::vector<Held> held_;
  std::size_t max_pieces_;
  std::size_t pieces_ = 0;  // a count of changes since the start
};

}  // namespace

void check_values(const Plan& plan, const Structure& structure, const Schedule& schedule,
                  Budget& budget, Report& report) {
  ValueRun run(plan, structure, budget);
  for_each_copy(structure.lanes, schedule,
                [&run](Event event, const Copy& copy) { run.copy(event, copy); });
  if (run.is_exhausted()) {
    report.add(Fault::undecided, Range{}, "too many pieces of buffers to follow in time");
    return;
  }
  const Bytes sent = send_bytes(plan.request);
  for (int rank = 0; rank < plan.request.ranks && !report.full(); ++rank) {
    run.compare(rank, BufferKind::recv, expectation(plan.request, rank), report);
    run.compare(rank, BufferKind::send, {{0, sent, {rank, BufferKind::send, 0}}}, report);
  }
}

}  // namespace conccl::plan
