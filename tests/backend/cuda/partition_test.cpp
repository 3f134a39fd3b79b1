// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

#include <array>
#include <bit>

#include "backend/cuda/task.hpp"
#include "tests/backend/cuda/support.hpp"

namespace conccl::backend::cuda {
namespace {

using Units = std::array<unsigned long long, 4>;

/// Which multiprocessors a queue's kernels run on.
class UnitsTask final : public Task, public Launchable {
 public:
  explicit UnitsTask(Device& device) : seen_(device.allocate(sizeof(Units))) {}
  void launch(const LaunchSite& site) override {
    check(driver().cuMemsetD8Async(reinterpret_cast<CUdeviceptr>(seen_.data()), 0, sizeof(Units),
                                   site.stream),
          {"cuMemsetD8Async"});
    site.gpu.kernels().launch(Kernel::units, {2048, 1024}, site.stream, seen_.data());
  }
  [[nodiscard]] const Memory& seen() const { return seen_; }

 private:
  Memory seen_;
};

class Partitions : public CudaTest {
 protected:
  [[nodiscard]] Units units_of(plan::Share share) {
    UnitsTask task(first());
    const auto lane = queue(plan::Engine::compute, share);
    lane->compute(task, {});
    finish(*lane);
    Units units{};
    lane->copy(units.data(), task.seen().data(), sizeof(units), {});
    finish(*lane);
    return units;
  }

  static int count(const Units& units) {
    int total = 0;
    for (const auto word : units) total += std::popcount(word);
    return total;
  }
};

TEST_F(Partitions, SharesHaveNoMultiprocessorInCommon) {
  using Kind = plan::Share::Kind;
  const int all = backend().capabilities().compute_units;
  const int step = backend().capabilities().unit_step;
  EXPECT_EQ(count(units_of({})), all);
  for (int units = step; units <= all - 2 * step; units += step) {
    const Units some = units_of({Kind::only, units});
    const Units rest = units_of({Kind::all_but, units});
    EXPECT_EQ(count(some), units);
    EXPECT_EQ(count(rest), all - units);
    for (std::size_t i = 0; i < some.size(); ++i) EXPECT_EQ(some[i] & rest[i], 0U);
  }
}

}  // namespace
}  // namespace conccl::backend::cuda
