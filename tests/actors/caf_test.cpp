// SPDX-License-Identifier: Apache-2.0
#include "error_of.hpp"

#include <callboard/caf.hpp>
#include <callboard/testing/serve.hpp>

#include <caf/actor_system.hpp>
#include <caf/event_based_actor.hpp>
#include <caf/scoped_actor.hpp>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <stdexcept>
#include <string>

namespace callboard {
namespace {

class Adder {
public:
  int add(int a, int b) { return a + b; }
  void fail(const std::string& why) { throw std::runtime_error(why); }
  using exposed = methods<&Adder::add, &Adder::fail>;
};

class CafTest : public ::testing::Test {
protected:
  /// What the node replies to a request of a CAF actor.
  template <auto m>
  Reply ask(const Call& call) {
    Reply reply;
    self_->request(actor_, std::chrono::seconds(10), method_tag<m>{}, call)
        .receive(
            [&](const Reply& each) { reply = each; },
            [&](const caf::error& error) { ADD_FAILURE() << self_->system().render(error); });
    return reply;
  }

  testing::Served<Adder> served_ = testing::serve<Adder>();
  service_actor<Adder> actor_ = served_.client().actor();
  caf::scoped_actor self_{actor_.home_system()};
};

TEST_F(CafTest, ARequestGetsTheResult) {
  EXPECT_EQ(ask<&Adder::add>(make_call<&Adder::add>(2, 3)).get<&Adder::add>(), 5);
}

TEST_F(CafTest, AFailureIsInTheReply) {
  const Reply reply = ask<&Adder::fail>(make_call<&Adder::fail>("no"));
  const Error error = error_of([&] { return reply.get<&Adder::fail>(); });
  EXPECT_EQ(error.code, Code::application);
  EXPECT_EQ(error.message, "no");
  EXPECT_EQ(error.node, "served/0");
}

TEST_F(CafTest, AReplyIsThatOfTheMethodCalledOnly) {
  const Reply reply = ask<&Adder::add>(make_call<&Adder::add>(2, 3));
  EXPECT_EQ(error_of([&] { return reply.get<&Adder::fail>(); }).code, Code::invalid_argument);
  EXPECT_EQ(error_of([] { return Reply().get<&Adder::add>(); }).code, Code::invalid_argument);
}

TEST_F(CafTest, ACallCanBeSentOnce) {
  const Call call = make_call<&Adder::add>(2, 3);
  EXPECT_EQ(ask<&Adder::add>(call).get<&Adder::add>(), 5);
  bool refused = false;
  self_->request(actor_, std::chrono::seconds(10), method_tag<&Adder::add>{}, call)
      .receive(
          [](const Reply&) {},
          [&](const caf::error& error) { refused = error == caf::sec::unexpected_message; });
  EXPECT_TRUE(refused);
}

TEST_F(CafTest, AMessageIsATell) {
  self_->send(actor_, method_tag<&Adder::add>{}, make_call<&Adder::add>(1, 1));
  EXPECT_EQ(served_.client().call<&Adder::add>(1, 2), 3);
  EXPECT_EQ(served_.client().front()->counts().calls, 2U);
}

TEST_F(CafTest, AnEventBasedActorMayAskToo) {
  auto& system = actor_.home_system();
  caf::actor asker =
      system.spawn([actor = actor_, asker = caf::actor(self_)](caf::event_based_actor* self) {
        self->request(
                actor,
                std::chrono::seconds(10),
                method_tag<&Adder::add>{},
                make_call<&Adder::add>(20, 22))
            .then([=](const Reply& reply) { self->send(asker, reply.get<&Adder::add>()); });
      });
  int sum = 0;
  self_->receive([&](int n) { sum = n; });
  EXPECT_EQ(sum, 42);
}

TEST_F(CafTest, ACallOfAnotherMethodThanItIsSentAsIsRefused) {
  const auto untyped = caf::actor_cast<caf::actor>(actor_);
  const auto expect_refusal = [&](auto request) {
    bool refused = false;
    request.receive(
        [](const Reply&) { FAIL(); },
        [&](const caf::error& error) { refused = error == caf::sec::unexpected_message; });
    EXPECT_TRUE(refused);
  };
  const auto patience = std::chrono::seconds(10);
  expect_refusal(
      self_->request(untyped, patience, method_tag<&Adder::fail>{}, make_call<&Adder::add>(1, 2)));
  expect_refusal(self_->request(untyped, patience, method_tag<&Adder::add>{}, Call()));
  expect_refusal(self_->request(untyped, patience, std::string("hello")));
}

TEST_F(CafTest, ARequestToAClosedNodeFails) {
  served_.close();
  const Reply reply = ask<&Adder::add>(make_call<&Adder::add>(2, 3));
  EXPECT_EQ(error_of([&] { return reply.get<&Adder::add>(); }).code, Code::unavailable);
  EXPECT_EQ(error_of([&] { return served_.client().actor(); }).code, Code::failed_precondition);
  EXPECT_EQ(error_of([] { return Client<Adder>().actor(); }).code, Code::failed_precondition);
}

} // namespace
} // namespace callboard
