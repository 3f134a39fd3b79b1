// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

#include "backend/hsa/engines.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <filesystem>
#include <fstream>
#include <system_error>
#include <tuple>

#include "backend/hsa/settings.hpp"
#include "conccl/core/errors.hpp"

namespace conccl::backend::hsa {
namespace {

constexpr int kSixEngines = 6;
constexpr const char* kTopology = "/sys/class/kfd/kfd/topology";

std::uint32_t ids(int from, int end) {
  std::uint32_t mask = 0;
  for (int id = from; id < std::min(end, kMostEngines); ++id) mask |= 1U << id;
  return mask;
}

std::uint32_t mask_of(const std::vector<int>& allowed) {
  if (allowed.empty()) return ids(0, kMostEngines);
  std::uint32_t mask = 0;
  for (const int id : allowed) mask |= 1U << id;
  return mask;
}

/// Hands out engines of one GPU so that few copies share one.
class Spread {
 public:
  int take(std::uint32_t mask) {
    int best = -1;
    for (int id = 0; id < kMostEngines; ++id) {
      if ((mask >> id & 1U) != 0 && (best < 0 || rank(id) < rank(best))) best = id;
    }
    ++used_[static_cast<std::size_t>(best)];
    return best;
  }

 private:
  [[nodiscard]] std::tuple<int, int, int> rank(int id) const {
    return {used_[static_cast<std::size_t>(id)], id % 2, id};
  }

  std::array<int, kMostEngines> used_{};
};

struct Candidates {
  std::uint32_t peers = 0;
  std::uint32_t host = 0;
};

Candidates candidates_of(const EngineQuestion& question) {
  const int all = question.host_engines + question.peer_engines;
  const std::uint32_t allowed = mask_of(question.allowed) & ids(0, all);
  Candidates found;
  found.host = allowed & ids(0, question.host_engines);
  found.peers = question.peer_engines == 0 ? found.host : allowed & ids(question.host_engines, all);
  if (found.host == 0) found.host = found.peers;
  if (found.peers == 0) {
    throw Unavailable(fmt::format(
        "GPU {}: no SDMA engine for copies to peers: {} ids for the host, {} behind them for "
        "peers, CONCCL_HSA_ENGINES allows {}",
        question.self, question.host_engines, question.peer_engines,
        question.allowed.empty() ? "all" : "none of the latter"));
  }
  return found;
}

/// Which engines may go to peer `gpu`, and who says so.
std::pair<std::uint32_t, EngineSource> for_peer(const EngineQuestion& question, std::uint32_t peers,
                                                std::size_t gpu) {
  const std::uint32_t preferred = question.preferred[gpu];
  const bool any_id = question.peer_engines == kSixEngines && std::has_single_bit(preferred);
  const std::uint32_t may = any_id ? mask_of(question.allowed) : peers;
  if ((preferred & may) != 0) return {preferred & may, EngineSource::preferred};
  const std::uint32_t recommended = question.recommended[gpu] & peers;
  if (recommended != 0) return {recommended, EngineSource::topology};
  return {peers, EngineSource::spread};
}

/// The number behind `name` in a file of the driver's topology; 0 where there is none.
std::uint64_t property(const std::filesystem::path& file, const std::string& name) {
  std::ifstream in(file);
  std::string found;
  std::uint64_t value = 0;
  while (in >> found >> value) {
    if (found == name) return value;
  }
  return 0;
}

const char* text_of(EngineSource source) {
  switch (source) {
    case EngineSource::preferred:
      return "preferred by the runtime";
    case EngineSource::topology:
      return "recommended by the driver";
    case EngineSource::spread:
      return "spread";
  }
  return "";
}

}  // namespace

EngineTable choose_engines(const EngineQuestion& question) {
  const Candidates candidates = candidates_of(question);
  const auto self = static_cast<std::size_t>(question.self);
  EngineTable table;
  table.for_peers = std::popcount(candidates.peers);
  table.to_gpu.resize(question.preferred.size());
  table.sources.resize(question.preferred.size(), EngineSource::spread);
  Spread spread;
  for (std::size_t gpu = 0; gpu < table.to_gpu.size(); ++gpu) {
    if (gpu == self) continue;
    const auto [mask, source] = for_peer(question, candidates.peers, gpu);
    table.to_gpu[gpu] = spread.take(mask);
    table.sources[gpu] = source;
  }
  // Some parts take only the first one from the host.
  table.from_host = std::countr_zero(candidates.host);
  const std::uint32_t others = candidates.host & (candidates.host - 1);
  table.to_host = others != 0 ? std::countr_zero(others) : table.from_host;
  table.to_gpu[self] = table.from_host;
  return table;
}

std::uint32_t recommended_engines(const std::string& root, int from_node, int to_node) {
  const auto links = std::filesystem::path(root) / "nodes" / std::to_string(from_node) / "io_links";
  std::error_code error;
  for (const auto& link : std::filesystem::directory_iterator(links, error)) {
    const auto file = link.path() / "properties";
    if (property(file, "node_to") != static_cast<std::uint64_t>(to_node)) continue;
    return static_cast<std::uint32_t>(property(file, "recommended_sdma_engine_id_mask"));
  }
  return 0;
}

EngineQuestion engine_question(const Calls& calls, const std::vector<GpuFacts>& gpus, int self,
                               const std::vector<int>& allowed) {
  const GpuFacts& mine = gpus[static_cast<std::size_t>(self)];
  EngineQuestion question{self, mine.host_engines, mine.peer_engines, {}, {}, allowed};
  for (const GpuFacts& peer : gpus) {
    std::uint32_t preferred = 0;
    if (peer.index != self && calls.hsa_amd_memory_get_preferred_copy_engine != nullptr &&
        calls.hsa_amd_memory_get_preferred_copy_engine(peer.agent, mine.agent, &preferred) !=
            abi::HSA_STATUS_SUCCESS) {
      preferred = 0;
    }
    question.preferred.push_back(preferred);
    question.recommended.push_back(
        peer.index == self ? 0 : recommended_engines(kTopology, mine.node, peer.node));
  }
  return question;
}

std::string to_string(const EngineTable& table, int self) {
  std::string text;
  for (std::size_t gpu = 0; gpu < table.to_gpu.size(); ++gpu) {
    if (static_cast<int>(gpu) == self) continue;
    text += fmt::format("{}{} to GPU {} ({})", text.empty() ? "" : ", ", table.to_gpu[gpu], gpu,
                        text_of(table.sources[gpu]));
  }
  return text.empty() ? "no peers" : text;
}

}  // namespace conccl::backend::hsa
