// SPDX-License-Identifier: Apache-2.0
// The code of docs/supervision.md.
#include <callboard/supervisor.hpp>

#include <gtest/gtest.h>

namespace callboard {
namespace {

/// "start table 1, ready"
std::string text(const supervision::Actions& actions) {
  std::string text;
  for (const supervision::Action& action : actions) {
    if (const auto* start = std::get_if<supervision::Start>(&action)) {
      text += "start " + start->id + " " + std::to_string(start->incarnation);
    } else if (const auto* stop = std::get_if<supervision::RequestStop>(&action)) {
      text += "stop " + stop->id + " " + std::to_string(stop->incarnation);
    } else if (std::holds_alternative<supervision::Ready>(action)) {
      text += "ready";
    }
  }
  return text;
}

TEST(SupervisorGuideTest, TheFirstExampleDoesWhatItSays) {
  const TimePoint now{};
  Supervisor supervisor({.strategy = Strategy::rest_for_one}, {{.id = "table"}, {.id = "learner"}});
  EXPECT_EQ(text(supervisor.handle(supervision::Begin{}, now)), "start table 1");
  EXPECT_EQ(text(supervisor.handle(supervision::Started{"table", 1}, now)), "start learner 2");
  EXPECT_EQ(text(supervisor.handle(supervision::Started{"learner", 2}, now)), "ready");
  EXPECT_EQ(
      text(supervisor.handle(supervision::Exited{"table", 1, {.text = "signal 9"}}, now)),
      "stop learner 2");
}

} // namespace
} // namespace callboard
