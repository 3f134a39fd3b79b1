// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <memory>
#include <numeric>
#include <set>
#include <span>

#include "capi/config.hpp"
#include "capi/context.hpp"
#include "capi/group.hpp"

namespace conccl::capi {
namespace {

static_assert(sizeof(concclUniqueId) == sizeof(comm::UniqueId::bytes));

comm::UniqueId id_of(const concclUniqueId& id) {
  comm::UniqueId known;
  std::memcpy(known.bytes.data(), id.internal, sizeof id.internal);
  return known;
}

void check_place(const comm::RankOf& place) {
  if (place.ranks < 1 || place.ranks > comm::kMaxJoined) {
    throw InputError(fmt::format("nranks: {} is not in 1 .. {}", place.ranks, comm::kMaxJoined));
  }
  if (place.rank < 0 || place.rank >= place.ranks) {
    throw InputError(fmt::format("rank: {} is not in 0 .. {}", place.rank, place.ranks - 1));
  }
}

/// The configuration's, which must be there; else the one the calling thread has chosen by the
/// vendor's own means; else `otherwise`.
int device_of(const Settings& settings, int otherwise) {
  const backend::Backend& backend = open_backend(settings.backend).backend();
  if (!settings.device) return backend.current_device().value_or(otherwise);
  const int count = backend.capabilities().distinct_devices;
  if (count == 0 || *settings.device < count) return *settings.device;
  throw InputError(fmt::format("config: device {}, expected one of the {} that are here",
                               *settings.device, count));
}

void init_rank(concclComm_t* comm, const comm::UniqueId& id, const comm::RankOf& place,
               const concclConfig_t* config) {
  Join wanted{comm, read_config(config), id, place, place.rank};
  const bool launched = comm::launched_by_environment();
  const int local = launched ? comm::place_from_environment().local_rank : place.rank;
  wanted.device = device_of(wanted.settings, local);
  join_or_collect(std::move(wanted));
}

std::vector<int> device_indices(int count, const int* list) {
  if (count < 1 || count > plan::kMaxRanks) {
    throw InputError(fmt::format("ndev: {} is not in 1 .. {}", count, plan::kMaxRanks));
  }
  std::vector<int> indices(static_cast<std::size_t>(count));
  std::iota(indices.begin(), indices.end(), 0);
  if (list != nullptr) indices.assign(list, list + count);
  std::set<int> seen;
  for (const int index : indices) {
    if (!seen.insert(index).second) {
      throw InputError(fmt::format("devlist: device {} appears twice", index));
    }
  }
  return indices;
}

/// `Communicator::init_all` wants owners; here the devices have several.
class LentDevices {
 public:
  explicit LentDevices(const Devices& devices) {
    lent_.reserve(devices.size());
    for (const auto& device : devices) lent_.emplace_back(device.get());
  }
  ~LentDevices() {
    for (auto& device : lent_) {
      [[maybe_unused]] const auto* still_owned = device.release();
    }
  }
  LentDevices(const LentDevices&) = delete;
  LentDevices& operator=(const LentDevices&) = delete;

  [[nodiscard]] std::span<const std::unique_ptr<backend::Device>> get() const { return lent_; }

 private:
  std::vector<std::unique_ptr<backend::Device>> lent_;
};

void init_all(std::span<concclComm_t> comms, const std::vector<int>& indices,
              const Settings& settings) {
  if (settings.device) throw InputError("config: device is set, but devlist names the devices");
  OpenBackend& opened = open_backend(settings.backend);
  Devices devices;
  for (const int index : indices) devices.push_back(opened.device(index));
  const LentDevices lent(devices);
  auto made = comm::Communicator::init_all(opened.backend(), lent.get(), settings.options);
  std::vector<std::shared_ptr<Comm>> owned;
  for (std::size_t rank = 0; rank < made.size(); ++rank) {
    owned.push_back(
        std::make_shared<Comm>(std::move(made[rank]), devices, opened.distinct(indices[rank])));
  }
  std::transform(owned.begin(), owned.end(), comms.begin(), add_handle);
}

void make_id(concclUniqueId* id, const concclConfig_t* config) {
  const auto made = comm::make_unique_id(read_config(config).meeting);
  std::memcpy(id->internal, made.bytes.data(), sizeof id->internal);
}

}  // namespace
}  // namespace conccl::capi

using namespace conccl;
using namespace conccl::capi;

concclResult_t concclGetUniqueId(concclUniqueId* id) {
  return guarded([&] {
    require(id, "concclGetUniqueId: id");
    make_id(id, nullptr);
  });
}

concclResult_t concclGetUniqueIdConfig(concclUniqueId* id, const concclConfig_t* config) {
  return guarded([&] {
    require(id, "concclGetUniqueIdConfig: id");
    make_id(id, config);
  });
}

concclResult_t concclCommInitRank(concclComm_t* comm, int nranks, concclUniqueId id, int rank) {
  return concclCommInitRankConfig(comm, nranks, id, rank, nullptr);
}

concclResult_t concclCommInitRankConfig(concclComm_t* comm, int nranks, concclUniqueId id, int rank,
                                        const concclConfig_t* config) {
  return note_in_group(guarded([&] {
    require(comm, "concclCommInitRank: comm");
    *comm = nullptr;
    check_place({rank, nranks});
    init_rank(comm, id_of(id), {rank, nranks}, config);
  }));
}

concclResult_t concclCommInitFromEnv(concclComm_t* comm, const concclConfig_t* config) {
  return note_in_group(guarded([&] {
    require(comm, "concclCommInitFromEnv: comm");
    *comm = nullptr;
    Join wanted{comm, read_config(config), {}, {}, 0};
    const auto place = comm::place_from_environment();
    wanted.place = {place.rank, place.ranks};
    check_place(wanted.place);
    wanted.device = device_of(wanted.settings, place.local_rank);
    wanted.id = comm::unique_id_from_environment(wanted.settings.meeting);
    join_or_collect(std::move(wanted));
  }));
}

concclResult_t concclCommInitAll(concclComm_t* comms, int ndev, const int* devlist) {
  return concclCommInitAllConfig(comms, ndev, devlist, nullptr);
}

concclResult_t concclCommInitAllConfig(concclComm_t* comms, int ndev, const int* devlist,
                                       const concclConfig_t* config) {
  return note_in_group(guarded([&] {
    require(comms, "concclCommInitAll: comms");
    const auto indices = device_indices(ndev, devlist);
    const std::span slots(comms, indices.size());
    std::fill(slots.begin(), slots.end(), nullptr);
    init_all(slots, indices, read_config(config));
  }));
}
