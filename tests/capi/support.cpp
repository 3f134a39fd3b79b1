// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

#include "tests/capi/support.hpp"

#include <numeric>
#include <thread>

namespace conccl::test {

std::string last_error(concclComm_t comm) { return concclGetLastError(comm); }

concclConfig_t with_deadline(int milliseconds) {
  concclConfig_t config = CONCCL_CONFIG_INITIALIZER;
  config.deadline_ms = milliseconds;
  return config;
}

concclResult_t async_error(concclComm_t comm) {
  concclResult_t found = concclInternalError;
  EXPECT_OK(concclCommGetAsyncError(comm, &found));
  return found;
}

void expect_refused(concclResult_t result, concclResult_t expected, const std::string& words) {
  EXPECT_EQ(result, expected) << last_error();
  EXPECT_THAT(last_error(), testing::HasSubstr(words));
}

Ranks::Ranks(int count, const concclConfig_t* config) : comms(at(count)), streams(at(count)) {
  const concclConfig_t patient = with_deadline(kPatienceMs);
  EXPECT_OK(
      concclCommInitAllConfig(comms.data(), count, nullptr, config != nullptr ? config : &patient));
  for (int rank = 0; rank < count; ++rank) {
    EXPECT_OK(concclStreamCreate(&streams[at(rank)], comms[at(rank)]));
  }
}

Ranks::~Ranks() {
  for (auto* comm : comms) {
    if (comm != nullptr) {
      EXPECT_OK(concclCommDestroy(comm));
    }
  }
  for (auto* stream : streams) {
    if (stream != nullptr) {
      EXPECT_OK(concclStreamDestroy(stream));
    }
  }
}

void Ranks::synchronize() const {
  for (auto* stream : streams) EXPECT_OK(concclStreamSynchronize(stream, kPatienceMs));
}

Buffer::Buffer(std::size_t bytes) { EXPECT_OK(concclMemAlloc(&data_, bytes)); }

Buffer::~Buffer() { EXPECT_OK(concclMemFree(data_)); }

std::vector<concclResult_t> on_each_rank(int ranks,
                                         const std::function<concclResult_t(int)>& call) {
  std::vector<concclResult_t> results(at(ranks), concclInternalError);
  std::vector<std::jthread> threads;
  for (int rank = 0; rank < ranks; ++rank) {
    threads.emplace_back([&, rank] { results[at(rank)] = call(rank); });
  }
  threads.clear();
  return results;
}

Gather::Gather(int rank_count, std::size_t elements) : count(elements) {
  const auto ranks = at(rank_count);
  for (std::size_t rank = 0; rank < ranks; ++rank) {
    send.emplace_back(count * sizeof(std::int32_t));
    recv.emplace_back(ranks * count * sizeof(std::int32_t));
    std::iota(send[rank].words(), send[rank].words() + count,
              static_cast<std::int32_t>(rank * count));
    std::fill_n(recv[rank].words(), ranks * count, -1);
  }
}

concclResult_t Gather::call(const Ranks& ranks, int rank) const {
  return concclAllGather(send[at(rank)].data(), recv[at(rank)].data(), count, concclInt32,
                         ranks.comms[at(rank)], ranks.streams[at(rank)]);
}

testing::AssertionResult Gather::right() const {
  for (std::size_t rank = 0; rank < recv.size(); ++rank) {
    for (std::size_t i = 0; i < recv.size() * count; ++i) {
      if (recv[rank].words()[i] == static_cast<std::int32_t>(i)) continue;
      return testing::AssertionFailure()
             << "rank " << rank << " element " << i << ": " << recv[rank].words()[i];
    }
  }
  return testing::AssertionSuccess();
}

}  // namespace conccl::test
