// SPDX-License-Identifier: Apache-2.0
/// @file
/// One process as seen from another: what goes there, and what comes from there.
#pragma once

#include "envelope.hpp"
#include "parcel.hpp"

#include <callboard/detail/network.hpp>

#include <caf/actor_control_block.hpp>

#include <condition_variable>
#include <deque>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

namespace callboard::detail {

/// The connection of two processes. Envelopes leave at once while CAF has no parcel of ours, and
/// together, in one parcel, when it has let go of the one before. So many bytes at most are under
/// way; beyond that senders are told that there is no room. Thread-safe.
class Link : public std::enable_shared_from_this<Link> {
public:
  explicit Link(std::shared_ptr<Network> network);
  Link(const Link&) = delete;
  Link& operator=(const Link&) = delete;
  ~Link();

  /// Makes the actor that is this end.
  void open();
  /// Says hello to a door.
  void greet(const caf::strong_actor_ptr& door);
  /// Answers a hello of `process`, whose end is `peer`.
  void welcome(std::string process, caf::strong_actor_ptr peer);
  /// Waits until the other end has answered.
  /// @throws CallError{unavailable} it refused, or is gone  {deadline_exceeded}
  void wait_until_open(TimePoint deadline);

  const std::string& process() const noexcept { return process_; }
  bool ended() const;

  void lead(const std::shared_ptr<Front>& front, int incarnation);
  void end(const Error& reason);

  /// A parcel from the other end. On the network's thread.
  void receive(const caf::strong_actor_ptr& sender, const Parcel& parcel);

private:
  class NodeOutlet;
  class Cancel;
  using Lock = std::unique_lock<std::mutex>;
  using OutletPtr = std::shared_ptr<NodeOutlet>;

  /// A node's incarnation of ours that the other end calls.
  struct Served {
    std::string node;
    int incarnation = 0;
    std::uint32_t taken = 0; ///< tells done, of which the other end has not heard yet
  };
  struct Pending {
    std::uint64_t id;
    Call call;
    OutletPtr outlet;
  };

  // Sending.
  bool post(const OutletPtr& outlet, Call& call, bool force);
  bool has_room(NodeOutlet& outlet) const;
  bool is_full(const NodeOutlet& outlet) const;
  void write_call(
      const NodeOutlet& outlet,
      const CallState& call,
      std::uint64_t id,
      std::span<const std::byte> arguments);
  void seal();
  std::vector<std::byte> next_parcel();
  void send(Lock& lock);
  void dispatch(const caf::strong_actor_ptr& to, std::vector<std::byte> bytes);
  void parcel_gone();
  void cancel(std::uint64_t id);
  void reply(std::uint64_t id, const CallState& call);
  void told(std::uint32_t target);

  // Receiving.
  void read(Decoder& in, const caf::strong_actor_ptr& sender);
  void read_welcome(Decoder& in, const caf::strong_actor_ptr& sender);
  void read_refusal(Decoder& in);
  void read_target(Decoder& in);
  void read_call(Decoder& in);
  void read_reply(Decoder& in);
  void read_failure(Decoder& in);
  void read_cancel(Decoder& in);
  void read_taken(Decoder& in);
  void read_received(Decoder& in);
  std::optional<Pending> take_pending(std::uint64_t id);
  CallRef make_call(const wire::CallHeader& header, const ExposedNode& node) const;
  void serve(
      const wire::CallHeader& header,
      const ExposedNode& node,
      std::span<const std::byte> arguments);
  void refuse(const wire::CallHeader& header, Error error);
  void watch(const caf::strong_actor_ptr& peer);
  void lost();
  void end_calls(std::vector<Pending> calls, const Error& reason);

  const std::shared_ptr<Network> network_;
  const std::uint32_t taken_at_once_;
  caf::strong_actor_ptr self_;
  std::string process_;

  mutable std::mutex mutex_;
  std::condition_variable opened_;
  caf::strong_actor_ptr peer_; ///< null until the other end has answered
  std::optional<Error> end_reason_;
  Encoder control_;                          ///< envelopes that need no room at the other end
  Encoder outgoing_;                         ///< other envelopes, not yet a parcel
  std::deque<std::vector<std::byte>> queue_; ///< parcels that wait
  std::size_t queued_bytes_ = 0;
  bool parcel_out_ = false;       ///< CAF has one
  std::uint64_t under_way_ = 0;   ///< bytes sent of whose arrival we have not heard
  std::uint64_t unconfirmed_ = 0; ///< bytes that have arrived, of which the other end has not heard
  std::uint64_t last_id_ = 0;
  std::unordered_map<std::uint64_t, Pending> pending_;
  std::vector<OutletPtr> outlets_; ///< by number

  // Of the other end's calls; on the network's thread but for `running_` and `taken`.
  std::vector<Served> served_;
  std::unordered_map<std::uint64_t, CallRef> running_;
};

} // namespace callboard::detail
