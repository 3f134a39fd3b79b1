// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

#include "tests/soak/checked_collective.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <utility>

#include "conccl/core/errors.hpp"
#include "tests/support/expected_output.hpp"

namespace conccl::soak {
namespace {

constexpr Bytes kGuard = 64;
constexpr Bytes kMostSkew = 64;
constexpr Bytes kSpoiled = 8;
/// Guards hold patterns of ranks that do not exist.
constexpr int kSendGuard = 1'000'000;
constexpr int kRecvGuard = 2'000'000;

Bytes with_guards(Bytes data) { return data + 2 * kGuard; }
Bytes room_for(Bytes data) { return with_guards(data) + kMostSkew; }

std::vector<backend::Stretch> joined(std::vector<backend::Stretch> a,
                                     const std::vector<backend::Stretch>& b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}

}  // namespace

std::shared_ptr<Buffers> allocate(backend::Device& device, const BufferSpec& spec, int ranks) {
  auto buffers = std::make_shared<Buffers>();
  buffers->spec = spec;
  const Bytes room = room_for(static_cast<Bytes>(ranks) * spec.block);
  buffers->send = device.allocate(room);
  buffers->recv = device.allocate(room);
  return buffers;
}

CheckedCollective::CheckedCollective(const Seat& seat, std::shared_ptr<Buffers> buffers,
                                     const CollectiveSpec& spec)
    : seat_(seat),
      buffers_(std::move(buffers)),
      spec_(spec),
      request_{spec.collective, seat.ranks(), spec.count * size_of(spec.type), spec.placement} {
  // Windows have the same offsets on all ranks; ordinary buffers need not.
  const bool own_skew = buffers_->spec.home == Home::ordinary;
  const auto rank = static_cast<Bytes>(seat.rank);
  start_ = kGuard + (spec.skew + (own_skew ? 7 * rank : 0)) % kMostSkew;
}

std::vector<backend::Stretch> CheckedCollective::guards(Bytes data, int who) const {
  const backend::Pattern pattern{who, spec_.operation};
  return {{start_ - kGuard, kGuard, pattern, 0}, {start_ + data, kGuard, pattern, kGuard}};
}

std::vector<backend::Stretch> CheckedCollective::sent() const {
  const bool gather = spec_.collective == plan::Collective::all_gather;
  const backend::Pattern own{seat_.rank, spec_.operation};
  return {{start_, gather ? request_.block : plan::send_bytes(request_), own, 0}};
}

std::vector<backend::Stretch> CheckedCollective::received() const {
  return test::expected_output(request_, seat_.rank, spec_.operation, start_);
}

void CheckedCollective::enqueue(backend::Queue& stream, std::unique_ptr<backend::Task> task) {
  stream.compute(*task, {seat_.rank, 0});
  tasks_.push_back(std::move(task));
}

void CheckedCollective::prepare(backend::Queue& stream) {
  auto& device = *seat_.device;
  enqueue(stream, device.make_poison(buffers_->recv.data(), buffers_->recv.bytes()));
  auto in_recv = guards(plan::recv_bytes(request_), kRecvGuard);
  if (in_place()) in_recv.push_back(received()[static_cast<std::size_t>(seat_.rank)]);
  enqueue(stream, device.make_fill(buffers_->recv.data(), in_recv));
  if (!in_place()) {
    const auto in_send = joined(guards(plan::send_bytes(request_), kSendGuard), sent());
    enqueue(stream, device.make_fill(buffers_->send.data(), in_send));
  }
  stream.submit();
}

void CheckedCollective::call(comm::Communicator& communicator, backend::Queue& stream) {
  const void* send =
      in_place() ? buffers_->recv.at(start_ + static_cast<Bytes>(seat_.rank) * request_.block)
                 : buffers_->send.at(start_);
  void* recv = buffers_->recv.at(start_);
  if (spec_.collective == plan::Collective::all_gather) {
    communicator.all_gather(send, recv, spec_.count, spec_.type, stream);
  } else {
    communicator.all_to_all(send, recv, spec_.count, spec_.type, stream);
  }
}

bool CheckedCollective::spoil(backend::Queue& stream) {
  if (plan::recv_bytes(request_) < kSpoiled) return false;
  stream.copy(buffers_->recv.at(start_), buffers_->recv.at(start_ - kSpoiled), kSpoiled,
              {seat_.rank, 0});
  return true;
}

void CheckedCollective::check(backend::Queue& stream) {
  auto& device = *seat_.device;
  const auto in_recv = joined(received(), guards(plan::recv_bytes(request_), kRecvGuard));
  enqueue(stream, device.make_compare(buffers_->recv.data(), in_recv, found_recv_));
  if (!in_place()) {
    const auto in_send = joined(sent(), guards(plan::send_bytes(request_), kSendGuard));
    enqueue(stream, device.make_compare(buffers_->send.data(), in_send, found_send_));
  }
  stream.submit();
}

std::string CheckedCollective::description() const {
  const auto& communicator = seat_.communicator;
  return fmt::format("{} of {} x {}, {}, {}, {}, {}, skew {}, communicator {} (members {})",
                     plan::name_of(spec_.collective), spec_.count, name_of(spec_.type),
                     in_place() ? "in place" : "out of place",
                     buffers_->spec.home == Home::window ? "windows" : "ordinary buffers",
                     communicator.direction == plan::Direction::push ? "push" : "pull",
                     communicator.policy == comm::Policy::compute ? "compute units" : "DMA",
                     spec_.skew, communicator.number, fmt::join(communicator.members, ","));
}

std::vector<WrongBytes> CheckedCollective::wrong() const {
  ensure_equal(found_recv_.compared, with_guards(plan::recv_bytes(request_)),
               "bytes of recv compared");
  if (!in_place()) {
    ensure_equal(found_send_.compared, with_guards(plan::send_bytes(request_)),
                 "bytes of send compared");
  }
  std::vector<WrongBytes> all;
  for (const auto& [what, found] :
       {std::pair{"recv", &found_recv_}, std::pair{"send", &found_send_}}) {
    if (found->mismatches == 0) continue;
    WrongBytes wrong;
    wrong.what = what;
    wrong.before_data = found->first_bad < start_;
    wrong.offset = wrong.before_data ? start_ - found->first_bad : found->first_bad - start_;
    wrong.expected = found->expected;
    wrong.found = found->found;
    wrong.count = found->mismatches;
    all.push_back(wrong);
  }
  return all;
}

}  // namespace conccl::soak
