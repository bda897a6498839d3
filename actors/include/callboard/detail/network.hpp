// SPDX-License-Identifier: Apache-2.0
/// @file
/// The processes of a program among each other: what this one offers, and its links to others.
#pragma once

#include <callboard/detail/front.hpp>

#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

namespace callboard::detail {

class Link;

struct NetworkOptions {
  std::string process; ///< what this process is called by others: "launcher", "learner/0"
  std::string token;   ///< whoever knows it may link with us
};

/// What became of calls that came or went over the links of a process.
struct NetworkCounts {
  std::uint64_t late_replies = 0; ///< whose caller had left, or whose node had ended
  std::uint64_t malformed = 0;    ///< parcels that were no parcels
  std::uint64_t refused = 0;      ///< processes that did not know the token
};

/// Told, on a thread of the network's that must not be held up, of links that come and go.
struct NetworkEvents {
  std::function<void(const std::shared_ptr<Link>& link)>
      on_link{}; ///< one that the other asked for
  std::function<void(const std::shared_ptr<Link>& link)> on_end{};
  /// The connection is lost. Whoever takes this on learns why, and calls `end_link` soon: calls in
  /// flight wait for that. Without it the link ends at once.
  std::function<void(const std::shared_ptr<Link>& link)> on_lost{};
};

/// A node of this process as others see it.
struct ExposedNode {
  std::shared_ptr<Front> front;
  const Interface* interface;
  int incarnation;
};

/// This process among the processes of a program. Listens on a port of the loopback interface that
/// the system picks. Thread-safe.
class Network : public std::enable_shared_from_this<Network> {
public:
  struct Door;

  /// @throws CallError{unavailable} no port can be bound
  static std::shared_ptr<Network> open(
      std::shared_ptr<ActorRuntime> runtime, NetworkOptions options, NetworkEvents events = {});
  Network(std::shared_ptr<ActorRuntime> runtime, NetworkOptions options, NetworkEvents events);
  Network(const Network&) = delete;
  Network& operator=(const Network&) = delete;
  ~Network();

  const NetworkOptions& options() const noexcept { return options_; }
  const std::shared_ptr<ActorRuntime>& runtime() const noexcept { return runtime_; }
  std::uint16_t port() const noexcept { return port_; }

  /// Links with the process that listens at `port` of this host.
  /// @throws CallError{unavailable} nobody listens there, or it refuses us; {deadline_exceeded}
  std::shared_ptr<Link> connect(std::uint16_t port, TimePoint deadline);

  /// From now on other processes may call the node.
  void expose(std::shared_ptr<Front> front, const Interface& interface, int incarnation);
  void withdraw(const std::string& node);

  NetworkCounts counts() const;

  /// Ends all links and the port.
  void close();

  // For links.
  std::optional<ExposedNode> find(const std::string& node) const;
  void count_late_reply() noexcept { late_replies_.fetch_add(1, std::memory_order_relaxed); }
  void count_malformed() noexcept { malformed_.fetch_add(1, std::memory_order_relaxed); }
  void count_refused() noexcept { refused_.fetch_add(1, std::memory_order_relaxed); }
  void link_made(const std::shared_ptr<Link>& link);
  void link_ended(const std::shared_ptr<Link>& link);
  void link_lost(const std::shared_ptr<Link>& link);

private:
  const std::shared_ptr<ActorRuntime> runtime_;
  const NetworkOptions options_;
  const NetworkEvents events_;
  std::unique_ptr<Door> door_;
  std::uint16_t port_ = 0;

  mutable std::mutex mutex_;
  bool closed_ = false;
  std::map<std::string, ExposedNode> nodes_;
  std::vector<std::shared_ptr<Link>> links_;
  std::atomic<std::uint64_t> late_replies_{0};
  std::atomic<std::uint64_t> malformed_{0};
  std::atomic<std::uint64_t> refused_{0};
};

/// The name of the process at the other end.
const std::string& process_of(const Link& link);

bool has_ended(const Link& link);

/// Sends the calls of `front` over the link, to that incarnation of the front's node.
void lead_over(
    const std::shared_ptr<Link>& link, const std::shared_ptr<Front>& front, int incarnation);

/// Ends the link, as if it had broken: its fronts hold, and calls in flight fail with `reason`, but
/// for those that can be repeated, which wait for the next incarnation.
void end_link(Link& link, const Error& reason);

} // namespace callboard::detail
