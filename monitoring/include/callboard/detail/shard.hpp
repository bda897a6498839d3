// SPDX-License-Identifier: Apache-2.0
/// @file
/// Which copy of a shared number a thread writes to, so that two threads that count do not fight
/// for one cache line.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

namespace callboard::detail {

/// Copies of each number. More threads than this share copies, which costs time and no accuracy.
inline constexpr unsigned shard_count = 16;

/// Not `std::hardware_destructive_interference_size`, which may differ between two source files.
inline constexpr std::size_t cache_line = 64;

/// Shards in turn, so that threads that start one after another get different ones.
unsigned next_shard() noexcept;

/// `shard_count` stands for "not given yet": a constant start value spares each access a guard.
inline constinit thread_local unsigned shard_of_thread = shard_count;

/// The calling thread's shard, below `shard_count`, the same for the life of the thread.
inline unsigned this_shard() noexcept {
  if (shard_of_thread == shard_count) [[unlikely]]
    shard_of_thread = next_shard();
  return shard_of_thread;
}

/// One copy of a count, alone on its cache line.
struct alignas(cache_line) Cell {
  std::atomic<std::uint64_t> value{0};
};

} // namespace callboard::detail
