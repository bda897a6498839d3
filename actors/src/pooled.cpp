// SPDX-License-Identifier: Apache-2.0
#include <callboard/detail/pooled.hpp>

#include <array>
#include <mutex>
#include <utility>
#include <vector>

namespace callboard::detail {
namespace {

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr bool recycles = false; // what is used after its end is to be noticed
#else
constexpr bool recycles = true;
#endif

/// Sizes of blocks: of continuations, of calls, and of calls with more arguments.
constexpr std::array<std::size_t, 3> sizes{128, 256, 512};
constexpr unsigned magazine_size = 64;
constexpr std::size_t most_magazines = 2048; ///< of each size, kept for later

struct Block {
  Block* next;
};

/// Blocks on their way between threads, in magazines (Bonwick and Adams 2001): threads meet here
/// once for many blocks.
struct Magazine {
  Block* first = nullptr;
  unsigned size = 0;

  void push(void* block) noexcept {
    first = new (block) Block{first};
    ++size;
  }
  void* pop() noexcept {
    --size;
    return std::exchange(first, first->next);
  }
  void free_all() noexcept {
    while (size != 0) {
      ::operator delete(pop());
    }
  }
};

/// The magazines of one size that no thread holds. Thread-safe.
class Depot {
public:
  /// Full, or empty if there is none.
  Magazine take() noexcept {
    const std::lock_guard lock(mutex_);
    if (magazines_.empty()) {
      return {};
    }
    const Magazine full = magazines_.back();
    magazines_.pop_back();
    return full;
  }

  void give(Magazine magazine) noexcept {
    {
      const std::lock_guard lock(mutex_);
      if (magazines_.size() < most_magazines) {
        magazines_.reserve(most_magazines);
        magazines_.push_back(magazine);
        return;
      }
    }
    magazine.free_all();
  }

private:
  std::mutex mutex_;
  std::vector<Magazine> magazines_;
};

Depot& depot(std::size_t kind) {
  static auto* const depots = new std::array<Depot, sizes.size()>; // outlives all threads
  return (*depots)[kind];
}

/// What one thread holds of one size. Two magazines, so that taking and giving in turns at the edge
/// of one does not go to the depot each time.
struct Cache {
  Magazine active;
  Magazine spare;

  void* take(std::size_t kind) {
    if (active.size == 0) {
      std::swap(active, spare);
    }
    if (active.size == 0) {
      active = depot(kind).take();
    }
    return active.size == 0 ? ::operator new(sizes[kind]) : active.pop();
  }

  void give(std::size_t kind, void* block) noexcept {
    if (active.size == magazine_size) {
      std::swap(active, spare);
      if (active.size == magazine_size) {
        depot(kind).give(std::exchange(active, {}));
      }
    }
    active.push(block);
  }
};

/// Usable until the thread is gone, also by the ends of its other thread-local objects.
struct Caches {
  std::array<Cache, sizes.size()> of;
  bool closed = false;
};

constinit thread_local Caches caches;

/// Frees what its thread holds at the thread's end.
struct CachesGuard { // NOLINT(cppcoreguidelines-special-member-functions): there is one a thread
  ~CachesGuard() {
    caches.closed = true;
    for (Cache& cache : caches.of) {
      cache.active.free_all();
      cache.spare.free_all();
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
  return own.closed ? ::operator new(sizes[kind]) : own.of[kind].take(kind);
}

void give_block(void* block, std::size_t size) noexcept {
  const std::size_t kind = kind_of(size);
  if (!recycles || kind == sizes.size()) {
    ::operator delete(block);
    return;
  }
  Caches& own = open_caches();
  own.closed ? ::operator delete(block) : own.of[kind].give(kind, block);
}

} // namespace callboard::detail
