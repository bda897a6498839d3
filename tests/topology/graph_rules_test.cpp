// SPDX-License-Identifier: Apache-2.0
#include <callboard/callboard.hpp>

#include <gmock/gmock.h>

namespace callboard {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::StartsWith;

class Store {
public:
  int get() const { return 1; }
  using exposed = methods<&Store::get>;
};

class User {
public:
  explicit User(Client<Store> store) : store_(std::move(store)) {}

private:
  Client<Store> store_;
};

class Peer {
public:
  explicit Peer(Client<Peer> other) : other_(std::move(other)) {}

private:
  Client<Peer> other_;
};

std::string place(int line) {
  return std::string(__FILE__) + ":" + std::to_string(line) + ": ";
}

/// The text of the `GraphError` that `f` throws.
template <class F>
std::string refusal(F f) {
  try {
    f();
  } catch (const GraphError& error) {
    return error.what();
  }
  return "no GraphError";
}

class GraphRulesTest : public ::testing::Test {
protected:
  Program program_{"rules"};
};

TEST_F(GraphRulesTest, RefusesAnEmptyLabelWhereItIsWritten) {
  const std::string text = refusal([&] { program_.add<Store>(""); });
  EXPECT_THAT(text, AllOf(StartsWith(place(__LINE__ - 1)), HasSubstr("the label \"\"")));
  const std::string group = refusal([&] { program_.add_group<Store>({.replicas = 2}); });
  EXPECT_THAT(group, AllOf(StartsWith(place(__LINE__ - 1)), HasSubstr("the label \"\"")));
  const std::string declared = refusal([&] { program_.declare<Store>(""); });
  EXPECT_THAT(declared, AllOf(StartsWith(place(__LINE__ - 1)), HasSubstr("the label \"\"")));
}

TEST_F(GraphRulesTest, RefusesALabelWithOtherCharacters) {
  for (const char* label : {"a/0", "a b", "ä", "a\n", "\"", "a{}"}) {
    const std::string text = refusal([&] { program_.add<Store>(label); });
    EXPECT_THAT(text, AllOf(StartsWith(place(__LINE__ - 1)), HasSubstr("must be of letters")));
  }
  program_.add<Store>("Az_09-.x");
  EXPECT_THAT(refusal([] { Program("a program"); }), HasSubstr("the program's name"));
  EXPECT_THAT(refusal([] { Program(""); }), StartsWith(place(__LINE__)));
}

TEST_F(GraphRulesTest, RefusesALabelTwiceAndNamesBothPlaces) {
  program_.add<Store>("store");
  const int first = __LINE__ - 1;
  const std::string text = refusal([&] { program_.add_group<Store>({.label = "store"}); });
  EXPECT_THAT(text, StartsWith(place(__LINE__ - 1)));
  EXPECT_THAT(text, HasSubstr("the label \"store\" is taken"));
  EXPECT_THAT(text, HasSubstr(":" + std::to_string(first)));
}

TEST_F(GraphRulesTest, RefusesTooFewReplicas) {
  for (const int replicas : {0, -1}) {
    const std::string text =
        refusal([&] { program_.add_group<Store>({.label = "s", .replicas = replicas}); });
    EXPECT_THAT(text, AllOf(StartsWith(place(__LINE__ - 1)), HasSubstr("replicas")));
  }
}

TEST_F(GraphRulesTest, RefusesReplicasOfASingleNode) {
  const std::string text = refusal([&] { program_.add<Store>({.label = "s", .replicas = 2}); });
  EXPECT_THAT(text, AllOf(StartsWith(place(__LINE__ - 1)), HasSubstr("add_group makes several")));
  EXPECT_THAT(
      refusal([&] { program_.declare<Store>({.label = "s", .replicas = 2}); }),
      HasSubstr("add_group makes several"));
}

TEST_F(GraphRulesTest, RefusesOptionsThatMakeNoSense) {
  const auto refused = [&](NodeOptions options) {
    options.label = "s";
    return refusal([&] { program_.add<Store>(options); });
  };
  EXPECT_THAT(refused({.environment = {{"A=B", "c"}}}), HasSubstr("variable \"A=B\""));
  EXPECT_THAT(refused({.environment = {{"", "c"}}}), HasSubstr("variable \"\""));
  EXPECT_THAT(refused({.policy = {.intensity = -1}}), HasSubstr("intensity"));
  EXPECT_THAT(refused({.policy = {.period = std::chrono::seconds(0)}}), HasSubstr("period"));
  EXPECT_THAT(refused({.resources = {.cpus = 0}}), HasSubstr("cpus"));
  EXPECT_THAT(refused({.resources = {.gpus = -1}}), HasSubstr("gpus"));
  EXPECT_THAT(program_.nodes(), IsEmpty());
}

TEST_F(GraphRulesTest, RefusesASecondDefinition) {
  auto declared = program_.declare<Store>("declared");
  const int first = __LINE__ - 1;
  program_.define(declared);
  EXPECT_THAT(
      refusal([&] { program_.define(declared); }),
      AllOf(StartsWith(place(first)), HasSubstr("\"declared\", added here, is defined twice")));
  auto added = program_.add<Store>("added");
  const int second = __LINE__ - 1;
  EXPECT_THAT(
      refusal([&] { program_.define(added); }),
      AllOf(StartsWith(place(second)), HasSubstr("\"added\", added here, is defined twice")));
}

TEST_F(GraphRulesTest, RefusesWhatIsDeclaredAndNeverDefined) {
  auto a = program_.declare<Peer>("a");
  const int declared = __LINE__ - 1;
  program_.add<Peer>("b", a);
  const auto text = refusal([&] { program_.check(); });
  EXPECT_THAT(
      text, AllOf(StartsWith(place(declared)), HasSubstr("\"a\" is declared and never defined")));
  EXPECT_EQ(refusal([&] { start(program_); }), text);
}

TEST_F(GraphRulesTest, RefusesHandlesOfAnotherProgram) {
  Program other("other");
  auto foreign = other.add<Store>("store");
  const std::string text = refusal([&] { program_.add<User>("user", foreign); });
  EXPECT_THAT(text, AllOf(StartsWith(place(__LINE__ - 1)), HasSubstr("handle of store/0")));
  EXPECT_THAT(program_.nodes(), IsEmpty()) << "what was refused leaves a trace";

  auto declared = other.declare<Store>("declared");
  const int elsewhere = __LINE__ - 1;
  EXPECT_THAT(
      refusal([&] { program_.define(declared); }),
      AllOf(StartsWith(place(elsewhere)), HasSubstr("is not of program \"rules\"")));
}

TEST_F(GraphRulesTest, RefusesToDefineWhatOnlyACopyHas) {
  Program copy = program_;
  auto declared = copy.declare<Store>("late");
  EXPECT_THAT(refusal([&] { program_.define(declared); }), HasSubstr("\"late\", declared here"));
}

TEST_F(GraphRulesTest, CanGoOnAfterARefusal) {
  Program other("other");
  auto foreign = other.add<Store>("store");
  EXPECT_THROW(program_.add<User>("user", foreign), GraphError);
  program_.add<User>("user", program_.add<Store>("store"));
  program_.check();
}

TEST_F(GraphRulesTest, RefusesEdgesThatLeadNowhere) {
  auto group = program_.add_group<Store>({.label = "store", .replicas = 2});
  program_.add<User>("user", group[2]);
  const int added = __LINE__ - 1;
  const std::string text = refusal([&] { program_.check(); });
  EXPECT_THAT(
      text, AllOf(StartsWith(place(added)), HasSubstr("store/2, and there is no such node")));
}

TEST_F(GraphRulesTest, RefusesAnUnknownGroupToStopAfter) {
  program_.add<Store>({.label = "store", .stop_after = {"writers"}});
  const std::string text = refusal([&] { program_.check(); });
  EXPECT_THAT(text, AllOf(StartsWith(place(__LINE__ - 2)), HasSubstr("to stop after \"writers\"")));
  Program itself("itself");
  itself.add<Store>({.label = "store", .stop_after = {"store"}});
  EXPECT_THAT(refusal([&] { itself.check(); }), HasSubstr("no other group"));
}

TEST_F(GraphRulesTest, ListsExactlyTheNodesAdded) {
  EXPECT_THAT(program_.nodes(), IsEmpty());
  program_.add<Store>("store");
  program_.add_group<Store>({.label = "more", .replicas = 2});
  std::vector<std::string> names;
  for (const NodeInfo& node : program_.nodes()) {
    names.push_back(node.name + " of " + node.group);
    EXPECT_THAT(node.service, HasSubstr("Store"));
  }
  EXPECT_THAT(names, ElementsAre("store/0 of store", "more/0 of more", "more/1 of more"));
}

TEST_F(GraphRulesTest, ListsAnEdgeForEveryPairOfNodes) {
  auto stores = program_.add_group<Store>({.label = "store", .replicas = 2});
  EXPECT_THAT(program_.edges(), IsEmpty());
  program_.add_group<User>({.label = "user", .replicas = 2}, stores[1]);
  EXPECT_THAT(
      program_.edges(), ElementsAre(EdgeInfo{"user/0", "store/1"}, EdgeInfo{"user/1", "store/1"}));
}

TEST_F(GraphRulesTest, ListsTheEdgesOfACycleOnlyOnceItIsDefined) {
  auto a = program_.declare<Peer>("a");
  auto b = program_.declare<Peer>("b");
  EXPECT_THAT(program_.edges(), IsEmpty());
  program_.define(a, b);
  EXPECT_THAT(program_.edges(), ElementsAre(EdgeInfo{"a/0", "b/0"}));
  program_.define(b, a);
  EXPECT_THAT(program_.edges(), ElementsAre(EdgeInfo{"a/0", "b/0"}, EdgeInfo{"b/0", "a/0"}));
  program_.check();
}

TEST_F(GraphRulesTest, RefusesCallsWhileTheGraphIsBuilt) {
  const Client<Store> client = program_.add<Store>("store");
  EXPECT_EQ(client.try_call<&Store::get>().error().code, Code::failed_precondition);
}

} // namespace
} // namespace callboard
