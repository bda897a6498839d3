// SPDX-License-Identifier: Apache-2.0
// A handle of one service where the constructor wants a client of another.
#include <callboard/program.hpp>

class Replay {};
class Learner {};

class Actor {
public:
  explicit Actor(callboard::Client<Replay> replay) : replay_(std::move(replay)) {}

private:
  callboard::Client<Replay> replay_;
};

void build(callboard::Program& program) {
  auto replay = program.add<Replay>("replay");
  auto learner = program.add<Learner>("learner");
#ifdef CALLBOARD_MUST_COMPILE
  program.add<Actor>("actor", replay);
#else
  program.add<Actor>("actor", learner);
#endif
}
