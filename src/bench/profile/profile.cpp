// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

#include "conccl/bench/profile.hpp"

#include <fmt/chrono.h>

#include <ctime>

#include "bench/profile/profile_study.hpp"
#include "bench/what_runs.hpp"

namespace conccl::bench {
namespace {

std::string today() { return fmt::format("{:%Y-%m-%d}", fmt::gmtime(std::time(nullptr))); }

void describe(Profile& profile, const backend::Backend& backend, const StudyOptions& options) {
  profile.machine = backend.machine();
  profile.emulation = backend.capabilities().emulation;
  profile.gemm_library = backend.capabilities().gemm_library;
  profile.suite = options.suite.name;
  profile.suite_hash = options.suite.hash;
  profile.launch = options.launch;
  profile.ranks = options.ranks;
  profile.rounds = options.rounds;
  profile.seed = options.seed;
  profile.date = today();
  profile.partial = true;
}

/// Runs the steps of a profile one after the other.
class Steps {
 public:
  Steps(const ProfileParts& parts, const ProfileHooks& hooks, Profile& profile)
      : parts_(parts),
        hooks_(hooks),
        profile_(profile),
        device_(shape_of(parts.capabilities)),
        scenarios_(
            runnable_scenarios(parts.options.study.suite, parts.capabilities.gemms, skipped_)),
        study_(parts, device_,
               runnable_strategies(parts.options.study, device_, parts.peers, skipped_), profile),
        random_(parts.options.study.seed) {
    profile.peers = parts.peers.facts();
  }

  void run() {
    Sizer sizer(parts_.rig, parts_.peers, parts_.options.study, parts_.capabilities);
    for (const auto& scenario : scenarios_) {
      step(scenario.name,
           [&](const auto& tell) { study_.run(scenario, sizer.size_of(scenario), random_, tell); });
    }
    for (const auto& gemm : parts_.options.gemms) {
      if (backend::why_no_gemm(parts_.capabilities.gemms, gemm)) continue;
      step(to_string(gemm), [&](const auto& tell) { study_.run(gemm, random_, tell); });
    }
  }

 private:
  template <typename Work>
  void step(const std::string& name, const Work& work) {
    int round = 0;
    const std::function<void()> tell = [&] {
      if (!hooks_.progress) return;
      hooks_.progress({done_, scenarios_.size() + parts_.options.gemms.size(), round++,
                       study_.round_count(), name});
    };
    tell();
    work(tell);
    ++done_;
    if (hooks_.step_done) hooks_.step_done(profile_);
  }

  ProfileParts parts_;
  const ProfileHooks& hooks_;
  Profile& profile_;
  c3::DeviceShape device_;
  std::vector<Skipped> skipped_;
  std::vector<c3::Scenario> scenarios_;
  ProfileStudy study_;
  std::mt19937_64 random_;
  std::size_t done_ = 0;
};

}  // namespace

void run_profile(backend::Backend& backend, const ProfileOptions& options,
                 const ProfileHooks& hooks, Profile& profile) {
  const StudyOptions& study = options.study;
  check_study(backend, study);
  describe(profile, backend, study);
  const auto& capabilities = backend.capabilities();
  Ranks ranks = Ranks::open(backend, study.launch, study.ranks, communicator_options(study));
  ranks.run_together([&] {
    Peers peers(ranks, capabilities, study);
    Rig rig(ranks, capabilities, hooks.interrupt);
    try {
      Steps({rig, peers, capabilities, options, hooks.interrupt}, hooks, profile).run();
    } catch (...) {
      peers.give_up();
      throw;
    }
  });
  profile.partial = false;
}

}  // namespace conccl::bench
