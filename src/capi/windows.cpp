// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

#include <fmt/format.h>

#include "capi/group.hpp"

namespace conccl::capi {
namespace {

void check_flags(int flags) {
  if (flags == CONCCL_WIN_DEFAULT || flags == CONCCL_WIN_COLL_SYMMETRIC) return;
  throw InputError(
      fmt::format("concclCommWindowRegister: flags {:#x}, expected CONCCL_WIN_DEFAULT or "
                  "CONCCL_WIN_COLL_SYMMETRIC",
                  static_cast<unsigned>(flags)));
}

}  // namespace
}  // namespace conccl::capi

using namespace conccl::capi;

concclResult_t concclCommWindowRegister(concclComm_t comm, void* buff, size_t size,
                                        concclWindow_t* win, int flags) {
  constexpr auto kName = "concclCommWindowRegister";
  return note_in_group(guarded_on(comm, kName, [&](const std::shared_ptr<Comm>& known) {
    require(win, "concclCommWindowRegister: win");
    check_flags(flags);
    keep_for_group(known);
    // Before the peers are told, so that nobody frees it meanwhile.
    auto pin = memory_table().pin(buff, "a window of " + known->description());
    const auto window = known->communicator().register_window(buff, size);
    publish_or_collect({win, std::make_shared<RegisteredWindow>(known, window, std::move(pin))});
  }));
}

concclResult_t concclCommWindowDeregister(concclComm_t comm, concclWindow_t win) {
  constexpr auto kName = "concclCommWindowDeregister";
  return guarded_on(comm, kName, [&](const std::shared_ptr<Comm>& known) {
    const auto window = window_table().find(win);
    if (window == nullptr || window->comm.lock() != known) {
      throw conccl::InputError(fmt::format("{}: window {} is not one of {}", kName, fmt::ptr(win),
                                           known->description()));
    }
    known->communicator().deregister(window->window);
    window_table().remove(win);
  });
}
