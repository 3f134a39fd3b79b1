// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

/// Collectives whose every byte is checked by the device.
#pragma once

#include <cstdint>

#include "conccl/comm/communicator.hpp"

namespace conccl::test {

/// A send and a recv buffer. The addresses stay what they are when the memory is freed.
struct Buffers {
  Buffers() = default;
  Buffers(backend::Device& device, Bytes bytes);
  void free();

  backend::Memory send_memory;
  backend::Memory recv_memory;
  void* send = nullptr;
  void* recv = nullptr;
};

struct Call {
  plan::Collective collective = plan::Collective::all_gather;
  std::uint64_t count = 0;
  DataType type = DataType::uint8;
};

/// A rank's communicator and stream.
struct Seat {
  comm::Communicator& comm;
  backend::Queue& stream;
};

/// Enqueues the call alone; nothing is written or checked.
void enqueue(const Seat& seat, const Buffers& buffers, const Call& call);
/// Fills send with the pattern of `round`, makes the call, waits for it and checks all of recv.
/// Throws RunError when the communicator failed, CheckFailed for wrong bytes.
void make_checked(const Seat& seat, const Buffers& buffers, const Call& call, std::uint64_t round);
/// Throws RunError when the stream does not end within twice the deadline, or the communicator has
/// failed.
void synchronize(const Seat& seat);

}  // namespace conccl::test
