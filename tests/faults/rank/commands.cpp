// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

#include "tests/faults/rank/commands.hpp"

#include <fmt/format.h>
#include <sys/resource.h>

#include <cstring>

#include "conccl/backend/registry.hpp"
#include "conccl/core/errors.hpp"
#include "tests/faults/rank/facts.hpp"
#include "tests/faults/rank/foreign.hpp"

namespace conccl::test {
namespace {

constexpr Bytes kOrdinaryBytes = 2 * kMiB;

template <typename Value>
Value next(Words& words) {
  Value value{};
  if (!(words >> value)) throw InputError("conccl-rank: a word is missing: " + words.str());
  return value;
}

Call call_in(Words& words, const std::string& collective) {
  Call call;
  call.collective =
      collective == "all_gather" ? plan::Collective::all_gather : plan::Collective::all_to_all;
  call.count = next<std::uint64_t>(words);
  call.type = parse_data_type(next<std::string>(words));
  return call;
}

}  // namespace

Commands::Commands(const std::string& backend, int device)
    : backend_(backend::open(backend)),
      device_(backend_->open_device(device)),
      stream_(device_->make_queue({"stream", plan::Engine::compute, {}, {}})),
      ordinary_(*device_, kOrdinaryBytes) {}

const std::map<std::string, Commands::Command>& Commands::table() {
  static const std::map<std::string, Command> commands{
      {"join", &Commands::join},         {"id", &Commands::make_id},
      {"windows", &Commands::windows},   {"register-again", &Commands::register_again},
      {"free", &Commands::free_windows}, {"deregister", &Commands::deregister},
      {"loop", &Commands::loop},         {"call", &Commands::call},
      {"enqueue", &Commands::enqueue},   {"announce", &Commands::announce},
      {"exchange", &Commands::exchange}, {"flags", &Commands::flags},
      {"leave", &Commands::leave},       {"abort", &Commands::abort_later},
      {"many", &Commands::many},         {"many-local", &Commands::many_local},
      {"allocate", &Commands::allocate}, {"limit-files", &Commands::limit_files},
      {"facts", &Commands::facts},       {"foreign", &Commands::foreign},
      {"wait", &Commands::wait},         {"fault", &Commands::fault},
  };
  return commands;
}

std::string Commands::run(const std::string& line) {
  Words words(line);
  const auto name = next<std::string>(words);
  const auto found = table().find(name);
  if (found == table().end()) throw InputError("conccl-rank: unknown command: " + line);
  return (this->*found->second)(words);
}

comm::Communicator& Commands::comm() {
  if (!comm_) throw InputError("conccl-rank: no communicator");
  return *comm_;
}

Buffers& Commands::home(const std::string& name) {
  if (name == "foreign") return foreign_;
  return name == "window" ? windowed_ : ordinary_;
}

std::string Commands::make_id(Words& words) {
  comm::MeetingOptions options;
  options.deadline = std::chrono::milliseconds(next<int>(words));
  return comm::to_text(comm::make_unique_id(options));
}

std::string Commands::join(Words& words) {
  const auto id = comm::parse_unique_id(next<std::string>(words));
  comm::RankOf place;
  place.rank = next<int>(words);
  place.ranks = next<int>(words);
  comm::Options options;
  options.deadline = std::chrono::milliseconds(next<int>(words));
  comm_ = std::make_unique<comm::Communicator>(
      comm::Communicator::init_rank(*backend_, *device_, id, place, options));
  return {};
}

std::string Commands::windows(Words& words) {
  const auto bytes = next<Bytes>(words);
  std::string kind;
  windowed_.free();
  windowed_ = words >> kind ? foreign_buffers(*device_, kind, bytes) : Buffers(*device_, bytes);
  windows_.push_back(
      comm().register_window(windowed_.send_memory.data(), windowed_.send_memory.bytes()));
  windows_.push_back(
      comm().register_window(windowed_.recv_memory.data(), windowed_.recv_memory.bytes()));
  return {};
}

std::string Commands::foreign(Words& words) {
  const auto kind = next<std::string>(words);
  foreign_.free();
  foreign_ = foreign_buffers(*device_, kind, next<Bytes>(words));
  return {};
}

std::string Commands::wait(Words&) {
  synchronize(seat());
  return {};
}

std::string Commands::fault(Words&) {
  auto* const nowhere = reinterpret_cast<void*>(std::uintptr_t{16});
  const auto fill = device_->make_fill(nowhere, {{0, 64, {}, 0}});
  stream_->compute(*fill, {});
  stream_->submit();
  synchronize(seat());
  return {};
}

std::string Commands::register_again(Words& words) {
  for (int left = next<int>(words); left > 0; --left) {
    const auto memory = device_->allocate(kMiB);
    comm().deregister(comm().register_window(memory.data(), memory.bytes()));
  }
  return {};
}

std::string Commands::free_windows(Words&) {
  windowed_.free();
  return {};
}

std::string Commands::deregister(Words&) {
  for (const auto window : windows_) comm().deregister(window);
  windows_.clear();
  return {};
}

std::string Commands::call(Words& words) {
  const auto collective = next<std::string>(words);
  const auto& buffers = home(next<std::string>(words));
  const auto call = call_in(words, collective);
  make_checked(seat(), buffers, call, next<std::uint64_t>(words));
  return {};
}

std::string Commands::enqueue(Words& words) {
  const auto collective = next<std::string>(words);
  const auto& buffers = home(next<std::string>(words));
  const auto call = call_in(words, collective);
  for (int left = next<int>(words); left > 0; --left) test::enqueue(seat(), buffers, call);
  return {};
}

std::string Commands::announce(Words& words) {
  fresh_.clear();
  for (int left = next<int>(words); left > 0; --left) fresh_.emplace_back(*device_, kMiB);
  comm::Group group;
  for (const auto& buffers : fresh_) {
    test::enqueue(seat(), buffers, {plan::Collective::all_gather, 1, DataType::uint8});
  }
  group.end();
  synchronize(seat());
  return {};
}

std::string Commands::exchange(Words& words) {
  const auto text = next<std::string>(words);
  std::string all;
  for (const auto& bytes : comm().exchange(std::as_bytes(std::span(text)))) {
    all += all.empty() ? "" : " ";
    for (const auto byte : bytes) all += static_cast<char>(byte);
  }
  return all;
}

std::string Commands::flags(Words& words) {
  const auto blocks = comm().shared_flags(next<int>(words));
  return std::to_string(blocks.size());
}

std::string Commands::leave(Words&) {
  aborter_ = {};
  windows_.clear();
  comm_.reset();
  windowed_.free();
  return {};
}

std::string Commands::abort_later(Words& words) {
  const std::chrono::milliseconds pause(next<int>(words));
  aborter_ = std::jthread([this, pause] {
    std::this_thread::sleep_for(pause);
    comm_->abort("the test wants it");
  });
  return {};
}

std::string Commands::allocate(Words& words) {
  const auto bytes = next<Bytes>(words);
  for (int left = next<int>(words); left > 0; --left) {
    held_.push_back(device_->allocate(bytes));
    std::memset(held_.back().data(), 1, bytes);
  }
  return {};
}

std::string Commands::limit_files(Words& words) {
  const auto count = next<rlim_t>(words);
  const rlimit limit{count, count};
  ensure_equal(setrlimit(RLIMIT_NOFILE, &limit), 0, "setrlimit");
  return {};
}

std::string Commands::facts(Words&) { return text_of(process_facts()); }

}  // namespace conccl::test
