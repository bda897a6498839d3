// SPDX-License-Identifier: Apache-2.0
/// @file
/// Jobs as processes of this host, that do not outlive the process that started them.
#pragma once

#include <callboard/backend.hpp>

#include <cstddef>
#include <memory>
#include <string>

namespace callboard {

struct ProcessOptions {
  /// Value of CALLBOARD_RUN in each job's environment, by which strays are found; letters, digits,
  /// '-', '_' and '.'; empty: a random one.
  std::string run{};
  /// Jobs with a whole number of `cpus` are bound to so many cores, taken in turn. Off: `cpus` has
  /// no effect here, the scheduler shares the cores out.
  bool pin_cpus = false;
  /// Where a control group can't be made, and for tests: memory is limited by RLIMIT_DATA alone.
  bool use_cgroups = true;
};

/// Starts processes, each in a process group of its own, with its input empty and both outputs
/// captured.
///
/// Nothing outlives this process, however it ends: the kernel kills each job with it
/// (PR_SET_PDEATHSIG), and a small watching process kills what carries the run's id in its
/// environment. Only a process that gave up that variable, its group and its parents stays behind.
/// The destructor ends the same processes.
///
/// `memory` is the limit of a control group below this process's own where one can be made (v1 or
/// v2), else of RLIMIT_DATA, for each process of the job. Without a limit, a job that is killed
/// when this process's control group has used up its memory is told of as killed for memory too.
/// `gpus` becomes CUDA_VISIBLE_DEVICES. `nice` is effective between jobs, which share this
/// process's session and so its autogroup. Peak memory is that of the control group, else of the
/// job's largest process, if that is larger than this process has been.
///
/// Descriptors: 3 a job, see `require_descriptors`; those of this process are not inherited.
class ProcessBackend : public Backend {
public:
  explicit ProcessBackend(ProcessOptions options = {});
  ~ProcessBackend() override;

  std::string_view name() const override { return "processes"; }
  BackendFeatures features() const override { return {}; }

  JobId start(const JobSpec& spec, JobEvents events) override;
  void terminate(JobId job) override;
  void kill(JobId job) override;
  void signal(JobId job, int signal) override;
  JobStatus status(JobId job) const override;
  std::optional<JobEnd> wait(JobId job, TimePoint deadline) const override;
  std::string logs(JobId job) const override;
  void forget(JobId job) override;

  /// What CALLBOARD_RUN is for its jobs.
  const std::string& run() const noexcept;

private:
  class Loop;
  std::unique_ptr<Loop> loop_;
};

/// Makes this process the parent of its descendants' orphans, so that they don't go to init and can
/// be found. A `ProcessBackend` reaps those in the process groups of its jobs.
void adopt_orphans();

/// Kills every process whose environment has CALLBOARD_RUN=`run`, but for this one, until there are
/// none, and reaps those that are its children.
/// @param patience longest wait for their ends
/// @returns how many were killed; those of other users are not seen
int kill_strays(const std::string& run, Duration patience = std::chrono::seconds(2));

/// Makes sure that `count` more descriptors can be opened; raises the soft limit where needed, to
/// the hard one or a million, which ever is less.
/// @throws CallError{resource_exhausted} "needs about N descriptors, limit is M (ulimit -n); …"
void require_descriptors(std::size_t count);

} // namespace callboard
