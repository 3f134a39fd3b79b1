// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

#include "cli/output_file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <utility>

#include "conccl/core/errors.hpp"

namespace conccl::cli {
namespace {

constexpr mode_t kMode = 0666;
/// Enough to meet a full disk.
constexpr std::size_t kTrialBytes = 4096;

[[noreturn]] void fail(const std::filesystem::path& path) {
  const int reason = errno;
  throw RunError(fmt::format("cannot write \"{}\": {}", path.string(), std::strerror(reason)));
}

/// Owns a descriptor of the file at `path`; errors name `target`, which must outlive it.
class Descriptor {
 public:
  Descriptor(const std::filesystem::path& path, int flags, const std::filesystem::path& target)
      : target_(target), fd_(::open(path.c_str(), flags | O_WRONLY | O_CLOEXEC, kMode)) {
    if (fd_ < 0) fail(target_);
  }
  ~Descriptor() {
    if (fd_ >= 0) ::close(fd_);
  }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;

  void write(std::string_view text) const {
    while (!text.empty()) {
      const auto written = ::write(fd_, text.data(), text.size());
      if (written < 0 && errno == EINTR) continue;
      if (written < 0) fail(target_);
      text.remove_prefix(static_cast<std::size_t>(written));
    }
  }
  /// Some file systems report a full disk only here.
  void sync_and_close() {
    if (::fsync(fd_) != 0 && errno != EINVAL) fail(target_);
    if (::close(std::exchange(fd_, -1)) != 0) fail(target_);
  }

 private:
  const std::filesystem::path& target_;
  int fd_;
};

/// A file beside `target` that is gone at the end unless it took the target's place.
class Beside {
 public:
  explicit Beside(const std::filesystem::path& target)
      : target_(target), path_(target.string() + fmt::format(".{}.tmp", ::getpid())) {}
  ~Beside() {
    if (!placed_) ::unlink(path_.c_str());
  }
  Beside(const Beside&) = delete;
  Beside& operator=(const Beside&) = delete;

  void fill(std::string_view text) const {
    Descriptor file(path_, O_CREAT | O_TRUNC, target_);
    file.write(text);
    file.sync_and_close();
  }
  void place() {
    if (::rename(path_.c_str(), target_.c_str()) != 0) fail(target_);
    placed_ = true;
  }

 private:
  const std::filesystem::path& target_;
  std::filesystem::path path_;
  bool placed_ = false;
};

}  // namespace

OutputFile::OutputFile(const std::string& path) : path_(path) {
  if (path_.empty() || is_stdout()) return;
  std::error_code none;
  // A link stays a link: what it points to is replaced.
  if (auto target = std::filesystem::canonical(path_, none); !none) path_ = std::move(target);
  struct stat status{};
  in_place_ = ::stat(path_.c_str(), &status) == 0 && !S_ISREG(status.st_mode);
  // A pipe's reader would get the trial too.
  if (!in_place_ || !S_ISFIFO(status.st_mode)) try_out();
}

void OutputFile::try_out() const {
  if (in_place_) {
    Descriptor(path_, 0, path_).write("\n");
    return;
  }
  if (::access(path_.c_str(), F_OK) == 0 && ::access(path_.c_str(), W_OK) != 0) fail(path_);
  Beside(path_).fill(std::string(kTrialBytes, ' '));
}

void OutputFile::write(std::string_view text) const {
  if (path_.empty()) return;
  if (is_stdout()) {
    if (std::fwrite(text.data(), 1, text.size(), stdout) != text.size() ||
        std::fflush(stdout) != 0) {
      fail("standard output");
    }
  } else if (in_place_) {
    Descriptor(path_, 0, path_).write(text);
  } else {
    replace(text);
  }
}

void OutputFile::replace(std::string_view text) const {
  Beside file(path_);
  file.fill(text);
  file.place();
}

}  // namespace conccl::cli
