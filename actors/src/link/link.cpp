// SPDX-License-Identifier: Apache-2.0
#include "link.hpp"

#include "../system.hpp"
#include "encode_call.hpp"
#include "link_actor.hpp"
#include "node_outlet.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace callboard::detail {
namespace {

/// Bytes that may be under way to the other end. CAF writes what it is given to a buffer of its
/// own, without end: this is the bound of that.
constexpr std::uint64_t window = std::uint64_t{16} << 20;
/// No envelope is added to a parcel of this size.
constexpr std::size_t parcel_size = std::size_t{256} << 10;
/// Tells done of which the other end is told even if nothing else is to be said: so few that it
/// never waits for them with a full mailbox before it.
std::uint32_t taken_at_once(const ActorRuntime& runtime) {
  constexpr std::size_t most = 1U << 12;
  return static_cast<std::uint32_t>(
      std::clamp<std::size_t>(runtime.options().mailbox_limit / 4, 1, most));
}

} // namespace

Link::Link(std::shared_ptr<Network> network)
    : network_(std::move(network)), taken_at_once_(taken_at_once(*network_->runtime())) {}

Link::~Link() = default;

void Link::open() {
  self_ = LinkActor::make(
      network_->runtime()->system().actors(),
      [self = weak_from_this()](const caf::strong_actor_ptr& sender, const Parcel& parcel) {
        if (const auto link = self.lock()) {
          link->receive(sender, parcel);
        }
      });
}

void Link::greet(const caf::strong_actor_ptr& door) {
  Encoder hello;
  wire::put(
      hello,
      wire::Envelope::hello,
      wire::Hello{.process = network_->options().process, .token = network_->options().token});
  watch(door);
  dispatch(door, hello.take());
}

void Link::welcome(std::string process, caf::strong_actor_ptr peer) {
  process_ = std::move(process);
  watch(peer);
  Lock lock(mutex_);
  peer_ = std::move(peer);
  wire::put(control_, wire::Envelope::welcome, wire::Welcome{network_->options().process});
  send(lock);
}

/// CAF tells what is attached to the stand-in of an actor elsewhere when its process is gone.
void Link::watch(const caf::strong_actor_ptr& peer) {
  peer->get()->attach_functor([self = weak_from_this()](const caf::error& /*reason*/) {
    if (const auto link = self.lock()) {
      link->lost();
    }
  });
}

void Link::lost() {
  std::vector<OutletPtr> outlets;
  {
    const Lock lock(mutex_);
    if (end_reason_) {
      return;
    }
    outlets = outlets_;
  }
  for (const OutletPtr& outlet : outlets) {
    outlet->hold_front(); // calls from now on wait for the next incarnation
  }
  network_->link_lost(shared_from_this());
}

void Link::wait_until_open(TimePoint deadline) {
  Lock lock(mutex_);
  const bool settled =
      opened_.wait_until(lock, deadline, [this] { return peer_ != nullptr || end_reason_; });
  if (!settled) {
    throw CallError(Code::deadline_exceeded, "a process did not answer the hello of another");
  }
  if (end_reason_) {
    throw CallError(*end_reason_);
  }
}

bool Link::ended() const {
  const Lock lock(mutex_);
  return end_reason_.has_value();
}

void Link::lead(const std::shared_ptr<Front>& front, int incarnation) {
  OutletPtr outlet;
  {
    const Lock lock(mutex_);
    if (end_reason_) {
      return;
    }
    const auto number = static_cast<std::uint32_t>(outlets_.size());
    outlet = std::make_shared<NodeOutlet>(shared_from_this(), front, number, incarnation);
    outlets_.push_back(outlet);
    wire::put(
        outgoing_,
        wire::Envelope::target,
        wire::Target{.number = number, .node = front->node(), .incarnation = incarnation});
  }
  front->lead_to(outlet);
  if (ended()) {
    front->hold(outlet.get()); // it ended meanwhile, and may have missed this one
  }
}

// ---------------------------------------------------------------------------------------- sending

bool Link::is_full(const NodeOutlet& outlet) const {
  return outlet.is_full(network_->runtime()->options().mailbox_limit)
      || queued_bytes_ + outgoing_.size() + under_way_ >= window;
}

/// For those who wait: they are woken from now on, also if room comes while this looks.
bool Link::has_room(NodeOutlet& outlet) const {
  outlet.waits_for_room();
  const Lock lock(mutex_);
  return end_reason_ || !is_full(outlet);
}

bool Link::post(const OutletPtr& outlet, Call& call, bool force) {
  std::vector<std::byte> arguments;
  if (!force) {
    const Lock lock(mutex_);
    if (!end_reason_ && is_full(*outlet)) {
      return false;
    }
  }
  if (auto error = encode_call(*call, network_->runtime()->options().message_limit, arguments)) {
    fail_later(*network_->runtime(), call, std::move(*error));
    return true;
  }
  Lock lock(mutex_);
  if (end_reason_) {
    lock.unlock();
    fail_later(*network_->runtime(), call, *end_reason_);
    return true;
  }
  const std::uint64_t id = call->one_way ? 0 : ++last_id_;
  write_call(*outlet, *call, id, arguments);
  outlet->sent();
  if (id != 0) {
    pending_.emplace(id, Pending{id, call, outlet});
  }
  send(lock);
  if (lock.owns_lock()) {
    lock.unlock();
  }
  if (id != 0) {
    call->carry(std::make_shared<Cancel>(weak_from_this(), id));
  } else {
    call->dismiss();
  }
  call = {};
  return true;
}

void Link::write_call(
    const NodeOutlet& outlet,
    const CallState& call,
    std::uint64_t id,
    std::span<const std::byte> arguments) {
  wire::CallHeader header{.id = id, .target = outlet.number(), .method = call.method->tag};
  if (call.deadline != TimePoint::max()) {
    const Duration left = call.deadline - std::chrono::steady_clock::now();
    header.patience = std::max<std::int64_t>(0, std::chrono::nanoseconds(left).count());
  }
  for (const CallChain* each = call.callers.get(); each != nullptr; each = each->callers.get()) {
    header.held.push_back(each->node->node());
  }
  wire::put(outgoing_, id == 0 ? wire::Envelope::tell : wire::Envelope::call, header);
  wire::put_bytes(outgoing_, arguments);
}

void Link::seal() {
  if (outgoing_.size() != 0) {
    queued_bytes_ += outgoing_.size();
    queue_.push_back(outgoing_.take());
  }
}

/// Gives CAF the next parcel, if it has none of ours. Gives the lock up if it does.
void Link::send(Lock& lock) {
  if (outgoing_.size() >= parcel_size) {
    seal();
  }
  if (parcel_out_ || peer_ == nullptr || end_reason_) {
    return;
  }
  std::vector<std::byte> bytes = next_parcel();
  if (bytes.empty()) {
    return;
  }
  under_way_ += bytes.size();
  parcel_out_ = true;
  const caf::strong_actor_ptr peer = peer_;
  lock.unlock(); // CAF may drop it at once, which calls us back
  dispatch(peer, std::move(bytes));
}

/// What is to be said now: control first, since that is what may give the other end room.
std::vector<std::byte> Link::next_parcel() {
  const bool may_send = under_way_ < window;
  if (may_send && queue_.empty()) {
    seal();
  }
  const bool has_content = may_send && !queue_.empty();
  if (unconfirmed_ >= window / 4 || (unconfirmed_ != 0 && has_content)) {
    wire::put(control_, wire::Envelope::received, std::exchange(unconfirmed_, 0));
  }
  for (std::uint32_t i = 0; i < served_.size(); ++i) {
    if (served_[i].taken >= taken_at_once_ || (served_[i].taken != 0 && has_content)) {
      wire::put(
          control_,
          wire::Envelope::taken,
          wire::Taken{.target = i, .count = std::exchange(served_[i].taken, 0)});
    }
  }
  if (!has_content) {
    return control_.take();
  }
  std::vector<std::byte> content = std::move(queue_.front());
  queue_.pop_front();
  queued_bytes_ -= content.size();
  if (control_.size() == 0) {
    return content;
  }
  control_.put_block(content);
  return control_.take();
}

void Link::dispatch(const caf::strong_actor_ptr& to, std::vector<std::byte> bytes) {
  Parcel parcel(std::move(bytes), [self = weak_from_this()] {
    if (const auto link = self.lock()) {
      link->parcel_gone();
    }
  });
  to->enqueue(
      caf::make_mailbox_element(self_, caf::make_message_id(), {}, std::move(parcel)), nullptr);
}

void Link::parcel_gone() {
  Lock lock(mutex_);
  parcel_out_ = false;
  send(lock);
}

void Link::cancel(std::uint64_t id) {
  if (const auto pending = take_pending(id)) {
    Lock lock(mutex_);
    wire::put(outgoing_, wire::Envelope::cancel, id); // behind the call itself
    send(lock);
  }
}

void Link::reply(std::uint64_t id, const CallState& call) {
  std::vector<std::byte> result;
  std::optional<Error> error = call.failed() ? std::optional(call.error()) : std::nullopt;
  if (!error) {
    error = encode_result(call, network_->runtime()->options().message_limit, result);
  }
  Lock lock(mutex_);
  if (running_.erase(id) == 0 || end_reason_) {
    return; // the caller has left
  }
  if (error) {
    wire::put(
        outgoing_, wire::Envelope::failure, wire::Failure{.id = id, .error = std::move(*error)});
  } else {
    wire::put(outgoing_, wire::Envelope::reply, id);
    wire::put_bytes(outgoing_, result);
  }
  send(lock);
}

void Link::told(std::uint32_t target) {
  Lock lock(mutex_);
  if (++served_[target].taken >= taken_at_once_) {
    send(lock);
  }
}

// ---------------------------------------------------------------------------------------- the end

std::optional<Link::Pending> Link::take_pending(std::uint64_t id) {
  std::optional<Pending> pending;
  {
    const Lock lock(mutex_);
    if (auto found = pending_.extract(id)) {
      pending = std::move(found.mapped());
    }
  }
  if (pending) {
    pending->outlet->done(1);
  }
  return pending;
}

void Link::end(const Error& reason) {
  std::vector<Pending> over;
  std::vector<OutletPtr> outlets;
  std::unordered_map<std::uint64_t, CallRef> running;
  {
    const Lock lock(mutex_);
    if (end_reason_) {
      return;
    }
    end_reason_ = reason;
    peer_ = nullptr;
    for (auto& [id, pending] : pending_) {
      over.push_back(std::move(pending));
    }
    pending_.clear();
    outlets.swap(outlets_);
    running.swap(running_);
  }
  opened_.notify_all();
  for (const OutletPtr& outlet : outlets) {
    outlet->hold_front();
  }
  end_calls(std::move(over), reason);
  for (const auto& [id, call] : running) {
    call->fail({.code = Code::cancelled, .message = "the caller's process is gone"});
  }
  LinkActor::end(self_);
  network_->link_ended(shared_from_this());
}

/// Repeats what can be repeated, and fails the rest.
void Link::end_calls(std::vector<Pending> calls, const Error& reason) {
  std::sort(calls.begin(), calls.end(), [](const Pending& a, const Pending& b) {
    return a.id < b.id; // the order in which they were made
  });
  for (Pending& each : calls) {
    each.call->uncarry();
    each.outlet->done(1);
    const auto front = each.call->method->repeatable ? each.outlet->front() : nullptr;
    if (front == nullptr || each.call->done() || !front->post(each.call, nullptr)) {
      each.call->fail(each.outlet->lost(reason));
    }
  }
}

// -------------------------------------------------------------------------- the network's business

const std::string& process_of(const Link& link) {
  return link.process();
}

bool has_ended(const Link& link) {
  return link.ended();
}

void lead_over(
    const std::shared_ptr<Link>& link, const std::shared_ptr<Front>& front, int incarnation) {
  link->lead(front, incarnation);
}

void end_link(Link& link, const Error& reason) {
  link.end(reason);
}

} // namespace callboard::detail
