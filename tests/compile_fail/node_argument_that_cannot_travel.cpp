// SPDX-License-Identifier: Apache-2.0
// A node is data: its arguments must be such as can be sent to another process.
#include <callboard/program.hpp>

#ifdef CALLBOARD_MUST_COMPILE
using Pointer = std::shared_ptr<const int>;
#else
using Pointer = int*;
#endif

class Replay {
public:
  explicit Replay(Pointer size) : size_(size) {}

private:
  Pointer size_;
};

void build(callboard::Program& program) {
  program.add<Replay>("replay", Pointer());
}
