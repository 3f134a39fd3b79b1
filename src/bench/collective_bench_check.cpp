// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

#include "bench/collective_bench_check.hpp"

#include <fmt/format.h>

#include "bench/workload.hpp"
#include "conccl/core/errors.hpp"

namespace conccl::bench {
namespace {

/// Bare copies leave out what does not cross a link.
Bytes promised_bytes(Call::Kind kind, const plan::Request& request) {
  const Bytes all = plan::recv_bytes(request);
  return kind == Call::Kind::bare ? all - request.block : all;
}

}  // namespace

void CallChecker::run_task(std::size_t local, std::unique_ptr<backend::Task> task) {
  tasks_.push_back(std::move(task));
  ranks_.stream(local).compute(*tasks_.back(), {ranks_.rank_of(local), 0});
}

void CallChecker::enqueue_inputs(const plan::Request& request) {
  const bool in_place = request.placement == plan::Placement::in_place;
  for (std::size_t local = 0; local < ranks_.local_count(); ++local) {
    auto& device = ranks_.device(local);
    const backend::Pattern pattern{ranks_.rank_of(local), round_};
    void* const recv = buffers_.recv(local).data();
    run_task(local, device.make_poison(recv, plan::recv_bytes(request)));
    run_task(local, device.make_fill(in_place ? recv : buffers_.send(local).data(),
                                     {input_stretch(request, pattern)}));
    ranks_.stream(local).submit();
  }
}

std::vector<backend::Stretch> CallChecker::promised(std::size_t local, Call::Kind kind,
                                                    const plan::Request& request) const {
  const int rank = ranks_.rank_of(local);
  auto stretches = expected_stretches(request, {rank, round_});
  if (kind == Call::Kind::bare) {
    std::erase_if(stretches,
                  [rank](const backend::Stretch& stretch) { return stretch.pattern.rank == rank; });
  }
  return stretches;
}

void CallChecker::enqueue_compares(Call::Kind kind, const plan::Request& request) {
  for (std::size_t local = 0; local < ranks_.local_count(); ++local) {
    run_task(local,
             ranks_.device(local).make_compare(buffers_.recv(local).data(),
                                               promised(local, kind, request), results_[local]));
    ranks_.stream(local).submit();
  }
}

void CallChecker::run(TimedCall& timed, const plan::Request& request) {
  const auto kind = timed.call().kind();
  enqueue_inputs(request);
  if (kind == Call::Kind::bare) {
    // Bare copies wait for nobody: neither for the peers' inputs, nor for their copies.
    ranks_.synchronize();
    timer_.meet();
  }
  timed.enqueue();
  if (kind == Call::Kind::bare) {
    timed.call().synchronize();
    timer_.meet();
  }
  enqueue_compares(kind, request);
  ranks_.synchronize();
}

void CallChecker::check(TimedCall& timed, const CheckedCall& what, Findings& findings) {
  ++round_;
  results_.assign(ranks_.local_count(), {});
  std::vector<backend::Comparison> all;
  try {
    run(timed, what.request);
    all = ranks_.gather(results_);
  } catch (const Interrupted&) {
    tasks_.clear();
    throw;
  } catch (const std::exception& error) {
    ranks_.drain(error.what());
    throw;
  }
  tasks_.clear();
  for (std::size_t rank = 0; rank < all.size(); ++rank) {
    const auto& result = all[rank];
    ensure_equal(result.compared, promised_bytes(timed.call().kind(), what.request),
                 "bytes compared");
    findings.wrong += (result.mismatches + what.element - 1) / what.element;
    if (result.mismatches == 0 || !findings.first.empty()) continue;
    findings.first =
        fmt::format("{} {}, {} of {} bytes, {}: {}", what.library, name_of(timed.method()),
                    plan::name_of(what.request.collective), plan::total_bytes(what.request),
                    name_of(what.request.placement), mismatch_text(result, static_cast<int>(rank)));
  }
}

}  // namespace conccl::bench
