// SPDX-License-Identifier: Apache-2.0
/// @file
/// For tests: the supervisor and the model of it, side by side.
#pragma once

#include "supervisor_model.hpp"
#include "supervisor_player.hpp"

#include <gmock/gmock.h>

namespace callboard::script {

/// Plays the scripts from `first` on; the first that differs is shown.
inline void expect_agreement(std::uint64_t first, std::uint64_t count) {
  for (std::uint64_t seed = first; seed < first + count; ++seed) {
    const Script script = make(seed);
    const Outcome played = Player(script).play();
    const Outcome expected = Model(script).play();
    if (played == expected) {
      continue;
    }
    SCOPED_TRACE(::testing::Message() << "script::make(" << seed << ")");
    ASSERT_THAT(played.actions, ::testing::ElementsAreArray(expected.actions));
    ASSERT_THAT(played.replies, ::testing::ElementsAreArray(expected.replies));
    ASSERT_THAT(played.children, ::testing::ElementsAreArray(expected.children));
  }
}

} // namespace callboard::script
