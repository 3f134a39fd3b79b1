// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

/// `Peers`: the other libraries' collectives that a study finds.
#pragma once

#include <chrono>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "bench/peers/peer.hpp"
#include "bench/ranks.hpp"
#include "conccl/backend/device.hpp"
#include "conccl/bench/study.hpp"
#include "conccl/c3/strategy.hpp"

namespace conccl::bench {

/// Owns the peers of a study, at most one per carrier. A peer that cannot run here is not an error
/// but a reason, the same on every rank up to its wording.
class Peers {
 public:
  /// Collective; `ranks` must outlive the object. Throws what `Ranks` throws, and RunError when a
  /// rank does not come within the deadline.
  Peers(Ranks& ranks, const backend::Capabilities& capabilities, const StudyOptions& options);

  /// Null where it cannot run.
  [[nodiscard]] Peer* find(c3::Carrier carrier) const;
  [[nodiscard]] std::vector<c3::Carrier> carriers() const;
  /// One per peer that was looked for, with notes or the reason why it cannot run.
  [[nodiscard]] std::vector<PeerFacts> facts() const;
  /// Why there is no such carrier; empty where there is.
  [[nodiscard]] std::string why_not(c3::Carrier carrier) const;

  /// After a failure, as `Peer::give_up`.
  void give_up() noexcept;

 private:
  struct Entry {
    c3::Carrier carrier;
    std::string_view name;
    std::unique_ptr<Peer> peer;
    std::string reason;
  };

  /// Collective: keeps what `make` makes if every rank's is made.
  template <typename Make>
  static void add(Ranks& ranks, Entry& entry, Make make);

  std::vector<Entry> entries_;
};

}  // namespace conccl::bench
