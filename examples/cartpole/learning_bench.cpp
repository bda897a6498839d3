// SPDX-License-Identifier: Apache-2.0
// Environment steps and processor time until CartPole's threshold, one line for each seed:
//     cartpole_learning_bench [name=value ...]
// such as seeds=5 first=1 curve=1 samplers=8 staleness=1; all names are in `set` below.
#include "training.hpp"

#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <functional>
#include <map>
#include <string>
#include <type_traits>

namespace {

using namespace cartpole;

struct Options {
  TrainingConfig training{};
  int seeds = 5;
  int first = 1;
  bool curve = false;
};

bool set(Options& options, const std::string& name, double value) {
  TrainingConfig& training = options.training;
  LearnerConfig& learner = training.learner;
  const auto into = [value](auto& field) {
    return
        [&field, value] { field = static_cast<std::remove_reference_t<decltype(field)>>(value); };
  };
  const std::map<std::string, std::function<void()>> names{
      {"seeds", into(options.seeds)},
      {"first", into(options.first)},
      {"curve", into(options.curve)},
      {"samplers", into(training.samplers)},
      {"environments", into(training.sampler.environments)},
      {"steps", into(training.sampler.steps)},
      {"staleness", into(training.staleness)},
      {"evaluate_every", into(training.evaluate_every)},
      {"target", into(training.target)},
      {"most_steps", into(training.most_steps)},
      {"total_steps", into(learner.total_steps)},
      {"final_share", into(learner.final_share)},
      {"learning_rate", into(learner.learning_rate)},
      {"clip_range", into(learner.clip_range)},
      {"target_divergence", into(learner.target_divergence)},
      {"entropy_bonus", into(learner.entropy_bonus)},
      {"discount", into(learner.discount)},
      {"lambda", into(learner.lambda)},
      {"largest_gradient", into(learner.largest_gradient)},
      {"passes", into(learner.passes)},
      {"minibatch", into(learner.minibatch)},
  };
  const auto found = names.find(name);
  if (found != names.end()) {
    found->second();
  }
  return found != names.end();
}

bool parse(int argc, char** argv, Options& options) {
  for (int i = 1; i < argc; ++i) {
    const std::string argument = argv[i];
    const std::size_t equals = argument.find('=');
    if (equals == std::string::npos
        || !set(options, argument.substr(0, equals), std::atof(&argv[i][equals + 1]))) {
      std::fprintf(stderr, "cartpole_learning_bench: unknown argument %s\n", argv[i]);
      return false;
    }
  }
  return true;
}

double processor_seconds() {
  timespec time{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

void print(const TrainingProgress& progress) {
  const UpdateStatistics& last = progress.last;
  std::printf(
      "  %7llu steps  greedy %5.1f  sampled %5.1f  entropy %.3f  value loss %.4f  divergence %.4f"
      "  clipped %.2f  passes %d\n",
      static_cast<unsigned long long>(progress.steps),
      static_cast<double>(progress.evaluation.mean),
      static_cast<double>(last.mean_return),
      static_cast<double>(last.entropy),
      static_cast<double>(last.value_loss),
      static_cast<double>(last.divergence),
      static_cast<double>(last.clipped),
      last.passes);
}

void run(const Options& options, int seed) {
  TrainingConfig training = options.training;
  training.seed = static_cast<std::uint64_t>(seed);
  const double start = processor_seconds();
  const TrainingProgress end = train(training, [&](const TrainingProgress& progress) {
    if (options.curve) {
      print(progress);
    }
  });
  std::printf(
      "seed %2d  mean return %5.1f after %6llu steps, %5.2f CPU s\n",
      seed,
      static_cast<double>(end.evaluation.mean),
      static_cast<unsigned long long>(end.steps),
      processor_seconds() - start);
}

} // namespace

int main(int argc, char** argv) {
  Options options;
  if (!parse(argc, argv, options)) {
    return 1;
  }
  std::printf("kernels: %s\n", best_kernels().name);
  for (int seed = options.first; seed < options.first + options.seeds; ++seed) {
    run(options, seed);
  }
  return 0;
}
