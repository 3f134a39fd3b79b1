// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

#include "bench/workload.hpp"

#include <fmt/format.h>

#include "conccl/core/errors.hpp"
#include "conccl/plan/expectation.hpp"

namespace conccl::bench {

backend::Stretch input_stretch(const plan::Request& request, const backend::Pattern& pattern) {
  if (request.placement == plan::Placement::out_of_place) {
    return {0, plan::send_bytes(request), pattern, 0};
  }
  const Bytes own = static_cast<Bytes>(pattern.rank) * request.block;
  return {own, request.block, pattern, own};
}

std::vector<backend::Stretch> expected_stretches(const plan::Request& request,
                                                 const backend::Pattern& pattern) {
  std::vector<backend::Stretch> stretches;
  for (const auto& piece : plan::expectation(request, pattern.rank)) {
    stretches.push_back(
        {piece.offset, piece.bytes, {piece.origin.rank, pattern.round}, piece.origin.offset});
  }
  return stretches;
}

std::string mismatch_text(const backend::Comparison& result, int rank) {
  return fmt::format(
      "rank {}: {} of {} bytes wrong, first at offset {}: expected 0x{:02x}, found 0x{:02x}", rank,
      result.mismatches, result.compared, result.first_bad, result.expected, result.found);
}

Workload::Workload(Rig& rig, const plan::Request& request,
                   const std::vector<std::unique_ptr<backend::Gemm>>& gemms)
    : rig_(rig), request_(request), gemms_(gemms) {
  const Ranks& ranks = rig.ranks();
  for (std::size_t local = 0; local < ranks.local_count(); ++local) {
    const Bytes send = plan::send_bytes(request);
    send_.push_back(send > 0 ? ranks.device(local).allocate(send) : backend::Memory{});
    recv_.push_back(ranks.device(local).allocate(plan::recv_bytes(request)));
    RankWork work{send_.back().data(), recv_.back().data(), {}};
    if (!gemms.empty()) work.tasks.push_back(gemms[local].get());
    work_.push_back(std::move(work));
  }
  rig.register_windows(send_);
  rig.register_windows(recv_);
  fill(round_);
}

Workload::~Workload() { rig_.drop_windows(); }

void Workload::fill(std::uint64_t round) {
  std::vector<std::unique_ptr<backend::Task>> owned;
  std::vector<std::vector<backend::Task*>> by_rank(work_.size());
  const bool in_place = request_.placement == plan::Placement::in_place;
  for (std::size_t local = 0; local < work_.size(); ++local) {
    auto& device = rig_.ranks().device(local);
    const backend::Pattern pattern{rig_.ranks().rank_of(local), round};
    owned.push_back(device.make_poison(recv_[local].data(), recv_[local].bytes()));
    by_rank[local].push_back(owned.back().get());
    owned.push_back(device.make_fill(in_place ? recv_[local].data() : send_[local].data(),
                                     {input_stretch(request_, pattern)}));
    by_rank[local].push_back(owned.back().get());
  }
  rig_.run_tasks(by_rank);
}

int Workload::add_task(std::size_t local, backend::Task& task) {
  work_[local].tasks.push_back(&task);
  return static_cast<int>(work_[local].tasks.size()) - 1;
}

Nanoseconds Workload::run_unchecked(const Configuration& configuration) {
  return rig_.run(configuration, work_);
}

std::vector<std::unique_ptr<backend::Task>> Workload::compares(
    std::uint64_t round, std::vector<backend::Comparison>& results) const {
  std::vector<std::unique_ptr<backend::Task>> tasks;
  for (std::size_t local = 0; local < work_.size(); ++local) {
    const backend::Pattern pattern{rig_.ranks().rank_of(local), round};
    tasks.push_back(rig_.ranks().device(local).make_compare(
        recv_[local].data(), expected_stretches(request_, pattern), results[local]));
  }
  return tasks;
}

Nanoseconds Workload::run_checked(const Configuration& configuration, const Parts& parts,
                                  CheckCounts& counts) {
  const std::uint64_t round = ++round_;
  fill(round);
  if (parts.has_gemm()) {
    for (const auto& gemm : gemms_) gemm->poison_result();
  }
  std::vector<backend::Comparison> results(work_.size());
  std::vector<std::unique_ptr<backend::Task>> tasks;
  std::vector<backend::Task*> behind;
  if (parts.has_comm()) tasks = compares(round, results);
  for (const auto& task : tasks) behind.push_back(task.get());
  const Nanoseconds time = rig_.run(configuration, work_, behind);
  if (parts.has_comm()) check_bytes(configuration.name, results, counts);
  if (parts.has_gemm()) check_gemms(configuration.name, counts);
  return time;
}

void Workload::check_bytes(const std::string& name, const std::vector<backend::Comparison>& local,
                           CheckCounts& counts) const {
  const auto results = rig_.ranks().gather(local);
  for (std::size_t rank = 0; rank < results.size(); ++rank) {
    counts.bytes += results[rank].compared;
    counts.mismatches += results[rank].mismatches;
    ensure_equal(results[rank].compared, plan::recv_bytes(request_), "bytes compared");
    if (results[rank].mismatches > 0) {
      throw CheckFailed(
          fmt::format("{}: {}", name, mismatch_text(results[rank], static_cast<int>(rank))));
    }
  }
}

void Workload::check_gemms(const std::string& name, CheckCounts& counts) const {
  std::vector<std::uint64_t> local(work_.size());
  for (std::size_t i = 0; i < gemms_.size(); ++i) local[i] = gemms_[i]->mismatches();
  const auto wrong = rig_.ranks().gather(local);
  for (std::size_t rank = 0; rank < wrong.size(); ++rank) {
    counts.gemm_mismatches += wrong[rank];
    if (wrong[rank] > 0) {
      throw CheckFailed(
          fmt::format("{}: rank {}: {} bytes of the GEMM's result differ from its "
                      "isolated result",
                      name, rank, wrong[rank]));
    }
  }
}

}  // namespace conccl::bench
