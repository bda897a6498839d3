// SPDX-License-Identifier: Apache-2.0
// How fast a tensor of 64 MiB becomes a checkpoint on disk and comes back, and how much memory that
// takes beside the tensor; plain write and fsync of the same bytes for comparison. An argument
// names the folder to write to.
#include <callboard/checkpoint_store.hpp>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

namespace {

using namespace callboard;

constexpr std::int64_t mib = 64;
constexpr int rounds = 7;

double seconds(const std::function<void()>& f) {
  const auto begin = std::chrono::steady_clock::now();
  f();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

void report(const char* what, const std::function<void()>& f) {
  std::vector<double> times;
  for (int round = 0; round < rounds; ++round) {
    times.push_back(seconds(f));
  }
  std::sort(times.begin(), times.end());
  fmt::print(
      "{:<28}{:>8.1f} ms{:>8.0f} MiB/s\n", what, times[rounds / 2] * 1e3, mib / times[rounds / 2]);
}

/// Highest so far, in MiB.
long peak_memory() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return usage.ru_maxrss / 1024;
}

void write_plainly(const std::string& path, const Tensor& tensor) {
  const int file = open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600); // NOLINT(*-vararg)
  const bool written =
      write(file, tensor.bytes().data(), tensor.byte_size()) == ssize_t(tensor.byte_size());
  fsync(file);
  close(file);
  if (!written) {
    throw std::runtime_error("can't write " + path);
  }
}

} // namespace

int main(int argc, char** argv) {
  const std::string base = argc > 1 ? argv[1] : std::filesystem::temp_directory_path().string();
  const std::string folder = base + "/checkpoint_bench_" + std::to_string(getpid());
  const CheckpointStore store(folder, 1);
  Tensor weights(DType::f32, {mib << 18});
  float number = 0;
  for (float& element : weights.mutable_span<float>()) {
    element = number += 0.1f;
  }
  Checkpoint checkpoint;
  checkpoint.put("weights", weights);
  const long before = peak_memory();
  fmt::print("a tensor of {} MiB, median of {}\n", mib, rounds);
  report("CheckpointStore::write", [&] { store.write("learner/0", 1, checkpoint); });
  const long written = peak_memory();
  report("CheckpointStore::latest", [&] {
    store.latest("learner/0")->checkpoint.get<Tensor>("weights");
  });
  report("plain write and fsync", [&] { write_plainly(folder + "/plain", weights); });
  fmt::print(
      "memory for a write {} MiB, to read {} MiB\n", written - before, peak_memory() - written);
  std::filesystem::remove_all(folder);
}
