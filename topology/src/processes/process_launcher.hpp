// SPDX-License-Identifier: Apache-2.0
/// @file
/// Makes the nodes of a program live in processes of their own.
#pragma once

#include "../launcher.hpp"
#include "control.hpp"
#include "worker_process.hpp"

#include <callboard/process_backend.hpp>

#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

namespace callboard::detail {

class ProgramRun;
class RemoteLife;

/// What the processes of a run have in common.
struct ProcessSetup {
  std::vector<std::string> command;     ///< this program and its arguments
  std::vector<std::byte> configuration; ///< its values
  LogLevel log_level = LogLevel::info;
  std::filesystem::path folder; ///< of the run
  /// What to do with a line that a node's process writes.
  std::function<void(std::string_view process, Stream stream, std::string_view line)> on_line;
};

/// Starts and watches the worker processes of this host. Thread-safe.
class ProcessLauncher final : public Launcher {
public:
  explicit ProcessLauncher(ProcessSetup setup);
  ~ProcessLauncher() override;

  void begin(ProgramRun& program) override;
  std::shared_ptr<Life> make_life(NodeHost& host, std::shared_ptr<Node> node) override;
  void finish() override;

  // For lives.
  void start_node(Node& node);
  /// False if the node's process is gone.
  template <auto m, class... A>
  bool tell(const std::string& node, const A&... arguments) {
    const Client<WorkerControl> control = control_of(node);
    if (control) {
      control.tell<m>(arguments...);
    }
    return static_cast<bool>(control);
  }
  void kill_process_of(const std::string& node);

private:
  class Control;
  using ProcessPtr = std::shared_ptr<WorkerProcess>;
  using Lock = std::unique_lock<std::mutex>;

  Client<WorkerControl> control_of(const std::string& node);
  ProcessPtr process_of_node(const Node& node);
  void spawn(const ProcessPtr& process, Node& node);
  JobSpec job_of(const WorkerProcess& process, const GroupSpec& spec) const;
  void joined(const Join& worker);
  void linked(const std::shared_ptr<Link>& link);
  void ended(const ProcessPtr& process, std::int32_t life, const JobEnd& end);
  Error end_of(const WorkerProcess& process, const JobEnd& end) const;
  Location location_of(const std::string& node) const;
  Location locate(const std::string& process, const std::string& node);
  void node_serves(Node& node);
  std::shared_ptr<RemoteLife> life_of(const std::string& node, std::int32_t incarnation) const;

  const ProcessSetup setup_;
  const std::string token_;
  ProgramRun* program_ = nullptr;
  std::vector<Fingerprint> fingerprint_;
  std::shared_ptr<Network> network_;
  std::shared_ptr<Front> control_front_;

  mutable std::mutex mutex_;
  bool finishing_ = false;
  std::map<std::string, ProcessPtr> processes_; ///< by name
  std::map<std::string, ProcessPtr> of_node_;
  std::map<std::string, std::shared_ptr<Link>> links_; ///< of processes that have not joined yet
  ProcessBackend backend_; ///< goes first: its threads use what is above
};

} // namespace callboard::detail
