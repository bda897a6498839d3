// SPDX-License-Identifier: Apache-2.0
#include <callboard/detail/shard.hpp>

namespace callboard::detail {

unsigned next_shard() noexcept {
  static constinit std::atomic<unsigned> next{0};
  return next.fetch_add(1, std::memory_order_relaxed) % shard_count;
}

} // namespace callboard::detail
