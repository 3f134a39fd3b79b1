// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

#include "conccl/bench/profile.hpp"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <algorithm>
#include <ctime>

#include "bench/profile/profile_study.hpp"
#include "bench/what_runs.hpp"
#include "conccl/c3/model/predict.hpp"
#include "conccl/c3/model/profile_fit.hpp"
#include "conccl/core/errors.hpp"

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

/// Each beside each collective, of about its time.
c3::Suite scenarios_of(const std::vector<GemmSpec>& gemms) {
  c3::Suite suite;
  for (const auto& gemm : gemms) {
    for (const auto collective : plan::all_collectives()) {
      c3::Scenario scenario;
      scenario.name = to_string(gemm);
      scenario.gemm = gemm;
      scenario.collective = collective;
      scenario.ratio = 1;
      suite.scenarios.push_back(std::move(scenario));
    }
  }
  return suite;
}

/// Runs the steps of a profile one after the other.
class Steps {
 public:
  Steps(const ProfileParts& parts, const ProfileHooks& hooks, Profile& profile)
      : parts_(parts),
        hooks_(hooks),
        profile_(profile),
        device_(shape_of(parts.capabilities)),
        scenarios_(runnable_scenarios(parts.options.study.suite, parts.capabilities.gemms,
                                      profile.skipped)),
        study_(parts, device_,
               runnable_strategies(parts.options.study, device_, parts.peers, profile.skipped),
               profile),
        further_(runnable_scenarios(scenarios_of(parts.options.gemms), parts.capabilities.gemms,
                                    profile.skipped)),
        random_(parts.options.study.seed) {
    profile.peers = parts.peers.facts();
  }

  void run() {
    Sizer sizer(parts_.rig, parts_.peers, parts_.options.study, parts_.capabilities);
    for (const auto& scenario : scenarios_) {
      step(scenario.name, [&](const auto& tell) {
        study_.run(scenario, sizer.size_of(scenario), ProfileStudy::Extent::full, random_, tell);
      });
    }
    for (const auto& scenario : further_) {
      // Its units are the same beside either collective.
      const bool first = scenario.collective == plan::all_collectives().front();
      const auto extent = first ? ProfileStudy::Extent::full_units : ProfileStudy::Extent::brief;
      step(scenario.name, [&](const auto& tell) {
        study_.run(scenario, sizer.size_of(scenario), extent, random_, tell);
      });
    }
    for (const Bytes bytes : parts_.options.sizes) {
      for (const auto collective : plan::all_collectives()) {
        step(std::string(plan::name_of(collective)),
             [&](const auto& tell) { study_.run(collective, bytes, random_, tell); });
      }
    }
  }

 private:
  template <typename Work>
  void step(const std::string& name, const Work& work) {
    int round = 0;
    const std::function<void()> tell = [&] {
      if (!hooks_.progress) return;
      const std::size_t steps = scenarios_.size() + further_.size() +
                                parts_.options.sizes.size() * plan::all_collectives().size();
      hooks_.progress({done_, steps, round++, study_.round_count(), name});
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
  std::vector<c3::Scenario> scenarios_;
  ProfileStudy study_;
  std::vector<c3::Scenario> further_;
  std::mt19937_64 random_;
  std::size_t done_ = 0;
};

/// What GEMMs take back to back over what they take in rounds: the least and the most.
std::string sustained_note(const Profile& profile) {
  std::vector<double> ratios;
  for (const auto& sample : profile.samples) {
    if (sample.kind != c3::Sample::Kind::gemm || sample.how != c3::kSustained) continue;
    for (const auto& alone : profile.samples) {
      const bool same = alone.kind == sample.kind && alone.how.empty() && alone.budget == 0 &&
                        alone.gemm == sample.gemm;
      if (same) ratios.push_back(sample.ms.median / alone.ms.median);
    }
  }
  if (ratios.empty()) return {};
  const auto [least, most] = std::ranges::minmax(ratios);
  return fmt::format("GEMMs of 1 ms or more back to back: {:.2f} to {:.2f} times as long", least,
                     most);
}

std::string clock_note(const Profile& profile) {
  if (profile.clocks.empty()) return {};
  std::vector<double> alone;
  std::vector<double> together;
  std::vector<double> zero;
  for (const auto& clock : profile.clocks) {
    alone.push_back(clock.alone_ghz);
    together.push_back(clock.together_ghz);
    zero.push_back(clock.alone_zero_ghz);
  }
  const auto range = [](const std::vector<double>& list) {
    const auto [least, most] = std::ranges::minmax(list);
    return fmt::format("{:.2f} to {:.2f}", least, most);
  };
  return fmt::format("under GEMMs of 1 ms or more: {} GHz alone, {} beside copies, {} with zeros",
                     range(alone), range(together), range(zero));
}

/// An all-to-all needs each twice; half of the memory is left to GEMMs and libraries.
void check_sizes(const Machine& machine, const std::vector<Bytes>& sizes, int ranks) {
  const Bytes most = machine.device.memory / 4;
  for (const Bytes bytes : sizes) {
    const bool fits = machine.device.memory == 0 || bytes <= most;
    if (bytes / static_cast<Bytes>(ranks) >= c3::kBlockStep && fits) continue;
    throw InputError(
        fmt::format("a collective of {} to time alone: expected {} for each rank at "
                    "least, and at most a quarter of a device's memory, {}",
                    format_bytes(bytes), c3::kBlockStep, format_bytes(most)));
  }
}

}  // namespace

Machine machine_of(const Profile& profile) {
  if (profile.partial) throw InputError("the profile is partial; expected one that was finished");
  Machine probed = profile.machine;
  if (probed.devices != profile.ranks) probed.sources["devices"] = "ranks of the profile";
  probed.devices = profile.ranks;
  Machine machine =
      c3::fit_profile(probed, profile.samples, fmt::format("measured {}", profile.date));
  if (const auto note = sustained_note(profile); !note.empty()) machine.notes["sustained"] = note;
  if (const auto note = clock_note(profile); !note.empty()) machine.notes["clocks"] = note;
  return machine;
}

void run_profile(backend::Backend& backend, const ProfileOptions& options,
                 const ProfileHooks& hooks, Profile& profile) {
  const StudyOptions& study = options.study;
  check_study(backend, study);
  if (backend.capabilities().emulation && !(options.gemms.empty() && options.sizes.empty())) {
    throw InputError(
        "further GEMMs or sizes: they are not scaled, and this backend is an emulation; "
        "expected none");
  }
  check_sizes(backend.machine(), options.sizes, study.ranks);
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
