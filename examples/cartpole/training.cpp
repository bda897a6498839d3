// SPDX-License-Identifier: Apache-2.0
#include "training.hpp"

#include "random.hpp"

#include <deque>
#include <vector>

namespace cartpole {
namespace {

constexpr std::uint64_t evaluation_stream = 1'000;

/// Parameters as a sampler sees them that has not heard of the newest ones yet.
struct Published {
  std::uint64_t version;
  std::vector<float> parameters;
};

std::vector<Sampler> make_samplers(const TrainingConfig& config) {
  std::vector<Sampler> samplers;
  for (int i = 0; i < config.samplers; ++i) {
    samplers.emplace_back(stream_seed(config.seed, static_cast<std::uint64_t>(i)), config.sampler);
  }
  return samplers;
}

} // namespace

TrainingProgress train(
    const TrainingConfig& config, const std::function<void(const TrainingProgress&)>& report) {
  Learner learner(config.seed, config.learner);
  std::vector<Sampler> samplers = make_samplers(config);
  std::deque<Published> published;
  TrainingProgress progress;
  while (progress.evaluation.mean < config.target && progress.steps < config.most_steps) {
    published.push_back({learner.version(), learner.parameters()});
    if (published.size() > static_cast<std::size_t>(config.staleness) + 1) {
      published.pop_front();
    }
    std::vector<Trajectory> trajectories;
    for (Sampler& sampler : samplers) {
      trajectories.push_back(
          sampler.collect(published.front().parameters, published.front().version));
    }
    progress.last = learner.update(trajectories);
    progress.steps = progress.last.total_steps;
    if (progress.last.version % static_cast<std::uint64_t>(config.evaluate_every) == 0) {
      const std::uint64_t stream = evaluation_stream + progress.last.version;
      progress.evaluation = evaluate(
          learner.parameters(), config.evaluation_episodes, stream_seed(config.seed, stream));
      report(progress);
    }
  }
  return progress;
}

} // namespace cartpole
