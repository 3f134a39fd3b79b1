// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

/// `LineTagger`: passes the output of ranks on line by line, each with the rank it is from.
#pragma once

#include <poll.h>

#include <string>
#include <vector>

#include "conccl/core/descriptor.hpp"

namespace conccl::cli {

/// One thread. Lines reach the target whole; one that grows over kLongestLine is cut.
class LineTagger {
 public:
  static constexpr std::size_t kLongestLine = 65'536;

  /// A pipe whose text goes to `target` (a descriptor that must stay open); the end to write to.
  [[nodiscard]] FileDescriptor open(int rank, int target);

  /// What to wait for: one entry per pipe that is still open.
  void add_to(std::vector<pollfd>& wanted) const;
  /// Passes on what there is, without waiting.
  void forward();
  /// `forward`, and the lines that have no end yet.
  void finish();

 private:
  struct Stream {
    std::string tag;
    int target = -1;
    FileDescriptor source;
    std::string pending;
  };
  void read_from(Stream& stream);
  static void write_lines(Stream& stream);
  static void write_rest(Stream& stream);

  std::vector<Stream> streams_;
};

}  // namespace conccl::cli
