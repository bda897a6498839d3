// SPDX-License-Identifier: Apache-2.0
/// @file
/// A node's stable address inside a process.
#pragma once

#include <callboard/detail/runtime.hpp>

#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

namespace caf {
class execution_unit;
} // namespace caf

namespace callboard::detail {

class ServiceActor;

/// A service object and how it is called.
struct Servant {
  const Interface* interface;
  void* service;
  std::shared_ptr<void> owner;      ///< keeps `service` alive until its actor has ended
  bool own_thread = false;          ///< methods run on a thread of their own and may block
  WaitSet* waits = nullptr;         ///< of the endless waits of methods that may block
  std::function<void()> on_ended{}; ///< called when the actor has ended and let go of `owner`
};

/// Where a front sends the calls for a node of another process. Thread-safe.
class Outlet {
public:
  Outlet() = default;
  Outlet(const Outlet&) = delete;
  Outlet& operator=(const Outlet&) = delete;
  virtual ~Outlet() = default;

  /// Sends the call, after all that were posted before. False if too many are under way; the call
  /// is then untouched. `force`: also then. (Called under the front's lock: does not call it back.)
  virtual bool post(Call& call, bool force) = 0;
  /// For who waits for room: the front is told when there may be some again.
  virtual bool has_room() = 0;
};

/// What passed through a front so far.
struct FrontCounts {
  std::uint64_t calls = 0;   ///< calls and tells that arrived
  std::uint64_t waiting = 0; ///< of these, not yet taken up by the service
  std::uint64_t failed = 0;  ///< methods that ended with an exception
};

/// A node's stable address inside a process: what clients hold. Calls go straight into the mailbox
/// of the present incarnation's actor, or to the process where that is; while there is none they
/// are kept, in order; when there will be none they fail with the reason. Thread-safe.
class Front : public std::enable_shared_from_this<Front> {
public:
  Front(std::string node, std::shared_ptr<ActorRuntime> runtime)
      : node_(std::move(node)), runtime_(std::move(runtime)) {}
  /// Unbound: a name at set-up time, in the program with number `origin` (0: any).
  Front(std::string node, std::uint64_t origin) : node_(std::move(node)), origin_(origin) {}
  Front(const Front&) = delete;
  Front& operator=(const Front&) = delete;
  ~Front() = default;

  const std::string& node() const noexcept { return node_; }
  const std::shared_ptr<ActorRuntime>& runtime() const noexcept { return runtime_; }
  std::uint64_t origin() const noexcept { return origin_; }

  /// Starts an actor for `servant` and hands it the calls that have waited. The actor before, if
  /// there was one, must have ended.
  void serve(Servant servant);

  /// The present incarnation is elsewhere: hands `outlet` the calls that have waited.
  void lead_to(std::shared_ptr<Outlet> outlet);

  /// The present incarnation takes no more calls: its actor ends when it has run what is queued;
  /// later calls wait for the next one. Nothing if there is none, or there will be none, or, given
  /// an outlet, if the front leads elsewhere.
  void hold(const Outlet* only = nullptr);

  /// Ends the actor when it has run what is queued; later calls fail with `reason`.
  void close(Error reason);

  /// Waits until no actor serves. False if that did not happen by `deadline`.
  bool wait_closed(TimePoint deadline);

  /// Takes a call and passes it on. `unit` (may be null) gets the actor if the call woke it.
  /// False if the mailbox is full; the call is then untouched.
  bool post(Call& call, caf::execution_unit* unit);

  /// Waits until the mailbox has room.
  bool wait_for_room(TimePoint deadline);

  /// Whether there is no service at present, and there may be one later.
  bool holding() const;

  /// Whether calls go to another process. A hint: it may change at any time.
  bool is_away() const noexcept { return away_.load(std::memory_order_relaxed); }

  /// What a caller waits for if it waits for this node: "learner/0 has not started yet".
  std::string describe_wait() const;

  FrontCounts counts() const;

  /// Why calls fail from now on, if they do.
  std::optional<Error> end_reason() const;

  /// The CAF actor that stands for this front, made when first asked for; null once it is closed.
  std::shared_ptr<void> address(const std::function<std::shared_ptr<void>()>& make);

  // For the service actor.
  void count_handled() noexcept;
  void count_failed() const noexcept { failed_.fetch_add(1, std::memory_order_relaxed); }
  void ended();

  /// For outlets: there may be room again.
  void wake_room_waiters() noexcept;

private:
  enum class State : unsigned char { holding, serving, away, closed };

  void deliver(Call call, caf::execution_unit* unit);
  bool send_away(Outlet& outlet, Call& call, bool force);
  bool is_full();
  bool has_room() const;
  void end_actor();

  const std::string node_;
  const std::shared_ptr<ActorRuntime> runtime_;
  const std::uint64_t origin_ = 0;

  mutable std::mutex mutex_;
  State state_ = State::holding;
  std::atomic<ServiceActor*> actor_{nullptr};
  std::shared_ptr<void> actor_hold_;
  std::shared_ptr<Outlet> outlet_;
  std::shared_ptr<void> address_;
  std::vector<Call> held_;
  std::optional<Error> reason_;
  std::atomic<bool> away_{false};
  bool has_served_ = false;
  std::uint64_t arrived_ = 0;
  unsigned handled_seen_ = 0; ///< an older `handled_`: callers seldom touch what the actor writes
  std::atomic<unsigned> living_{0}; ///< 1 while an actor serves; also what `wait_closed` sleeps on
  alignas(64) std::atomic<unsigned> handled_{0}; ///< low 32 bits of the count
  std::atomic<unsigned> room_waiters_{0};
  std::atomic<unsigned> room_changes_{0}; ///< what waits for room sleep on
  mutable std::atomic<std::uint64_t> failed_{0};
};

} // namespace callboard::detail
