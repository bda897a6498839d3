// SPDX-License-Identifier: Apache-2.0
#include <callboard/checkpoint.hpp>

class Counter {
public:
  void save(callboard::Checkpoint& checkpoint) const { checkpoint.put("count", count_); }
#ifdef CALLBOARD_MUST_COMPILE
  void restore(const callboard::Checkpoint& checkpoint) {
    checkpoint.get_into("count", count_);
  }
#endif

private:
  int count_ = 0;
};

constexpr auto hooks = callboard::detail::checkpoint_hooks<Counter>();
