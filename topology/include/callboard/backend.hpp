// SPDX-License-Identifier: Apache-2.0
/// @file
/// Where jobs are started: the interface that every backend implements. A job is one started unit,
/// mostly a process. docs/backends.md says how a new one is written.
#pragma once

#include <callboard/error.hpp>
#include <callboard/time.hpp>

#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace callboard {

/// What is to be started.
struct JobSpec {
  std::string name{};                 ///< such as "actor/3", for logs and errors
  std::vector<std::string> command{}; ///< the program, looked up in PATH, and its arguments
  std::map<std::string, std::string> environment{}; ///< added to the backend's own
  std::filesystem::path folder{};              ///< where it runs; empty: where the backend does
  double cpus = 0;                             ///< cores it is meant to use; 0: not said
  std::uint64_t memory = 0;                    ///< limit in bytes; 0: none
  std::vector<int> gpus{};                     ///< devices that it may see; empty: not said
  int nice = 0;                                ///< added to the backend's own, -20 to 19
  std::map<std::string, std::string> labels{}; ///< for backends that can show them
  std::string part{}; ///< bytes for the job alone, see `take_part`; never on a command line
};

/// How a job ended.
struct JobEnd {
  int exit_code = 0;          ///< 0 to 255; -1: nobody knows; meaningless where a signal ended it
  int signal = 0;             ///< that ended it; 0: none
  bool out_of_memory = false; ///< it was killed, or failed, because its memory was used up
  std::uint64_t peak_memory = 0; ///< bytes; 0: not known
  Duration ran{};                ///< from start to end

  bool clean() const noexcept { return exit_code == 0 && signal == 0; }
};

/// "exit code 3", "signal 9 (Killed)" or "killed for memory, peak 61 MiB".
std::string to_string(const JobEnd& end);

enum class JobState : unsigned char { pending, running, ended };

/// "pending", "running" or "ended".
std::string_view to_string(JobState state);

struct JobStatus {
  JobState state = JobState::pending;
  std::string where{};         ///< what the backend calls it, such as "pid 4711"
  std::string note{};          ///< what a person should know, such as that it can't be killed
  std::optional<JobEnd> end{}; ///< once it has ended
};

enum class Stream : unsigned char { output, errors };

/// What a job does, told while it runs. Called on a thread of the backend, which they hold up: be
/// quick, throw nothing. Never two at once for one job. They may call the backend, but not `wait`.
struct JobEvents {
  /// A line without its line break, see `LineSplitter`.
  std::function<void(Stream stream, std::string_view line)> on_line{};
  /// Once, after the last line. `status` knows of the end already.
  std::function<void(const JobEnd& end)> on_end{};
};

/// Names a job within its backend; never used twice.
enum class JobId : std::uint64_t {};

/// What a backend can do beyond starting jobs and telling them to end.
struct BackendFeatures {
  bool kills = true;         ///< `kill` ends a job whatever it does
  bool signals = true;       ///< `signal` delivers any signal
  bool captures = true;      ///< the job's output comes as lines, and stands in `logs`
  bool limits_memory = true; ///< `JobSpec::memory` is enforced
};

/// Starts jobs and watches them.
///
/// A job ends when its first process does; what is left of its process group is killed then.
/// Thread-safe. A job that has ended is remembered until `forget`; ids that are not known throw
/// CallError{not_found}. The destructor kills all jobs and returns when they have ended; it may not
/// be called by an event.
class Backend {
public:
  Backend() = default;
  Backend(const Backend&) = delete;
  Backend& operator=(const Backend&) = delete;
  virtual ~Backend() = default;

  /// Such as "processes".
  virtual std::string_view name() const = 0;
  virtual BackendFeatures features() const = 0;

  /// Starts a job and returns at once; events may come before it does.
  /// @throws CallError  nothing was started; the text names host, command, limit and what to do:
  ///   not_found            there is no such command or folder
  ///   invalid_argument     the spec is wrong whatever the state of the host
  ///   failed_precondition  the command may not be run
  ///   resource_exhausted   processes, descriptors or memory are used up
  virtual JobId start(const JobSpec& spec, JobEvents events) = 0;

  /// Asks the job to end, all of its process group (SIGTERM). Nothing where it has ended.
  virtual void terminate(JobId job) = 0;
  /// Ends all of its process group (SIGKILL). Nothing where it has ended.
  /// A backend without `features().kills` asks once more, and says so in `status`.
  virtual void kill(JobId job) = 0;
  /// Sends a signal to all of its process group. Nothing where it has ended.
  /// @throws CallError{failed_precondition} without `features().signals`
  virtual void signal(JobId job, int signal) = 0;

  virtual JobStatus status(JobId job) const = 0;
  /// Waits until the job has ended and `on_end` has returned. @returns none: not by then
  /// @throws CallError{failed_precondition} when called by an event
  virtual std::optional<JobEnd> wait(JobId job, TimePoint deadline) const = 0;
  /// The last 64 KiB of its lines, both streams in the order of arrival; when it has ended,
  /// complete to the last byte that it wrote.
  virtual std::string logs(JobId job) const = 0;
  /// Drops what is remembered of a job that has ended.
  /// @throws CallError{failed_precondition} it has not
  virtual void forget(JobId job) = 0;
};

/// `JobSpec::part`, for the job itself: reads the descriptor that CALLBOARD_PART names, closes it,
/// and removes the variable. None where there is no part. To be called before threads are started.
/// @throws CallError{malformed} the variable is there, but no descriptor that can be read
std::optional<std::string> take_part();

} // namespace callboard
