// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

#include "capi/join.hpp"

#include <exception>
#include <thread>

#include "capi/context.hpp"

namespace conccl::capi {

std::shared_ptr<Comm> join(const Join& wanted) {
  OpenBackend& opened = open_backend(wanted.settings.backend);
  auto device = opened.device(wanted.device);
  try {
    auto communicator = comm::Communicator::init_rank(opened.backend(), *device, wanted.id,
                                                      wanted.place, wanted.settings.options);
    return std::make_shared<Comm>(std::move(communicator), Devices{device},
                                  opened.distinct(wanted.device));
  } catch (const RunError& error) {
    throw PeerError(error.what());
  }
}

std::vector<std::shared_ptr<Comm>> join_all(const std::vector<Join>& wanted) {
  std::vector<std::shared_ptr<Comm>> joined(wanted.size());
  std::vector<std::exception_ptr> failures(wanted.size());
  {
    std::vector<std::jthread> threads;
    threads.reserve(wanted.size());
    for (std::size_t i = 0; i < wanted.size(); ++i) {
      threads.emplace_back([&, i] {
        try {
          joined[i] = join(wanted[i]);
        } catch (...) {
          failures[i] = std::current_exception();
        }
      });
    }
  }
  for (const auto& failure : failures) {
    if (failure) std::rethrow_exception(failure);
  }
  return joined;
}

}  // namespace conccl::capi
