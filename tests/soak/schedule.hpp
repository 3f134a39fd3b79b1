// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

/// `Schedule`: what all ranks do in one epoch, in the same order, drawn from the shared seed.
#pragma once

#include <cstdint>
#include <map>
#include <variant>
#include <vector>

#include "conccl/comm/communicator.hpp"
#include "tests/soak/random.hpp"

namespace conccl::soak {

/// The communicator of all ranks, which lives as long as the run.
inline constexpr int kEveryone = 0;
/// Each rank has so many.
inline constexpr int kStreams = 3;

/// by_id: each member joins on its own. together: where all members are threads of this process,
/// one of them makes the communicators of all.
enum class Creation { by_id, together };

struct CommunicatorSpec {
  int number = kEveryone;
  std::vector<int> members;  ///< in order of their rank there
  plan::Direction direction = plan::Direction::push;
  comm::Policy policy = comm::Policy::automatic;
  Creation creation = Creation::by_id;
};

enum class Home { ordinary, window };

/// A send and a recv buffer on every member of a communicator.
struct BufferSpec {
  int number = 0;
  int communicator = kEveryone;
  Bytes block = 0;  ///< the largest a collective may have
  Home home = Home::ordinary;
};

struct CollectiveSpec {
  std::uint64_t operation = 0;  ///< unique in the run
  int communicator = kEveryone;
  int buffers = 0;
  plan::Collective collective = plan::Collective::all_gather;
  plan::Placement placement = plan::Placement::out_of_place;
  DataType type = DataType::uint8;
  std::uint64_t count = 0;
  Bytes skew = 0;  ///< how far into the buffers
};

struct Create {
  CommunicatorSpec spec;
};
/// With whatever is enqueued or registered on it.
struct Destroy {
  int communicator = 0;
};
struct Allocate {
  BufferSpec spec;
};
struct Free {
  int buffers = 0;
};
/// One collective, or a group of them.
struct Collect {
  std::vector<CollectiveSpec> calls;
};
struct Exchange {
  std::uint64_t operation = 0;
  int communicator = kEveryone;
  std::size_t bytes = 0;
};
using Action = std::variant<Create, Destroy, Allocate, Free, Collect, Exchange>;

struct ScheduleSpec {
  std::uint64_t seed = 0;
  std::uint64_t epoch = 0;
  int ranks = 1;
  Bytes max_bytes = 0;  ///< of one collective's output
};

/// An epoch begins and ends with nothing but the communicator of all ranks, so that what is left
/// over shows, and so that each epoch can be repeated alone.
class Schedule {
 public:
  explicit Schedule(const ScheduleSpec& spec);

  [[nodiscard]] Action next();
  /// What ends the epoch.
  [[nodiscard]] std::vector<Action> closing();

 private:
  [[nodiscard]] Action create();
  [[nodiscard]] Action destroy(int communicator);
  [[nodiscard]] Action allocate();
  [[nodiscard]] Action free();
  [[nodiscard]] Action collect(int calls);
  [[nodiscard]] Action exchange();
  [[nodiscard]] CollectiveSpec draw_call(const BufferSpec& buffers);
  [[nodiscard]] std::vector<int> draw_members(Creation creation);
  [[nodiscard]] int draw_communicator();
  [[nodiscard]] std::uint64_t next_operation();

  ScheduleSpec spec_;
  Random random_;
  std::map<int, CommunicatorSpec> communicators_;
  std::map<int, BufferSpec> buffers_;
  int last_communicator_ = kEveryone;
  int last_buffers_ = 0;
  std::uint64_t last_operation_ = 0;
};

/// Epochs number their operations from this many times their own number.
inline constexpr std::uint64_t kOperationsPerEpoch = 100'000;

}  // namespace conccl::soak
