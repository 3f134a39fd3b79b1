// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

/// What `conccl-rank` can be told to do, one line a command; the comment at each says its words.
#pragma once

#include <functional>
#include <map>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

#include "tests/faults/rank/checked_call.hpp"

namespace conccl::test {

using Words = std::istringstream;

/// One rank of one communicator at a time, on one device.
class Commands {
 public:
  Commands(const std::string& backend, int device);

  /// Returns what is to be answered; throws what the library throws.
  std::string run(const std::string& line);

 private:
  using Command = std::string (Commands::*)(Words&);
  [[nodiscard]] static const std::map<std::string, Command>& table();

  std::string join(Words& words);            // join ID RANK RANKS DEADLINE_MS
  std::string make_id(Words& words);         // id DEADLINE_MS: answers with it
  std::string windows(Words& words);         // windows BYTES [KIND]: registers send and recv
  std::string register_again(Words& words);  // register-again COUNT: registers, deregisters
  std::string free_windows(Words& words);    // free: of the windows' memory
  std::string deregister(Words& words);      // deregister: both
  std::string foreign(Words& words);         // foreign KIND BYTES: buffers of others' making
  std::string wait(Words& words);            // wait: for all that is enqueued
  std::string fault(Words& words);           // fault: the device writes where it must not
  std::string loop(Words& words);            // loop SEED COUNT: mixed checked collectives
  std::string call(Words& words);            // call COLLECTIVE HOME COUNT TYPE ROUND: one of them
  std::string enqueue(Words& words);         // enqueue COLLECTIVE HOME COUNT TYPE TIMES
  std::string announce(Words& words);        // announce COUNT: a group of calls on fresh memory
  std::string exchange(Words& words);        // exchange TEXT
  std::string flags(Words& words);           // flags COUNT
  std::string leave(Words& words);           // leave: destroys the communicator
  std::string abort_later(Words& words);     // abort MS: from another thread, after that time
  std::string many(Words& words);            // many COUNT: communicators, one after the other
  std::string many_local(Words& words);      // many-local COUNT RANKS: all ranks in this process
  std::string allocate(Words& words);        // allocate BYTES COUNT
  std::string limit_files(Words& words);     // limit-files COUNT
  std::string facts(Words& words);           // facts: what the process holds

  void mixed_round(std::uint64_t seed, std::uint64_t round);
  void child_communicator(std::uint64_t round);
  [[nodiscard]] comm::Communicator& comm();
  [[nodiscard]] Seat seat() { return {comm(), *stream_}; }
  [[nodiscard]] Buffers& home(const std::string& name);

  std::unique_ptr<backend::Backend> backend_;
  std::unique_ptr<backend::Device> device_;
  std::unique_ptr<backend::Queue> stream_;
  Buffers ordinary_;
  Buffers windowed_;
  Buffers foreign_;
  std::vector<Buffers> fresh_;  ///< of `announce`
  std::vector<comm::Window> windows_;
  std::vector<backend::Memory> held_;
  std::unique_ptr<comm::Communicator> comm_;
  std::jthread aborter_;  ///< uses the communicator, so it goes first
};

}  // namespace conccl::test
