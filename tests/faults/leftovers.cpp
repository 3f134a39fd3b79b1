// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

#include "tests/faults/leftovers.hpp"

#include <sys/stat.h>

#include <cctype>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <thread>

namespace conccl::test {
namespace {

namespace fs = std::filesystem;
using namespace std::chrono_literals;

void add_mapped_memory(const fs::path& process, std::set<std::string>& found) {
  std::ifstream maps(process / "maps");
  std::string line;
  while (std::getline(maps, line)) {
    if (line.find("memfd:conccl") == std::string::npos) continue;
    std::istringstream words(line);
    std::string range;
    std::string access;
    std::string offset;
    std::string device;
    std::string inode;
    words >> range >> access >> offset >> device >> inode;
    found.insert(inode);
  }
}

void add_open_memory(const fs::path& process, std::set<std::string>& found) {
  std::error_code gone;
  for (const auto& entry : fs::directory_iterator(process / "fd", gone)) {
    const auto target = fs::read_symlink(entry.path(), gone).string();
    if (target.find("memfd:conccl") == std::string::npos) continue;
    struct stat file{};
    if (::stat(entry.path().c_str(), &file) == 0) found.insert(std::to_string(file.st_ino));
  }
}

void add_memory(const fs::path& process, std::set<std::string>& found) {
  add_mapped_memory(process, found);
  add_open_memory(process, found);
}

/// Of the process's descriptors: "socket:[123]" gives 123.
std::set<std::string> socket_numbers(const fs::path& process) {
  std::set<std::string> found;
  std::error_code gone;
  for (const auto& entry : fs::directory_iterator(process / "fd", gone)) {
    const auto target = fs::read_symlink(entry.path(), gone).string();
    if (target.rfind("socket:[", 0) == 0) found.insert(target.substr(8, target.size() - 9));
  }
  return found;
}

/// Number and name of every Unix-domain socket of ConCCL's.
std::set<std::pair<std::string, std::string>> socket_table() {
  std::ifstream table("/proc/net/unix");
  std::string line;
  std::set<std::pair<std::string, std::string>> found;
  while (std::getline(table, line)) {
    const auto name = line.find("@conccl-");
    if (name == std::string::npos) continue;
    std::istringstream words(line.substr(0, name));
    std::string number;
    while (words >> number) {
    }
    found.emplace(number, line.substr(name));
  }
  return found;
}

Holdings held_by_all() {
  Holdings found;
  std::error_code gone;
  for (const auto& entry : fs::directory_iterator("/proc", gone)) {
    if (std::isdigit(static_cast<unsigned char>(entry.path().filename().string()[0])) != 0) {
      add_memory(entry.path(), found.memory);
    }
  }
  for (const auto& [number, name] : socket_table()) found.sockets.insert(number + " " + name);
  return found;
}

std::string common(const std::set<std::string>& before, const std::set<std::string>& now) {
  std::string text;
  for (const auto& each : before) {
    if (now.contains(each)) text += " [" + each + "]";
  }
  return text;
}

}  // namespace

Holdings held_by(const std::vector<pid_t>& processes) {
  Holdings found;
  std::set<std::string> numbers;
  for (const pid_t process : processes) {
    const auto folder = fs::path("/proc") / std::to_string(process);
    add_memory(folder, found.memory);
    numbers.merge(socket_numbers(folder));
  }
  for (const auto& [number, name] : socket_table()) {
    if (numbers.contains(number)) found.sockets.insert(number + " " + name);
  }
  return found;
}

testing::AssertionResult nobody_holds(const Holdings& holdings, std::chrono::seconds limit) {
  const auto until = std::chrono::steady_clock::now() + limit;
  std::string text;
  do {
    const auto now = held_by_all();
    text = common(holdings.memory, now.memory) + common(holdings.sockets, now.sockets);
    if (text.empty()) return testing::AssertionSuccess();
    std::this_thread::sleep_for(50ms);
  } while (std::chrono::steady_clock::now() < until);
  return testing::AssertionFailure() << "still held:" << text;
}

}  // namespace conccl::test
