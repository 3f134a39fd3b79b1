// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

/// What the double is told to be and to do wrong. Numbers, one per name; docs beside each.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <map>
#include <mutex>
#include <string>
#include <string_view>

namespace conccl::test::fake_hsa {

enum class Setting : std::size_t {
  // Of the layout: read by hsa_init.
  gpus,
  cpus,
  sdma,           ///< host-facing engines of a GPU
  xgmi,           ///< engines of a GPU for its peers
  compute_units,  ///< of a GPU
  usable_units,   ///< of these, the first so many serve queues, as HSA_CU_MASK has it; 0: all
  memory_mib,     ///< of each pool
  isa,            ///< "gfx942"
  ring,           ///< copies that an engine holds; one more blocks
  init_status,    ///< what hsa_init answers; 0: it works
  // At once. `..._at=N` strikes once, at the Nth from the setting or hsa_init on; 0: never.
  preferred,           ///< one (bit per peer), many (the whole pool) or 0
  fail_submit_at,      ///< a call that submits is refused
  submit_status,       ///< with this
  fail_copy_at,        ///< moves nothing and completes negative
  lose_completion_at,  ///< moves its bytes, and its signal stays as it is
  event_at,            ///< moves nothing: a memory-fault event, and completes negative
  slow_copy_us,        ///< every copy takes as much longer
  overlap,             ///< copies of one engine, and kernels without a barrier, in any order
  busy,                ///< no engine is idle
  cu_engine,           ///< copies on this one, of any GPU, are a kernel's instead; -1: none
  hang_engine,         ///< copies on this one, of any GPU, never start; -1: none
  deny_access,         ///< hsa_amd_agents_allow_access fails
  no_peer_access,      ///< GPUs can never reach one another
  refuse_allocation,
  attach_fails,
  queue_fails,      ///< hsa_queue_create fails
  kernel_fault_at,  ///< does nothing: its queue fails, with HSA_STATUS_ERROR_EXCEPTION
  count
};

/// Of the process; hsa_init makes what is set its own. Any thread.
class Settings {
 public:
  Settings();

  /// Empty, or what is wrong.
  std::string set(std::string_view name, std::string_view value);
  /// For hsa_init: the defaults, CONCCL_FAKE_HSA, then what `set` was told. Empty, or what is
  /// wrong.
  std::string reload();
  /// Forgets what `set` was told; faults end at once.
  void reset();

  [[nodiscard]] std::int64_t get(Setting setting) const { return value(setting).load(); }
  [[nodiscard]] bool on(Setting setting) const { return get(setting) != 0; }
  /// Counts an event of a setting `..._at`; whether this is the one.
  bool strikes(Setting setting);
  /// The value in effect, for `..._at` what is left; false for an unknown name.
  bool find(std::string_view name, std::int64_t& found) const;

 private:
  static constexpr auto kCount = static_cast<std::size_t>(Setting::count);
  [[nodiscard]] const std::atomic<std::int64_t>& value(Setting setting) const {
    return values_[static_cast<std::size_t>(setting)];
  }
  std::string set_all(std::string_view text);

  std::mutex mutex_;
  std::map<std::size_t, std::int64_t> told_;
  std::array<std::atomic<std::int64_t>, kCount> values_{};
};

[[nodiscard]] Settings& settings();

}  // namespace conccl::test::fake_hsa
