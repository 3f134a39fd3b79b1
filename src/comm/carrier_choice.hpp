// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

/// What `Policy::automatic` takes on a machine that is known. The same on every rank: it hangs on
/// the machine, which ranks compare when they join, and on the request and the GEMM, which they
/// compare with every call.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <tuple>
#include <utility>

#include "conccl/c3/advisor/carrier.hpp"
#include "conccl/core/gemm_shape.hpp"
#include "conccl/core/machine.hpp"

namespace conccl::comm {

/// Empty name: null, no machine is known. Throws InputError beginning with what `name_or_path`
/// names: not a machine file, of another backend, of other devices than `ranks`, or without the
/// figures that the advice takes.
[[nodiscard]] std::shared_ptr<const Machine> machine_for(const std::string& name_or_path,
                                                         const std::string& backend, int ranks);

/// Differs between machines, as text; the same in all processes of one build.
[[nodiscard]] std::string digest_of(const Machine* machine);

/// One rank's choices, each made once. One thread at a time.
class CarrierChoice {
 public:
  /// Beyond so many all are made anew.
  static constexpr std::size_t kCapacity = 4096;

  explicit CarrierChoice(std::shared_ptr<const Machine> machine) : machine_(std::move(machine)) {}

  [[nodiscard]] bool knows_machine() const { return machine_ != nullptr; }
  /// The GEMM beside the collectives from now on. Throws InputError, changing nothing, for
  /// dimensions that no GEMM has and for one that the machine cannot be asked about.
  void tell(const std::optional<GemmSpec>& gemm, int ranks);
  [[nodiscard]] const std::optional<GemmSpec>& told() const { return told_; }

  struct Choice {
    plan::Form form = plan::Form::dma;
    std::string news;  ///< why; empty: said before
  };
  /// The machine must be known.
  [[nodiscard]] Choice choose(const plan::Request& request);

 private:
  using Key = std::tuple<plan::Collective, plan::Placement, Bytes, std::optional<GemmSpec>>;

  std::shared_ptr<const Machine> machine_;
  std::optional<GemmSpec> told_;
  std::map<Key, plan::Form> made_;
};

}  // namespace conccl::comm
