// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

#include "bench/collective_bench_calls.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "conccl/core/errors.hpp"
#include "conccl/core/log.hpp"

namespace conccl::bench {
namespace {

bool in_place(const plan::Request& request) {
  return request.placement == plan::Placement::in_place;
}

class OwnCall final : public Call {
 public:
  OwnCall(Ranks& ranks, const BenchBuffers& buffers, const plan::Request& request, DataType type)
      : ranks_(ranks), buffers_(buffers), request_(request), type_(type) {}

  void enqueue() override {
    comm::Group group;
    for (std::size_t local = 0; local < ranks_.local_count(); ++local) enqueue_on(local);
    group.end();
  }
  [[nodiscard]] backend::Queue& queue(std::size_t local) const override {
    return ranks_.stream(local);
  }
  void synchronize() override { ranks_.synchronize(); }

 private:
  void enqueue_on(std::size_t local) {
    const std::uint64_t count = request_.block / size_of(type_);
    const void* const send = buffers_.input(local, request_);
    void* const recv = buffers_.recv(local).data();
    auto& communicator = ranks_.communicator(local);
    if (request_.collective == plan::Collective::all_gather) {
      communicator.all_gather(send, recv, count, type_, ranks_.stream(local));
    } else {
      communicator.all_to_all(send, recv, count, type_, ranks_.stream(local));
    }
  }

  Ranks& ranks_;
  const BenchBuffers& buffers_;
  plan::Request request_;
  DataType type_;
};

class OwnLibrary final : public Library {
 public:
  OwnLibrary(Ranks& ranks, const BenchBuffers& buffers, DataType type)
      : ranks_(ranks), buffers_(buffers), type_(type) {}

  [[nodiscard]] const std::string& name() const override { return name_; }
  [[nodiscard]] std::unique_ptr<Call> make_call(const plan::Request& request) override {
    return std::make_unique<OwnCall>(ranks_, buffers_, request, type_);
  }

 private:
  std::string name_{kOwnLibrary};
  Ranks& ranks_;
  const BenchBuffers& buffers_;
  DataType type_;
};

class PeerCall final : public Call {
 public:
  PeerCall(Ranks& ranks, std::unique_ptr<backend::Task> task)
      : ranks_(ranks), task_(std::move(task)) {}

  void enqueue() override {
    ranks_.stream(0).compute(*task_, {ranks_.rank_of(0), 0});
    ranks_.stream(0).submit();
  }
  [[nodiscard]] backend::Queue& queue(std::size_t local) const override {
    return ranks_.stream(local);
  }
  void synchronize() override { ranks_.synchronize(); }

 private:
  Ranks& ranks_;
  std::unique_ptr<backend::Task> task_;
};

class PeerLibrary final : public Library {
 public:
  PeerLibrary(Ranks& ranks, const BenchBuffers& buffers, Peer& peer) : ranks_(ranks), peer_(peer) {
    const auto& send = buffers.send(0);
    const auto& recv = buffers.recv(0);
    peer_.attach({send.data(), send.bytes(), recv.data(), recv.bytes()});
  }
  ~PeerLibrary() override {
    try {
      peer_.detach();
    } catch (const std::exception& error) {
      log(LogLevel::warning, fmt::format("{} is not detached: {}", name(), error.what()));
    }
  }
  PeerLibrary(const PeerLibrary&) = delete;
  PeerLibrary& operator=(const PeerLibrary&) = delete;

  [[nodiscard]] const std::string& name() const override { return peer_.facts().name; }
  [[nodiscard]] std::unique_ptr<Call> make_call(const plan::Request& request) override {
    peer_.prepare(request);
    return std::make_unique<PeerCall>(ranks_, peer_.make_collective(request, 0));
  }

 private:
  Ranks& ranks_;
  Peer& peer_;
};

struct BareCopy {
  void* dst = nullptr;
  const void* src = nullptr;
};

using Queues = std::vector<std::unique_ptr<backend::Queue>>;

class BareCall final : public Call {
 public:
  /// `copies` by local rank, of `bytes` each.
  BareCall(Ranks& ranks, const Queues& queues, std::vector<std::vector<BareCopy>> copies,
           Bytes bytes)
      : ranks_(ranks), queues_(queues), copies_(std::move(copies)), bytes_(bytes) {}

  void enqueue() override {
    for (std::size_t local = 0; local < copies_.size(); ++local) {
      for (const auto& copy : copies_[local]) {
        queues_[local]->copy(copy.dst, copy.src, bytes_, {ranks_.rank_of(local), 0});
      }
      queues_[local]->submit();
    }
  }
  [[nodiscard]] backend::Queue& queue(std::size_t local) const override { return *queues_[local]; }
  void synchronize() override {
    const auto limit = ranks_.communicator(0).options().deadline;
    for (std::size_t local = 0; local < queues_.size(); ++local) {
      if (queues_[local]->synchronize(limit)) continue;
      throw RunError(fmt::format("rank {}: bare copies not done after {} ms", ranks_.rank_of(local),
                                 limit.count()));
    }
  }
  [[nodiscard]] Kind kind() const override { return Kind::bare; }

 private:
  Ranks& ranks_;
  const Queues& queues_;
  std::vector<std::vector<BareCopy>> copies_;
  Bytes bytes_;
};

class BareCopies final : public Library {
 public:
  BareCopies(Ranks& ranks, const BenchBuffers& buffers, plan::Direction direction)
      : ranks_(ranks), buffers_(buffers), direction_(direction) {
    for (std::size_t local = 0; local < ranks.local_count(); ++local) {
      queues_.push_back(
          ranks.device(local).make_queue({std::string(kBareCopies), plan::Engine::dma, {}, {}}));
    }
  }

  [[nodiscard]] const std::string& name() const override { return name_; }
  [[nodiscard]] std::unique_ptr<Call> make_call(const plan::Request& request) override {
    std::vector<std::vector<BareCopy>> copies(ranks_.local_count());
    for (std::size_t local = 0; local < copies.size() && request.block > 0; ++local) {
      const int rank = ranks_.rank_of(local);
      // Each begins with the next rank, so that no rank has all of them at once.
      for (int step = 1; step < request.ranks; ++step) {
        copies[local].push_back(copy_with(local, (rank + step) % request.ranks, request));
      }
    }
    return std::make_unique<BareCall>(ranks_, queues_, std::move(copies), request.block);
  }

 private:
  [[nodiscard]] BareCopy copy_with(std::size_t local, int peer,
                                   const plan::Request& request) const {
    const int rank = ranks_.rank_of(local);
    const bool push = direction_ == plan::Direction::push;
    const int from = push ? rank : peer;
    const int to = push ? peer : rank;
    const bool all_to_all = request.collective == plan::Collective::all_to_all;
    const Bytes skipped = all_to_all ? static_cast<Bytes>(to) * request.block : 0;
    return {buffers_.output_of(local, to) + static_cast<Bytes>(from) * request.block,
            buffers_.input_of(local, from, request) + skipped};
  }

  std::string name_{kBareCopies};
  Ranks& ranks_;
  const BenchBuffers& buffers_;
  plan::Direction direction_;
  Queues queues_;
};

Bytes at_least_one(Bytes bytes) { return std::max<Bytes>(bytes, 1); }

}  // namespace

BenchBuffers::BenchBuffers(Ranks& ranks, const plan::Request& largest, Kind kind)
    : ranks_(ranks), kind_(kind) {
  for (std::size_t local = 0; local < ranks_.local_count(); ++local) {
    auto& device = ranks_.device(local);
    send_.push_back(device.allocate(at_least_one(plan::send_bytes(largest))));
    recv_.push_back(device.allocate(at_least_one(plan::recv_bytes(largest))));
  }
  if (kind == Kind::ordinary) return;
  send_windows_ = ranks_.register_windows(send_);
  recv_windows_ = ranks_.register_windows(recv_);
}

std::byte* BenchBuffers::input(std::size_t local, const plan::Request& request) const {
  if (!in_place(request)) return send_[local].at(0);
  return recv_[local].at(static_cast<Bytes>(ranks_.rank_of(local)) * request.block);
}

std::byte* BenchBuffers::input_of(std::size_t local, int rank, const plan::Request& request) const {
  if (in_place(request)) return output_of(local, rank) + static_cast<Bytes>(rank) * request.block;
  return static_cast<std::byte*>(ranks_.communicator(local).address(send_windows_[local], rank));
}

std::byte* BenchBuffers::output_of(std::size_t local, int rank) const {
  return static_cast<std::byte*>(ranks_.communicator(local).address(recv_windows_[local], rank));
}

std::unique_ptr<Library> make_own_library(Ranks& ranks, const BenchBuffers& buffers,
                                          DataType type) {
  return std::make_unique<OwnLibrary>(ranks, buffers, type);
}

std::unique_ptr<Library> make_peer_library(Ranks& ranks, const BenchBuffers& buffers, Peer& peer) {
  return std::make_unique<PeerLibrary>(ranks, buffers, peer);
}

std::unique_ptr<Library> make_bare_copies(Ranks& ranks, const BenchBuffers& buffers,
                                          const CollectiveBenchOptions& options) {
  return std::make_unique<BareCopies>(ranks, buffers, options.direction);
}

}  // namespace conccl::bench
