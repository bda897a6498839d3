// SPDX-License-Identifier: Apache-2.0
// Calls between two processes. Both live in this one, each with an actor system and a port of its
// own; all that they say to each other goes through sockets.
#include "error_of.hpp"
#include "gate.hpp"

#include <callboard/client.hpp>
#include <callboard/detail/network.hpp>
#include <callboard/tensor.hpp>

#include <gmock/gmock.h>

#include <deque>
#include <numeric>
#include <thread>

namespace callboard::detail {
namespace {

using namespace std::chrono_literals;
using ::testing::AllOf;
using ::testing::HasSubstr;

TimePoint soon() {
  return std::chrono::steady_clock::now() + 10s;
}

class Server {
public:
  int add(int n) { return sum_ += n; }
  int sum() const { return sum_; }
  std::string echo(const std::string& text) const { return text; }
  Tensor twice(const Tensor& values) const {
    Tensor result = values.copy();
    for (float& value : result.mutable_span<float>()) {
      value *= 2;
    }
    return result;
  }
  void fail() { throw std::runtime_error("the server is ill"); }
  Deferred<int> later() { return waiting_.emplace_back(); }
  int waiting() const { return static_cast<int>(waiting_.size()); }
  void wait_for_gate() {
    gate.arrive();
    gate.pass();
  }
  int add_slowly(int n) {
    gate.arrive();
    gate.pass();
    return sum_ += n;
  }

  using exposed = methods<
      &Server::add,
      &Server::sum,
      &Server::echo,
      &Server::twice,
      &Server::fail,
      &Server::later,
      &Server::waiting,
      &Server::wait_for_gate,
      &Server::add_slowly>;

  Gate gate;

private:
  int sum_ = 0;
  std::deque<Deferred<int>> waiting_;
};

/// A process: an actor system with a network.
class Process {
public:
  explicit Process(
      const std::string& name,
      const std::string& token = "secret",
      std::size_t mailbox_limit = defaults::mailbox_limit)
      : runtime_(ActorRuntime::make(
          {.mailbox_limit = mailbox_limit, .message_limit = 1 << 20, .network = true})),
        network_(
            Network::open(runtime_, {.process = name, .token = token}, {.on_end = [this](auto&) {
                            ended.open();
                          }})) {}
  ~Process() {
    for (const auto& front : fronts_) {
      front->close({.code = Code::unavailable, .message = "the test is over"});
      EXPECT_TRUE(front->wait_closed(soon()));
    }
    network_->close();
    EXPECT_TRUE(runtime_->close(soon()));
  }

  std::shared_ptr<Server> serve(const std::string& node, int incarnation = 1) {
    auto server = std::make_shared<Server>();
    auto front = make_front(node);
    front->serve({.interface = &interface_of<Server>(), .service = server.get(), .owner = server});
    network_->expose(front, interface_of<Server>(), incarnation);
    return server;
  }

  std::shared_ptr<Front> make_front(const std::string& node) {
    return fronts_.emplace_back(std::make_shared<Front>(node, runtime_));
  }

  Network& network() { return *network_; }
  std::shared_ptr<Link> link_to(const Process& other) {
    return network_->connect(other.network_->port(), soon());
  }

  Gate ended; ///< open when a link has ended

private:
  const std::shared_ptr<ActorRuntime> runtime_;
  std::vector<std::shared_ptr<Front>> fronts_;
  const std::shared_ptr<Network> network_;
};

class LinkTest : public ::testing::Test {
protected:
  LinkTest() { lead_over(link_, front_, 1); }
  ~LinkTest() override { server_->gate.open(); }

  Process there_{"server/0"};
  Process here_{"client/0"};
  const std::shared_ptr<Server> server_ = there_.serve("server/0");
  const std::shared_ptr<Link> link_ = here_.link_to(there_);
  const std::shared_ptr<Front> front_ = here_.make_front("server/0");
  const Client<Server> client_{front_};
};

TEST_F(LinkTest, CarriesCallsAndTheirResults) {
  EXPECT_EQ(process_of(*link_), "server/0");
  EXPECT_EQ(client_.call<&Server::add>(3), 3);
  client_.tell<&Server::add>(4);
  EXPECT_EQ(client_.call<&Server::sum>(), 7);
  EXPECT_EQ(client_.call<&Server::echo>("na\xC3\xAFve"), "na\xC3\xAFve");
}

TEST_F(LinkTest, CarriesTensors) {
  std::vector<float> values(1000);
  std::iota(values.begin(), values.end(), 0.0F);
  const Tensor twice = client_.call<&Server::twice>(Tensor::from(values));
  ASSERT_EQ(twice.count(), 1000);
  EXPECT_EQ(twice.span<float>()[999], 1998.0F);
}

TEST_F(LinkTest, KeepsTheOrderOfCallsAndTells) {
  std::vector<Future<int>> sums;
  int expected = 0;
  for (int i = 1; i <= 2000; ++i) {
    client_.tell<&Server::add>(i);
    expected += i;
    sums.push_back(client_.async<&Server::add>(1));
  }
  int sum = 0;
  for (int i = 1; i <= 2000; ++i) {
    sum += i + 1;
    EXPECT_EQ(sums[i - 1].get(), sum);
  }
}

TEST_F(LinkTest, CarriesExceptionsWithTheirPlace) {
  const Error error = error_of([&] {
    client_.call<&Server::fail>();
    return 0;
  });
  EXPECT_EQ(error.code, Code::application);
  EXPECT_EQ(error.node, "server/0");
  EXPECT_EQ(error.type, "std::runtime_error");
  EXPECT_EQ(error.message, "the server is ill");
  EXPECT_THAT(error.method, HasSubstr("Server::fail"));
}

TEST_F(LinkTest, LetsADeadlineEndTheCallAndTellsTheServiceThatTheCallerHasLeft) {
  const Error error =
      error_of([&] { return client_.with({.deadline = 30ms}).call<&Server::later>(); });
  EXPECT_EQ(error.code, Code::deadline_exceeded);
  EXPECT_EQ(error.node, "server/0");
  EXPECT_EQ(client_.call<&Server::waiting>(), 1);
}

TEST_F(LinkTest, FailsCallsInFlightWhenTheLinkBreaks) {
  Future<int> slow = client_.async<&Server::add_slowly>(1);
  EXPECT_TRUE(server_->gate.await_arrival());
  Future<int> queued = client_.async<&Server::add>(1);
  end_link(*link_, {.code = Code::unavailable, .message = "signal 9 (Killed)"});
  for (Future<int>* future : {&slow, &queued}) {
    const Error error = error_of([&] { return future->get(); });
    EXPECT_EQ(error.code, Code::unavailable);
    EXPECT_THAT(
        error.message,
        AllOf(HasSubstr("server/0 (incarnation 1) has ended"), HasSubstr("signal 9 (Killed)")));
  }
}

TEST_F(LinkTest, LetsCallsWaitForTheNextIncarnationAndRepeatsThoseThatOnlyLook) {
  Future<void> slow = client_.async<&Server::wait_for_gate>();
  EXPECT_TRUE(server_->gate.await_arrival());
  Future<std::string> looks = client_.async<&Server::echo>("again");
  end_link(*link_, {.code = Code::unavailable, .message = "gone"});
  Future<int> later = client_.async<&Server::add>(5);
  EXPECT_FALSE(looks.ready());
  EXPECT_FALSE(later.ready());
  Process next("server/0");
  next.serve("server/0", 2);
  lead_over(here_.link_to(next), front_, 2);
  EXPECT_EQ(looks.get(), "again");
  EXPECT_EQ(later.get(), 5);
  EXPECT_EQ(
      error_of([&] {
        slow.get();
        return 0;
      }).code,
      Code::unavailable);
}

TEST_F(LinkTest, FencesIncarnationsThatAreOver) {
  const auto stale = here_.make_front("server/0");
  lead_over(link_, stale, 2);
  const Error error = error_of([&] { return Client<Server>(stale).call<&Server::add>(1); });
  EXPECT_EQ(error.code, Code::unavailable);
  EXPECT_THAT(error.message, HasSubstr("incarnation 2 of server/0"));
  EXPECT_EQ(client_.call<&Server::sum>(), 0);
}

TEST_F(LinkTest, DropsRepliesWhoseCallerHasLeft) {
  Future<int> slow = client_.async<&Server::add_slowly>(1);
  EXPECT_TRUE(server_->gate.await_arrival());
  // Behind the slow one, so that its reply comes when the caller has long left.
  const Error error =
      error_of([&] { return client_.with({.deadline = 20ms}).call<&Server::sum>(); });
  EXPECT_EQ(error.code, Code::deadline_exceeded);
  server_->gate.open();
  EXPECT_EQ(slow.get(), 1);
  EXPECT_EQ(client_.call<&Server::add>(1), 2);
}

TEST_F(LinkTest, WakesWhoWaitsForRoomWhenTellsAreDone) {
  Process there("narrow/0", "secret", 4);
  Process here("client/1", "secret", 4);
  const auto server = there.serve("narrow/0");
  const auto front = here.make_front("narrow/0");
  lead_over(here.link_to(there), front, 1);
  const Client<Server> client(front);
  for (int i = 0; i < 4; ++i) {
    client.tell<&Server::add_slowly>(1);
  }
  EXPECT_TRUE(server->gate.await_arrival());
  std::vector<std::thread> tellers;
  for (int i = 0; i < 3; ++i) {
    tellers.emplace_back([&] {
      for (int k = 0; k < 20; ++k) {
        EXPECT_NO_THROW(client.tell<&Server::add_slowly>(1));
      }
    });
  }
  server->gate.open();
  const TimePoint start = std::chrono::steady_clock::now();
  for (std::thread& teller : tellers) {
    teller.join();
  }
  EXPECT_LT(std::chrono::steady_clock::now() - start, 5s); // half of the deadline
  EXPECT_EQ(client.call<&Server::add>(0), 64);
}

TEST_F(LinkTest, RefusesWhatIsOverTheLimitAtTheSender) {
  const std::size_t limit = 1 << 20;
  const std::size_t overhead = 3; // the length before the text
  EXPECT_EQ(
      client_.call<&Server::echo>(std::string(limit - overhead, 'x')).size(), limit - overhead);
  const std::string over(limit - overhead + 1, 'x');
  for (const Error& error :
       {error_of([&] { return client_.call<&Server::echo>(over); }), error_of([&] {
          client_.tell<&Server::echo>(over);
          return 0;
        })}) {
    EXPECT_EQ(error.code, Code::resource_exhausted);
    EXPECT_THAT(
        error.message,
        AllOf(HasSubstr("1048577 bytes"), HasSubstr("1048576"), HasSubstr("message_limit")));
  }
}

TEST_F(LinkTest, CarriesMoreThanItsWindow) {
  std::vector<Future<std::string>> echoes;
  const std::string text(512 << 10, 'x');
  for (int i = 0; i < 64; ++i) { // 32 MiB each way
    echoes.push_back(client_.async<&Server::echo>(text));
    if (i % 16 == 15) {
      EXPECT_EQ(echoes.back().get().size(), text.size());
      echoes.pop_back();
    }
  }
  for (auto& echo : echoes) {
    EXPECT_EQ(echo.get().size(), text.size());
  }
}

TEST_F(LinkTest, LetsTellsWaitForRoom) {
  const std::string text(1000 << 10, 'x');
  for (int i = 0; i < 100; ++i) { // 100 MiB, of which 16 may be under way
    client_.tell<&Server::echo>(text);
  }
  EXPECT_EQ(client_.call<&Server::add>(1), 1);
}

TEST_F(LinkTest, NoticesTheEndOfTheOtherProcess) {
  Future<int> slow = client_.async<&Server::later>();
  there_.network().close();
  EXPECT_EQ(error_of([&] { return slow.get(); }).code, Code::unavailable);
  EXPECT_TRUE(here_.ended.pass());
}

TEST(NetworkTest, RefusesAProcessThatDoesNotKnowTheToken) {
  Process there("server/0", "one");
  Process here("stranger", "two");
  const Error error = error_of([&] { return here.link_to(there); });
  EXPECT_EQ(error.code, Code::unavailable);
  EXPECT_THAT(error.message, HasSubstr("not a process of the same run"));
  EXPECT_EQ(there.network().counts().refused, 1U);
}

TEST(NetworkTest, SaysThatNobodyListens) {
  std::uint16_t port = 0;
  {
    Process gone("gone");
    port = gone.network().port();
  }
  Process here("client/0");
  const Error error = error_of([&] { return here.network().connect(port, soon()); });
  EXPECT_EQ(error.code, Code::unavailable);
  EXPECT_THAT(error.message, HasSubstr("listens at 127.0.0.1:"));
}

} // namespace
} // namespace callboard::detail
