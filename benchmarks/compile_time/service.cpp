// SPDX-License-Identifier: Apache-2.0
/// @file
/// What a user's file costs to compile: a service of three methods, and three calls.
#include <callboard/client.hpp>

#include <string>
#include <vector>

using namespace callboard;

namespace {

struct Experience {
  std::vector<float> observation;
  int action = 0;
  float reward = 0;
};

class Learner {
public:
  void push(const Experience& experience) { experiences_.push_back(experience); }
  std::vector<Experience> sample(int size) const {
    return {experiences_.begin(), experiences_.begin() + size};
  }
  std::string status() const { return std::to_string(experiences_.size()) + " experiences"; }

  using exposed = methods<&Learner::push, &Learner::sample, &Learner::status>;

private:
  std::vector<Experience> experiences_;
};

} // namespace

/// What `Program::add` makes of the class.
const detail::Interface& interface_of_learner() {
  return detail::interface_of<Learner>();
}

std::string use(const Client<Learner>& learner) {
  learner.tell<&Learner::push>(Experience{.observation = {1, 2, 3}});
  Future<std::vector<Experience>> sample = learner.async<&Learner::sample>(1);
  sample.get();
  return learner.call<&Learner::status>();
}
