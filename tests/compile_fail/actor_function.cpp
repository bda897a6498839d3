// SPDX-License-Identifier: Apache-2.0
// Arguments that the function of a plain CAF actor does not take.
#include <callboard/caf_node.hpp>

caf::behavior counter(caf::event_based_actor* /*self*/, int start) {
  return {[start](int by) { return start + by; }};
}

void build(callboard::Program& program) {
#ifdef CALLBOARD_MUST_COMPILE
  program.add_actor<&counter>("counter", 5);
#else
  program.add_actor<&counter>("counter", "five");
#endif
}
