// SPDX-License-Identifier: Apache-2.0
// A service that wants a Context&, served without a program.
#include <callboard/testing/serve.hpp>

class Replay {
public:
#ifndef CALLBOARD_MUST_COMPILE
  Replay(callboard::Context& /*context*/, int size) : size_(size) {}
#else
  explicit Replay(int size) : size_(size) {}
#endif
  int size() const {
    return size_;
  }
  using exposed = callboard::methods<&Replay::size>;

private:
  int size_;
};

int size() {
  return callboard::testing::serve<Replay>(5).client().call<&Replay::size>();
}
