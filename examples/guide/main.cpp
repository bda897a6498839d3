// SPDX-License-Identifier: Apache-2.0
//
//   ┌─────────┐  values()    ┌───────────┐
//   │ actor/0 │ ───────────► │ learner/0 │
//   │    …    │              └───────────┘
//   │ actor/3 │  add(pull)       │ sample(32)
//   └─────────┘ ─────────┐       ▼
//                        │   ┌──────────┐
//                        └─► │ replay/0 │
//                            └──────────┘
#include "bandit.hpp"

int main(int argc, char** argv) {
  return callboard::run<Config>("bandit", argc, argv, build);
}
