// SPDX-License-Identifier: Apache-2.0
// Arguments that fit no constructor of the service.
#include <callboard/program.hpp>

class Replay {
public:
  Replay(callboard::Context& context, int size) : context_(context), size_(size) {}

private:
  callboard::Context& context_;
  int size_;
};

void build(callboard::Program& program) {
#ifdef CALLBOARD_MUST_COMPILE
  program.add<Replay>("replay", 5);
#else
  program.add<Replay>("replay", 5, 6);
#endif
}
