// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

#include "comm/carrier_choice.hpp"

#include <fmt/format.h>

#include "conccl/c3/suite.hpp"
#include "conccl/core/errors.hpp"

namespace conccl::comm {
namespace {

/// Throws InputError when the machine lacks what the advice on any collective takes.
void try_advice(const Machine& machine, int ranks, const std::optional<GemmSpec>& gemm) {
  for (const auto collective : plan::all_collectives()) {
    static_cast<void>(c3::advise_carrier(machine, {collective, ranks, 1}, gemm));
  }
}

}  // namespace

std::shared_ptr<const Machine> machine_for(const std::string& name_or_path,
                                           const std::string& backend, int ranks) {
  if (name_or_path.empty()) return nullptr;
  auto machine = std::make_shared<const Machine>(c3::load_known_machine(name_or_path));
  try {
    if (machine->backend != backend) {
      throw InputError(
          fmt::format("machine \"{}\": backend {}; expected {}, which the ranks are on",
                      machine->name, machine->backend, backend));
    }
    try_advice(*machine, ranks, {});
  } catch (const InputError& error) {
    throw InputError(fmt::format("{}: {}", name_or_path, error.what()));
  }
  return machine;
}

std::string digest_of(const Machine* machine) {
  if (machine == nullptr) return "none";
  return fmt::format("{:016x}", std::hash<std::string>{}(to_toml(*machine)));
}

void CarrierChoice::tell(const std::optional<GemmSpec>& gemm, int ranks) {
  if (gemm) {
    validate(gemm->shape);
    if (machine_ != nullptr) try_advice(*machine_, ranks, gemm);
  }
  told_ = gemm;
}

CarrierChoice::Choice CarrierChoice::choose(const plan::Request& request) {
  const Key key{request.collective, request.placement, request.block, told_};
  if (const auto found = made_.find(key); found != made_.end()) return {found->second, {}};
  auto advice = c3::advise_carrier(*machine_, request, told_);
  if (made_.size() >= kCapacity) made_.clear();
  made_.emplace(key, advice.form);
  return {advice.form, std::move(advice.sentence)};
}

}  // namespace conccl::comm
