// SPDX-License-Identifier: Apache-2.0
/// @file
/// The program of docs/guide.md: actors pull the arms of a bandit, a learner learns what they pay.
#pragma once

#include <callboard/callboard.hpp>

#include <random>
#include <utility>
#include <vector>

struct Config {
  int actors = 4;
  int batch = 32;
  int steps = 1000; // of the learner
  float learning_rate = 0.01f;
  float exploration = 0.2f;
};

struct Pull {
  int arm = 0;
  float reward = 0;
};
using Batch = std::vector<Pull>;
using Values = std::vector<float>; // one for each arm

class Replay {
public:
  explicit Replay(std::size_t minimum) : minimum_(minimum) {}

  void add(const Pull& pull) {
    pulls_.push_back(pull);
    if (pulls_.size() == minimum_) {
      for (const auto& [size, reply] : std::exchange(waiting_, {})) {
        reply.set(draw(size));
      }
    }
  }

  callboard::Deferred<Batch> sample(int size) {
    callboard::Deferred<Batch> reply;
    if (pulls_.size() < minimum_) {
      waiting_.emplace_back(size, reply);
    } else {
      reply.set(draw(size));
    }
    return reply;
  }

  void save(callboard::Checkpoint& checkpoint) const { checkpoint.put("pulls", pulls_); }
  void restore(const callboard::Checkpoint& checkpoint) { checkpoint.get_into("pulls", pulls_); }

  using exposed = callboard::methods<&Replay::add, &Replay::sample>;

private:
  Batch draw(int size) {
    std::uniform_int_distribution<std::size_t> any(0, pulls_.size() - 1);
    Batch batch;
    for (int i = 0; i < size; ++i) {
      batch.push_back(pulls_[any(random_)]);
    }
    return batch;
  }

  std::size_t minimum_;
  Batch pulls_;
  std::vector<std::pair<int, callboard::Deferred<Batch>>> waiting_;
  std::mt19937 random_;
};

class Learner {
public:
  Learner(const Config& config, callboard::Client<Replay> replay);

  void run(callboard::Context& context) {
    for (int i = 0; i < config_.steps; ++i) {
      step();
      context.metrics().counter("learner_steps").increment();
    }
    report();
    context.stop("the learner has done its steps");
  }

  void step(); // exposed for tests, which step the learner where `run` is disabled
  Values values() const { return values_.read()->value; }

  using exposed = callboard::methods<&Learner::step, &Learner::values>;

private:
  void report() const;

  Config config_;
  callboard::Client<Replay> replay_;
  callboard::Published<Values> values_;
};

class Actor {
public:
  Actor(
      callboard::Context& context,
      const Config& config,
      callboard::Client<Replay> replay,
      callboard::Client<Learner> learner);

  void run() {
    while (!context_.stopping()) {
      const Values values = learner_.call<&Learner::values>();
      replay_.call<&Replay::add>(pull(choose(values)));
    }
  }

private:
  int choose(const Values& values);
  Pull pull(int arm);

  callboard::Context& context_;
  Config config_;
  callboard::Client<Replay> replay_;
  callboard::Client<Learner> learner_;
  std::mt19937_64 random_;
};

void build(callboard::Program& program, const Config& config);
