// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

#include "bench/peers/nccl_communicator.hpp"

#include <fmt/format.h>

#include <utility>

#include "conccl/core/errors.hpp"
#include "conccl/core/log.hpp"

namespace conccl::bench::nccl {
namespace {

Config config_of(const CommSpec& spec) {
  Config config;
  if (spec.max_ctas > 0) config.max_ctas = spec.max_ctas;
  config.cta_policy = spec.policy;
  return config;
}

/// What `enqueue` does, for threads that may outlive the communicator.
void call(const Api& api, Comm comm, const plan::Request& request, const Buffers& buffers,
          Stream stream) {
  if (request.collective == plan::Collective::all_gather) {
    check(api, api.ncclAllGather(buffers.send, buffers.recv, request.block, kInt8, comm, stream),
          "ncclAllGather");
    return;
  }
  check(api, api.ncclAlltoAll(buffers.send, buffers.recv, request.block, kInt8, comm, stream),
        "ncclAlltoAll");
}

/// NCCL's convention of in place: the own block of recv is what is sent.
Buffers as_nccl_wants(const plan::Request& request, const Buffers& buffers, int rank) {
  if (request.placement == plan::Placement::out_of_place) return buffers;
  const Bytes own = static_cast<Bytes>(rank) * request.block;
  return {static_cast<const std::byte*>(buffers.recv) + own, buffers.recv};
}

}  // namespace

UniqueId make_unique_id(const Api& api) {
  UniqueId id{};
  check(api, api.ncclGetUniqueId(&id), "ncclGetUniqueId");
  return id;
}

Communicator::Communicator(std::shared_ptr<const Api> api, const CommSpec& spec, const UniqueId& id,
                           BoundedCaller caller)
    : api_(std::move(api)), spec_(spec), caller_(std::move(caller)) {
  const auto made = std::make_shared<Comm>(nullptr);
  caller_("ncclCommInitRankConfig", [made, library = api_, spec, id] {
    Config config = config_of(spec);
    check(*library, library->ncclCommInitRankConfig(made.get(), spec.ranks, id, spec.rank, &config),
          "ncclCommInitRankConfig");
  });
  comm_ = *made;
}

Communicator::~Communicator() { finish(); }

void Communicator::finish() noexcept {
  try {
    if (given_up_) {
      caller_("ncclCommAbort", [library = api_, comm = comm_] {
        check(*library, library->ncclCommAbort(comm), "ncclCommAbort");
      });
      return;
    }
    caller_("ncclCommDestroy", [library = api_, comm = comm_] {
      check(*library, library->ncclCommFinalize(comm), "ncclCommFinalize");
      check(*library, library->ncclCommDestroy(comm), "ncclCommDestroy");
    });
  } catch (const std::exception& error) {
    log(LogLevel::warning, fmt::format("NCCL is not taken down: {}", error.what()));
  }
}

Window Communicator::register_window(void* data, Bytes bytes) {
  const auto window = std::make_shared<Window>(nullptr);
  caller_("ncclCommWindowRegister", [window, library = api_, comm = comm_, data, bytes] {
    check(*library,
          library->ncclCommWindowRegister(comm, data, bytes, window.get(), kWindowSymmetric),
          "ncclCommWindowRegister");
  });
  return *window;
}

void Communicator::deregister(Window window) {
  caller_("ncclCommWindowDeregister", [library = api_, comm = comm_, window] {
    check(*library, library->ncclCommWindowDeregister(comm, window), "ncclCommWindowDeregister");
  });
}

void Communicator::enqueue(const plan::Request& request, const Buffers& buffers,
                           Stream stream) const {
  call(*api_, comm_, request, as_nccl_wants(request, buffers, spec_.rank), stream);
}

void Communicator::enqueue_first(const plan::Request& request, const Buffers& buffers,
                                 Stream stream) const {
  caller_(
      "the first collective of NCCL",
      [library = api_, comm = comm_, request, places = as_nccl_wants(request, buffers, spec_.rank),
       stream] { call(*library, comm, request, places, stream); });
}

void Communicator::check_async() const {
  Result error = kSuccess;
  check(*api_, api_->ncclCommGetAsyncError(comm_, &error), "ncclCommGetAsyncError");
  check(*api_, error, "NCCL's communicator");
}

}  // namespace conccl::bench::nccl
