// SPDX-License-Identifier: Apache-2.0
// What comes from the other end of a link. All here runs on CAF's one thread for the network: it
// decodes headers and hands on, and runs nobody's methods.
#include "link_actor.hpp"
#include "node_outlet.hpp"

#include <callboard/log.hpp>

#include <fmt/format.h>

namespace callboard::detail {

using wire::Envelope;

void Link::receive(const caf::strong_actor_ptr& sender, const Parcel& parcel) {
  try {
    Decoder in(parcel.bytes());
    while (in.remaining() != 0) {
      read(in, sender);
    }
  } catch (...) {
    network_->count_malformed();
    end(
        {.code = Code::malformed,
         .message = "its process sent a parcel that is none: " + current_error().message});
    return;
  }
  Lock lock(mutex_);
  unconfirmed_ += parcel.bytes().size();
  send(lock);
}

void Link::read(Decoder& in, const caf::strong_actor_ptr& sender) {
  switch (static_cast<Envelope>(in.get<std::uint8_t>())) {
  case Envelope::welcome: return read_welcome(in, sender);
  case Envelope::refusal: return read_refusal(in);
  case Envelope::target: return read_target(in);
  case Envelope::call:
  case Envelope::tell: return read_call(in);
  case Envelope::reply: return read_reply(in);
  case Envelope::failure: return read_failure(in);
  case Envelope::cancel: return read_cancel(in);
  case Envelope::taken: return read_taken(in);
  case Envelope::received: return read_received(in);
  case Envelope::hello: break;
  }
  in.fail("an envelope of a known kind");
}

void Link::read_welcome(Decoder& in, const caf::strong_actor_ptr& sender) {
  auto welcome = decode<wire::Welcome>(in);
  {
    Lock lock(mutex_);
    process_ = std::move(welcome.process);
    peer_ = sender;
  }
  watch(sender);
  opened_.notify_all();
}

void Link::read_refusal(Decoder& in) {
  end({.code = Code::unavailable, .message = decode<wire::Refusal>(in).reason});
}

void Link::read_target(Decoder& in) {
  auto target = decode<wire::Target>(in);
  const Lock lock(mutex_);
  if (target.number != served_.size()) {
    in.fail(fmt::format("target {}, found {}", served_.size(), target.number));
  }
  served_.push_back({.node = std::move(target.node), .incarnation = target.incarnation});
}

void Link::read_call(Decoder& in) {
  const auto header = decode<wire::CallHeader>(in);
  const auto arguments = wire::get_bytes(in);
  if (header.target >= served_.size()) {
    in.fail(fmt::format("a target below {}, found {}", served_.size(), header.target));
  }
  const Served& served = served_[header.target];
  const auto node = network_->find(served.node);
  if (!node || node->incarnation != served.incarnation) {
    refuse(
        header,
        {.code = Code::unavailable,
         .message = fmt::format(
             "incarnation {} of {} has ended, and this call was not carried out",
             served.incarnation,
             served.node),
         .node = served.node});
    return;
  }
  serve(header, *node, arguments);
}

void Link::serve(
    const wire::CallHeader& header, const ExposedNode& node, std::span<const std::byte> arguments) {
  const CallRef state = make_call(header, node);
  if (!state) {
    refuse(
        header,
        {.code = Code::not_found,
         .message = node.interface->service + " does not expose the method asked for",
         .node = node.front->node()});
    return;
  }
  state->encoded = std::make_unique<std::vector<std::byte>>(arguments.begin(), arguments.end());
  if (header.id == 0) {
    state->one_way = true;
    state->when_done([self = weak_from_this(), target = header.target] {
      if (const auto link = self.lock()) {
        link->told(target);
      }
    });
  } else {
    state->observe();
    {
      const Lock lock(mutex_);
      running_.emplace(header.id, state);
    }
    // The call holds its continuation: no pointer back.
    state->when_done([self = weak_from_this(), id = header.id, call = state.get()] {
      if (const auto link = self.lock()) {
        link->reply(id, *call);
      }
    });
  }
  Call call(state);
  if (!node.front->post(call, nullptr)) {
    call->fail({.code = Code::resource_exhausted, .message = "the node's mailbox is full"});
  }
}

CallRef Link::make_call(const wire::CallHeader& header, const ExposedNode& node) const {
  for (const MethodEntry& entry : node.interface->methods) {
    if (entry.info->tag != header.method) {
      continue;
    }
    CallRef call = entry.make_call();
    call->target = node.front.get();
    call->target_hold = node.front;
    if (header.patience >= 0) {
      call->deadline = deadline_after(
          std::chrono::steady_clock::now(), std::chrono::nanoseconds(header.patience));
    }
    for (auto held = header.held.rbegin(); held != header.held.rend(); ++held) {
      if (const auto front = network_->runtime()->find(*held)) {
        call->callers =
            std::make_shared<const CallChain>(CallChain{front.get(), std::move(call->callers)});
      }
    }
    return call;
  }
  return {};
}

void Link::refuse(const wire::CallHeader& header, Error error) {
  Lock lock(mutex_);
  if (header.id == 0) {
    ++served_[header.target].taken;
    log(LogLevel::warning, error.node, "a tell was dropped: " + error.message);
  } else {
    wire::put(
        outgoing_, Envelope::failure, wire::Failure{.id = header.id, .error = std::move(error)});
  }
}

void Link::read_reply(Decoder& in) {
  const auto id = in.get<std::uint64_t>();
  const auto result = wire::get_bytes(in);
  if (const auto pending = take_pending(id)) {
    pending->call->uncarry();
    pending->call->fulfil_encoded(result);
  } else {
    network_->count_late_reply();
  }
}

void Link::read_failure(Decoder& in) {
  auto failure = decode<wire::Failure>(in);
  if (const auto pending = take_pending(failure.id)) {
    pending->call->uncarry();
    pending->call->fail(std::move(failure.error));
  } else {
    network_->count_late_reply();
  }
}

void Link::read_cancel(Decoder& in) {
  const auto id = in.get<std::uint64_t>();
  CallRef call;
  {
    const Lock lock(mutex_);
    if (auto found = running_.extract(id)) {
      call = std::move(found.mapped());
    }
  }
  if (call) {
    call->fail({.code = Code::cancelled, .message = "the caller has left"});
  }
}

void Link::read_taken(Decoder& in) {
  const auto taken = decode<wire::Taken>(in);
  OutletPtr outlet;
  {
    const Lock lock(mutex_);
    if (taken.target >= outlets_.size()) {
      in.fail(fmt::format("a target below {}, found {}", outlets_.size(), taken.target));
    }
    outlet = outlets_[taken.target];
  }
  outlet->done(taken.count);
}

void Link::read_received(Decoder& in) {
  const auto bytes = in.get<std::uint64_t>();
  std::vector<OutletPtr> outlets;
  {
    const Lock lock(mutex_);
    if (bytes > under_way_) {
      in.fail(fmt::format("no more than {} bytes, found {}", under_way_, bytes));
    }
    under_way_ -= bytes;
    outlets = outlets_;
  }
  for (const OutletPtr& outlet : outlets) {
    outlet->wake();
  }
}

} // namespace callboard::detail
