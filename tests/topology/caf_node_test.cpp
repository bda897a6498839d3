// SPDX-License-Identifier: Apache-2.0
// Plain CAF actors in a program.
#include "topology/trace.hpp"

#include <callboard/caf_node.hpp>
#include <callboard/testing.hpp>

#include <caf/function_view.hpp>
#include <caf/scoped_actor.hpp>
#include <caf/send.hpp>
#include <gmock/gmock.h>

namespace callboard {
namespace {

using callboard::testing::ProgramTest;
using ::testing::HasSubstr;

class CafNodeTest : public TracedTest {};

class Store {
public:
  int twice(int value) const { return 2 * value; }
  using exposed = methods<&Store::twice>;
};

/// Answers numbers with their double, which it asks the store for.
caf::behavior doubler(caf::event_based_actor* self, Client<Store> store) {
  return {
      [self, store](int value) {
        auto promise = self->make_response_promise();
        self->request(
                store.actor(),
                caf::infinite,
                method_tag<&Store::twice>::value,
                make_call<&Store::twice>(value))
            .then([promise](const Reply& reply) mutable {
              promise.deliver(reply.get<&Store::twice>());
            });
        return promise;
      },
      [self](const std::string& reason) {
        if (reason.empty()) {
          self->quit();
        } else {
          self->quit(caf::exit_reason::out_of_workers);
        }
      },
  };
}

/// Sends its node's number to the doubler.
class Asker {
public:
  Asker(Context& context, Client<CafNode<&doubler>> doubler)
      : context_(context), doubler_(std::move(doubler)) {}
  void run() {
    const caf::actor actor = doubler_.actor();
    caf::scoped_actor self(actor.home_system());
    self->request(actor, std::chrono::seconds(10), 21)
        .receive(
            [](int value) { trace().add(std::to_string(value)); },
            [](const caf::error&) { trace().add("error"); });
    context_.stop();
  }

private:
  Context& context_;
  Client<CafNode<&doubler>> doubler_;
};

TEST_F(CafNodeTest, IsANodeWithEdges) {
  Program program("caf");
  auto store = program.add<Store>("store");
  auto actor = program.add_actor<&doubler>("doubler", store);
  program.add<Asker>("asker", actor);
  EXPECT_EQ(
      program.edges(), (std::vector<EdgeInfo>{{"doubler/0", "store/0"}, {"asker/0", "doubler/0"}}));
  Running running = start(program);
  EXPECT_EQ(running.wait(), 0);
  EXPECT_EQ(trace().lines(), (std::vector<std::string>{"42"}));
  EXPECT_TRUE(running.failures().empty());
  EXPECT_TRUE(running.stubborn().empty());
}

TEST_F(CafNodeTest, KeepsTheProgramGoingUntilItQuits) {
  Program program("caf");
  auto actor = program.add_actor<&doubler>("doubler", program.add<Store>("store"));
  ProgramTest test(program);
  EXPECT_TRUE(eventually([&] { return test.running().status()[1].state == NodeState::running; }));
  EXPECT_FALSE(test.running().wait_for(std::chrono::milliseconds(10)));
  caf::anon_send(test.client(actor).actor(), std::string());
  EXPECT_EQ(test.running().wait(), 0);
}

TEST_F(CafNodeTest, FailsWithTheReasonOfItsActor) {
  Program program("caf");
  auto actor = program.add_actor<&doubler>(
      {.label = "doubler", .on_failure = OnFailure::stop_program}, program.add<Store>("store"));
  Running running = start(program);
  EXPECT_TRUE(eventually([&] { return running.status()[1].state == NodeState::running; }));
  caf::anon_send(running.client(actor).actor(), std::string("because"));
  EXPECT_EQ(running.wait(), exit_status::node_failed);
  EXPECT_THAT(to_string(running.failures().at(0)), HasSubstr("the actor ended: "));
  EXPECT_THAT(to_string(running.failures().at(0)), HasSubstr("out_of_workers"));
}

TEST_F(CafNodeTest, HasNoActorBeforeItsProgramRunsOrAfter) {
  Program program("caf");
  auto handle = program.add_actor<&doubler>("doubler", program.add<Store>("store"));
  const Client<CafNode<& doubler>> unbound = handle;
  EXPECT_THROW(static_cast<void>(unbound.actor()), CallError);
  Running running = start(program);
  const auto client = running.client(handle);
  running.stop();
  running.wait();
  EXPECT_THROW(static_cast<void>(client.actor()), CallError);
}

TEST_F(CafNodeTest, EndsInVirtualTimeToo) {
  Program program("caf");
  program.add_actor<&doubler>("doubler", program.add<Store>("store"));
  ProgramTest test(program, {.deterministic = true});
  EXPECT_EQ(test.running().status().at(1).state, NodeState::serving);
}

} // namespace
} // namespace callboard
