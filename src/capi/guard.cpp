// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

#include "capi/guard.hpp"

#include <fmt/format.h>

#include <cstdio>
#include <cstdlib>
#include <new>
#include <string_view>
#include <system_error>

#include "conccl/core/log.hpp"

namespace conccl::capi {
namespace {

concclResult_t keep(concclResult_t result, const char* text) noexcept {
  last_error_of_thread().set(text);
  return result;
}

void print(LogLevel level, LogLevel least, std::string_view line) {
  if (level < least) return;
  std::fprintf(stderr, "conccl: %s: %.*s\n", level == LogLevel::warning ? "warning" : "note",
               static_cast<int>(line.size()), line.data());
}

void print_from(LogLevel least) {
  set_log_sink([least](LogLevel level, std::string_view line) { print(level, least, line); });
}

void open_log_now() {
  const char* wanted = std::getenv("CONCCL_DEBUG");
  if (wanted == nullptr || *wanted == '\0') return;
  const std::string_view level = wanted;
  if (level == "INFO") {
    print_from(LogLevel::info);
  } else if (level == "WARN") {
    print_from(LogLevel::warning);
  } else {
    print(LogLevel::warning, LogLevel::warning,
          fmt::format("CONCCL_DEBUG: '{}' is not one of WARN, INFO", level));
  }
}

}  // namespace

ErrorText& last_error_of_thread() noexcept {
  thread_local ErrorText text;
  return text;
}

void open_log() {
  static const bool opened = (open_log_now(), true);
  (void)opened;
}

concclResult_t failed() noexcept {
  try {
    throw;
  } catch (const InputError& error) {
    return keep(concclInvalidArgument, error.what());
  } catch (const UsageError& error) {
    return keep(concclInvalidUsage, error.what());
  } catch (const PeerError& error) {
    return keep(concclRemoteError, error.what());
  } catch (const Unavailable& error) {
    return keep(concclUnavailable, error.what());
  } catch (const RunError& error) {
    return keep(concclSystemError, error.what());
  } catch (const std::bad_alloc&) {
    return keep(concclSystemError, "out of memory");
  } catch (const std::system_error& error) {
    return keep(concclSystemError, error.what());
  } catch (const std::exception& error) {
    return keep(concclInternalError, error.what());
  } catch (...) {
    return keep(concclInternalError, "an exception that is no std::exception");
  }
}

}  // namespace conccl::capi
