// SPDX-License-Identifier: Apache-2.0
#include <callboard/detail/pooled.hpp>

#include <algorithm>
#include <array>
#include <mutex>
#include <vector>

namespace callboard::detail {
namespace {

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr bool recycles = false; // what is used after its end is to be noticed
#else
constexpr bool recycles = true;
#endif

/// Sizes of blocks: of calls, and of calls with more arguments.
constexpr std::array<std::size_t, 2> sizes{256, 512};
constexpr std::size_t cache_line = 64;
constexpr std::size_t ahead = 4; ///< so many blocks are fetched before they are taken
constexpr std::size_t batch_size = 32;
constexpr std::size_t most_batches = 4096; ///< of each size, kept for later

void* new_block(std::size_t size) {
  return ::operator new(size, std::align_val_t(cache_line));
}

void delete_block(void* block) noexcept {
  ::operator delete(block, std::align_val_t(cache_line));
}

/// Blocks on their way from thread to thread (Bonwick and Adams 2001): threads meet once for many.
/// Their addresses lie here and not in the blocks themselves, so that who takes one need not wait
/// for the cache line that another thread wrote last.
using Batch = std::array<void*, batch_size>;

/// The batches of one size that no thread holds. Thread-safe.
class Depot {
public:
  /// False if there is none.
  bool take(void** blocks) noexcept {
    const std::lock_guard lock(mutex_);
    if (batches_.empty()) {
      return false;
    }
    std::copy_n(batches_.back().begin(), batch_size, blocks);
    batches_.pop_back();
    return true;
  }

  void give(void* const* blocks) noexcept {
    {
      const std::lock_guard lock(mutex_);
      if (batches_.size() < most_batches) {
        batches_.reserve(most_batches);
        std::copy_n(blocks, batch_size, batches_.emplace_back().begin());
        return;
      }
    }
    std::for_each_n(blocks, batch_size, [](void* block) { delete_block(block); });
  }

private:
  std::mutex mutex_;
  std::vector<Batch> batches_;
};

Depot& depot(std::size_t kind) {
  static auto* const depots = new std::array<Depot, sizes.size()>; // outlives all threads
  return (*depots)[kind];
}

/// What one thread holds of one size. Room for two batches, so that taking and giving in turns does
/// not go to the depot each time.
struct Cache {
  std::array<void*, 2 * batch_size> blocks;
  std::size_t size = 0;

  void* take(std::size_t kind) {
    if (size == 0 && depot(kind).take(blocks.data())) {
      size = batch_size;
    }
    if (size == 0) {
      return new_block(sizes[kind]);
    }
    if (size > ahead) {
      for (std::size_t at = 0; at < sizes[kind]; at += cache_line) {
        __builtin_prefetch(static_cast<std::byte*>(blocks[size - 1 - ahead]) + at, 1);
      }
    }
    return blocks[--size];
  }

  void give(std::size_t kind, void* block) noexcept {
    if (size == blocks.size()) {
      size -= batch_size;
      depot(kind).give(blocks.data() + size);
    }
    blocks[size++] = block;
  }

  void free_all() noexcept {
    while (size != 0) {
      delete_block(blocks[--size]);
    }
  }
};

/// Usable until the thread is gone, also by the ends of its other thread-local objects.
struct Caches {
  std::array<Cache, sizes.size()> of{};
  bool closed = false;
};

constinit thread_local Caches caches;

/// Frees what its thread holds at the thread's end.
struct CachesGuard { // NOLINT(cppcoreguidelines-special-member-functions): there is one a thread
  ~CachesGuard() {
    caches.closed = true;
    for (Cache& cache : caches.of) {
      cache.free_all();
    }
  }
};

Caches& open_caches() noexcept {
  thread_local const CachesGuard guard;
  static_cast<void>(guard);
  return caches;
}

/// Which of `sizes`; their number if none is large enough.
constexpr std::size_t kind_of(std::size_t size) {
  std::size_t kind = 0;
  while (kind < sizes.size() && size > sizes[kind]) {
    ++kind;
  }
  return kind;
}

} // namespace

void* take_block(std::size_t size) {
  const std::size_t kind = kind_of(size);
  if (!recycles || kind == sizes.size()) {
    return ::operator new(size);
  }
  Caches& own = open_caches();
  return own.closed ? new_block(sizes[kind]) : own.of[kind].take(kind);
}

void give_block(void* block, std::size_t size) noexcept {
  const std::size_t kind = kind_of(size);
  if (!recycles || kind == sizes.size()) {
    ::operator delete(block);
    return;
  }
  Caches& own = open_caches();
  own.closed ? delete_block(block) : own.of[kind].give(kind, block);
}

} // namespace callboard::detail
