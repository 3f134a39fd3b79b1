// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

#include "tests/faults/rank/checked_call.hpp"

#include <fmt/format.h>

#include "conccl/core/errors.hpp"
#include "tests/support/expected_output.hpp"

namespace conccl::test {
namespace {

plan::Request request_of(const Seat& seat, const Call& call) {
  return {call.collective, seat.comm.ranks(), call.count * size_of(call.type),
          plan::Placement::out_of_place};
}

/// What tasks and results refer to must outlive the stream's work, also after an exception.
class Ending {
 public:
  explicit Ending(const Seat& seat) : seat_(seat) {}
  ~Ending() {
    try {
      (void)seat_.stream.synchronize(2 * seat_.comm.options().deadline);
    } catch (const std::exception&) {
      // The call's own error is the one that counts.
    }
  }
  Ending(const Ending&) = delete;
  Ending& operator=(const Ending&) = delete;

 private:
  const Seat& seat_;
};

void check(const backend::Comparison& result, Bytes bytes) {
  if (result.mismatches == 0 && result.compared == bytes) return;
  throw CheckFailed(fmt::format("{} of {} bytes wrong, {} compared; at {} found {}, expected {}",
                                result.mismatches, bytes, result.compared, result.first_bad,
                                result.found, result.expected));
}

}  // namespace

Buffers::Buffers(backend::Device& device, Bytes bytes)
    : send_memory(device.allocate(bytes)),
      recv_memory(device.allocate(bytes)),
      send(send_memory.data()),
      recv(recv_memory.data()) {}

void Buffers::free() {
  send_memory = {};
  recv_memory = {};
}

void enqueue(const Seat& seat, const Buffers& buffers, const Call& call) {
  if (call.collective == plan::Collective::all_gather) {
    seat.comm.all_gather(buffers.send, buffers.recv, call.count, call.type, seat.stream);
  } else {
    seat.comm.all_to_all(buffers.send, buffers.recv, call.count, call.type, seat.stream);
  }
}

void synchronize(const Seat& seat) {
  const auto limit = 2 * seat.comm.options().deadline;
  if (!seat.stream.synchronize(limit)) throw RunError("hang: the stream did not come to its end");
  if (const auto why = seat.comm.async_error()) throw RunError(*why);
}

void make_checked(const Seat& seat, const Buffers& buffers, const Call& call, std::uint64_t round) {
  auto& device = seat.comm.device();
  const auto request = request_of(seat, call);
  const Bytes received = plan::recv_bytes(request);
  const auto fill = device.make_fill(
      buffers.send, {{0, plan::send_bytes(request), {seat.comm.rank(), round}, 0}});
  const auto poison = device.make_poison(buffers.recv, received);
  backend::Comparison result;
  const auto compare =
      device.make_compare(buffers.recv, expected_output(request, seat.comm.rank(), round), result);
  const Ending ending(seat);
  seat.stream.compute(*fill, {});
  seat.stream.compute(*poison, {});
  seat.stream.submit();
  enqueue(seat, buffers, call);
  seat.stream.compute(*compare, {});
  seat.stream.submit();
  synchronize(seat);
  check(result, received);
}

}  // namespace conccl::test
