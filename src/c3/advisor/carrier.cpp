// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

#include "conccl/c3/advisor/carrier.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "conccl/c3/advisor/advise.hpp"
#include "conccl/c3/model/predict.hpp"
#include "conccl/core/errors.hpp"

namespace conccl::c3 {
namespace {

CarrierAdvice beside_gemm(const Machine& machine, const plan::Request& request,
                          const GemmSpec& gemm) {
  const std::vector<std::string> ours{"c3_base", "conccl"};
  const Question question{gemm, request.collective, plan::total_bytes(request)};
  const Advice advice = advise(machine, question, RuleSet::model, {}, ours);
  CarrierAdvice carrier{find_strategy(advice.chosen).form, advice.sentence};
  for (const std::string& why : chosen_of(advice).probe.extrapolated) {
    carrier.sentence += fmt::format(" Extrapolated: {}.", why);
  }
  return carrier;
}

CarrierAdvice by_size(const Machine& machine, const plan::Request& request) {
  const Nanoseconds kernels = collective_alone(machine, request, plan::Form::compute);
  if (machine.device.dma_engines < 1) {
    return {plan::Form::compute, "the device has no DMA engines."};
  }
  const Nanoseconds dma = collective_alone(machine, request, plan::Form::dma);
  return {
      dma <= kernels ? plan::Form::dma : plan::Form::compute,
      fmt::format("by the size alone, {:.3f} ms predicted on DMA engines, {:.3f} ms by kernels.",
                  to_ms(dma), to_ms(kernels))};
}

}  // namespace

CarrierAdvice advise_carrier(const Machine& machine, const plan::Request& request,
                             const std::optional<GemmSpec>& beside) {
  if (request.ranks != machine.devices) {
    throw InputError(fmt::format("machine \"{}\": {} devices; expected {}, one for each rank",
                                 machine.name, machine.devices, request.ranks));
  }
  plan::Request sized = request;
  sized.block = std::max(request.block, kBlockStep);
  return beside ? beside_gemm(machine, sized, *beside) : by_size(machine, sized);
}

}  // namespace conccl::c3
