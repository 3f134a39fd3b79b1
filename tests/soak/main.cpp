// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

// Exits with 0 when all was right, 1 for wrong bytes or growth, 2 for wrong usage, 4 when something
// broke while running.

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <thread>

#include "conccl/core/errors.hpp"
#include "tests/soak/soak.hpp"

namespace conccl::soak {
namespace {

constexpr int kOk = 0;
constexpr int kCheckFailed = 1;
constexpr int kUsage = 2;
constexpr int kRunFailed = 4;

int tell(const Report& report) {
  fmt::print("{}{}", table_of(report), json_of(report));
  std::fflush(stdout);
  for (const auto& line : report.growth()) fmt::print(stderr, "soak: {}\n", line);
  return report.passed() ? kOk : kCheckFailed;
}

int soak_rank(World& world, const SoakOptions& options) {
  try {
    const auto report = Soak(world, options).run();
    if (world.rank() == 0) return tell(report);
    return report.passed() ? kOk : kCheckFailed;
  } catch (const std::exception& error) {
    fmt::print(stderr, "soak: rank {}: {}\n", world.rank(), error.what());
    return kRunFailed;
  }
}

int soak_threads(const SoakOptions& options) {
  ProcessContext context(options.ranks);
  auto communicators = comm::Communicator::init_all(*context.backend, context.devices,
                                                    World::options_of({}, options.deadline));
  std::vector<int> codes(communicators.size());
  std::vector<std::jthread> threads;
  for (std::size_t rank = 0; rank < communicators.size(); ++rank) {
    threads.emplace_back([&, rank, everyone = std::move(communicators[rank])]() mutable {
      World world(context, static_cast<int>(rank), std::move(everyone));
      codes[rank] = soak_rank(world, options);
    });
  }
  threads.clear();
  return *std::max_element(codes.begin(), codes.end());
}

int soak_process(const SoakOptions& options) {
  World world(options);
  return soak_rank(world, options);
}

int run(int argc, char** argv) {
  try {
    const auto options = parse_options(argc, argv);
    return options.launch == Launch::threads ? soak_threads(options) : soak_process(options);
  } catch (const InputError& error) {
    fmt::print(stderr, "soak: {}\n", error.what());
    return kUsage;
  } catch (const std::exception& error) {
    fmt::print(stderr, "soak: {}\n", error.what());
    return kRunFailed;
  }
}

}  // namespace
}  // namespace conccl::soak

int main(int argc, char** argv) { return conccl::soak::run(argc, argv); }
