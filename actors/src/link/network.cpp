// SPDX-License-Identifier: Apache-2.0
#include "../system.hpp"
#include "link.hpp"
#include "link_actor.hpp"

#include <callboard/log.hpp>

#include <caf/io/middleman.hpp>
#include <caf/typed_actor.hpp>
#include <fmt/format.h>

#include <algorithm>

namespace callboard::detail {
namespace {

using LinkInterface = caf::typed_actor<caf::reacts_to<Parcel>>;

constexpr const char* loopback = "127.0.0.1";

/// Compares in a time that does not tell how much of it is right.
bool same_token(const std::string& ours, const std::string& theirs) {
  unsigned difference = ours.size() == theirs.size() ? 0 : 1;
  for (std::size_t i = 0; i < std::min(ours.size(), theirs.size()); ++i) {
    difference |= static_cast<unsigned char>(ours[i]) ^ static_cast<unsigned char>(theirs[i]);
  }
  return difference == 0;
}

std::string refusal_of(const wire::Hello& hello, const NetworkOptions& options) {
  if (hello.version != wire::version) {
    return fmt::format(
        "process {} speaks version {} of the protocol, and {} speaks version {}: start both from "
        "one build",
        hello.process,
        hello.version,
        options.process,
        wire::version);
  }
  return same_token(options.token, hello.token) ? "" : "this is not a process of the same run";
}

void refuse(const caf::strong_actor_ptr& sender, std::string reason) {
  Encoder out;
  wire::put(out, wire::Envelope::refusal, wire::Refusal{std::move(reason)});
  sender->enqueue(
      caf::make_mailbox_element(nullptr, caf::make_message_id(), {}, Parcel(out.take())), nullptr);
}

/// A parcel from a process that has no link with us: a hello, or nothing that we would answer.
void answer_door(
    const std::shared_ptr<Network>& network,
    const caf::strong_actor_ptr& sender,
    const Parcel& parcel) {
  try {
    Decoder in(parcel.bytes());
    if (!sender || static_cast<wire::Envelope>(in.get<std::uint8_t>()) != wire::Envelope::hello) {
      in.fail("a hello");
    }
    auto hello = decode<wire::Hello>(in);
    if (std::string reason = refusal_of(hello, network->options()); !reason.empty()) {
      network->count_refused();
      refuse(sender, std::move(reason));
      return;
    }
    const auto link = std::make_shared<Link>(network);
    link->open();
    link->welcome(std::move(hello.process), sender);
    network->link_made(link);
  } catch (...) {
    network->count_malformed();
  }
}

} // namespace

void load_network(caf::actor_system_config& config) {
  config.load<caf::io::middleman>();
  config.set("middleman.workers", static_cast<size_t>(0)); // one copy and one hop less
  config.add_message_type<Parcel>("callboard.parcel");
}

struct Network::Door {
  caf::strong_actor_ptr actor;
};

std::shared_ptr<Network> Network::open(
    std::shared_ptr<ActorRuntime> runtime, NetworkOptions options, NetworkEvents events) {
  auto network =
      std::make_shared<Network>(std::move(runtime), std::move(options), std::move(events));
  caf::actor_system& system = network->runtime_->system().actors();
  network->door_->actor = LinkActor::make(
      system,
      [self = std::weak_ptr(network)](const caf::strong_actor_ptr& sender, const Parcel& parcel) {
        if (const auto net = self.lock()) {
          answer_door(net, sender, parcel);
        }
      });
  const auto port = system.middleman().publish(
      caf::actor_cast<LinkInterface>(network->door_->actor), 0, loopback, true);
  forget_logger();
  if (!port) {
    throw CallError(
        Code::unavailable,
        fmt::format("no port of {} can be bound: {}", loopback, system.render(port.error())));
  }
  network->port_ = *port;
  return network;
}

Network::Network(
    std::shared_ptr<ActorRuntime> runtime, NetworkOptions options, NetworkEvents events)
    : runtime_(std::move(runtime)),
      options_(std::move(options)),
      events_(std::move(events)),
      door_(std::make_unique<Door>()) {}

Network::~Network() = default;

std::shared_ptr<Link> Network::connect(std::uint16_t port, TimePoint deadline) {
  caf::actor_system& system = runtime_->system().actors();
  const auto door = system.middleman().remote_actor<LinkInterface>(loopback, port);
  forget_logger();
  if (!door) {
    throw CallError(
        Code::unavailable,
        fmt::format(
            "no process of the program listens at {}:{}: {}",
            loopback,
            port,
            system.render(door.error())));
  }
  const auto link = std::make_shared<Link>(shared_from_this());
  link->open();
  {
    const std::lock_guard lock(mutex_);
    links_.push_back(link);
  }
  link->greet(caf::actor_cast<caf::strong_actor_ptr>(*door));
  try {
    link->wait_until_open(deadline);
  } catch (const CallError& error) {
    link->end(error.error());
    throw;
  }
  return link;
}

void Network::expose(std::shared_ptr<Front> front, const Interface& interface, int incarnation) {
  const std::lock_guard lock(mutex_);
  const std::string node = front->node();
  nodes_.insert_or_assign(node, ExposedNode{std::move(front), &interface, incarnation});
}

void Network::withdraw(const std::string& node) {
  const std::lock_guard lock(mutex_);
  nodes_.erase(node);
}

std::optional<ExposedNode> Network::find(const std::string& node) const {
  const std::lock_guard lock(mutex_);
  const auto found = nodes_.find(node);
  return found == nodes_.end() ? std::nullopt : std::optional(found->second);
}

NetworkCounts Network::counts() const {
  return {.late_replies = late_replies_, .malformed = malformed_, .refused = refused_};
}

void Network::link_made(const std::shared_ptr<Link>& link) {
  {
    const std::lock_guard lock(mutex_);
    if (!closed_) {
      links_.push_back(link);
    }
  }
  if (events_.on_link) {
    events_.on_link(link);
  }
}

void Network::link_ended(const std::shared_ptr<Link>& link) {
  {
    const std::lock_guard lock(mutex_);
    std::erase(links_, link);
  }
  if (events_.on_end) {
    events_.on_end(link);
  }
}

void Network::link_lost(const std::shared_ptr<Link>& link) {
  if (events_.on_lost) {
    events_.on_lost(link);
  } else {
    link->end(
        {.code = Code::unavailable,
         .message = fmt::format("the connection to process {} is lost", link->process())});
  }
}

void Network::close() {
  std::vector<std::shared_ptr<Link>> links;
  {
    const std::lock_guard lock(mutex_);
    if (closed_) {
      return;
    }
    closed_ = true;
    links = links_;
    nodes_.clear();
  }
  caf::actor_system& system = runtime_->system().actors();
  static_cast<void>(system.middleman().close(port_));
  forget_logger();
  for (const auto& link : links) {
    link->end({.code = Code::unavailable, .message = "this process has left the program"});
  }
  LinkActor::end(door_->actor);
  door_->actor = nullptr;
}

} // namespace callboard::detail
