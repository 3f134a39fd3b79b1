// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

/// `CheckedCollective`: one collective on a stream, between the fills before it and the compares
/// after it.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "conccl/comm/communicator.hpp"
#include "tests/soak/schedule.hpp"

namespace conccl::soak {

/// One rank's buffers of a `BufferSpec`, with room for guards and skew around the data.
struct Buffers {
  BufferSpec spec;
  backend::Memory send;
  backend::Memory recv;
  std::optional<comm::Window> send_window;
  std::optional<comm::Window> recv_window;
};

[[nodiscard]] std::shared_ptr<Buffers> allocate(backend::Device& device, const BufferSpec& spec,
                                                int ranks);

/// How a rank takes part.
struct Seat {
  backend::Device* device = nullptr;
  CommunicatorSpec communicator;
  int rank = 0;  ///< in it

  [[nodiscard]] int ranks() const { return static_cast<int>(communicator.members.size()); }
};

struct WrongBytes {
  std::string what;
  Bytes offset = 0;  ///< of the first, from the start of the data; guards lie outside it
  int expected = 0;
  int found = 0;
  std::uint64_t count = 0;
  bool before_data = false;  ///< offset counts backwards
};

/// Must stay in place from `prepare` until the stream has passed `check`. Keeps the buffers.
class CheckedCollective {
 public:
  CheckedCollective(const Seat& seat, std::shared_ptr<Buffers> buffers, const CollectiveSpec& spec);

  /// Enqueues and submits: poison and guards in recv, this rank's bytes in send.
  void prepare(backend::Queue& stream);
  void call(comm::Communicator& communicator, backend::Queue& stream);
  /// Enqueues and submits: all of recv and send, with their guards, against what they must hold.
  void check(backend::Queue& stream);
  /// Overwrites the first bytes of the output, for `check` to find; false: there are too few.
  [[nodiscard]] bool spoil(backend::Queue& stream);

  /// Once the stream has passed. Throws BrokenInvariant when not all bytes were compared.
  [[nodiscard]] std::vector<WrongBytes> wrong() const;
  [[nodiscard]] Bytes checked() const { return found_recv_.compared + found_send_.compared; }
  [[nodiscard]] const CollectiveSpec& spec() const { return spec_; }
  /// For people.
  [[nodiscard]] std::string description() const;

 private:
  [[nodiscard]] bool in_place() const { return request_.placement == plan::Placement::in_place; }
  [[nodiscard]] std::vector<backend::Stretch> guards(Bytes data, int who) const;
  [[nodiscard]] std::vector<backend::Stretch> sent() const;
  [[nodiscard]] std::vector<backend::Stretch> received() const;
  void enqueue(backend::Queue& stream, std::unique_ptr<backend::Task> task);

  Seat seat_;
  std::shared_ptr<Buffers> buffers_;
  CollectiveSpec spec_;
  plan::Request request_;
  Bytes start_;  ///< of the data, in either buffer
  std::vector<std::unique_ptr<backend::Task>> tasks_;
  backend::Comparison found_send_;
  backend::Comparison found_recv_;
};

}  // namespace conccl::soak
