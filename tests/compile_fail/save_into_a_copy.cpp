// SPDX-License-Identifier: Apache-2.0
// What is put into a parameter by value is lost.
#include <callboard/checkpoint.hpp>

class Counter {
public:
#ifdef CALLBOARD_MUST_COMPILE
  void save(callboard::Checkpoint& checkpoint) const {
    checkpoint.put("count", count_);
  }
#else
  void save(callboard::Checkpoint checkpoint) const {
    checkpoint.put("count", count_);
  }
#endif
  void restore(const callboard::Checkpoint& checkpoint) {
    checkpoint.get_into("count", count_);
  }

private:
  int count_ = 0;
};

constexpr auto hooks = callboard::detail::checkpoint_hooks<Counter>();
