// SPDX-License-Identifier: Apache-2.0
#include "system.hpp"

#include <callboard/caf.hpp>
#include <callboard/detail/front.hpp>

#include <caf/mailbox_element.hpp>
#include <caf/make_actor.hpp>
#include <caf/monitorable_actor.hpp>

namespace callboard::detail {
namespace {

/// A node's address for CAF actors: an actor without mailbox that passes calls on to its front.
class FrontActor final : public caf::monitorable_actor {
public:
  FrontActor(caf::actor_config& config, std::shared_ptr<Front> front)
      : caf::monitorable_actor(config), front_(std::move(front)) {}

  const char* name() const override { return "callboard.front"; }

  void enqueue(caf::mailbox_element_ptr element, caf::execution_unit* /*unit*/) override {
    if (!is_call(element->content())) {
      refuse(*element);
      return;
    }
    Call call = element->content().get_as<Call>(1);
    if (!call->mark_posted()) {
      refuse(*element);
      return;
    }
    call->target = front_.get();
    call->target_hold = front_;
    if (element->mid.is_request()) {
      reply_to(call, std::move(element->sender), element->mid);
    } else {
      call->one_way = true;
    }
    if (!front_->post(call, nullptr)) {
      call->fail({.code = Code::resource_exhausted, .message = "the node's mailbox is full"});
    }
  }

  void on_destroy() override {
    if (!getf(is_cleaned_up_flag)) {
      cleanup(caf::exit_reason::unreachable, nullptr);
    }
    caf::monitorable_actor::on_destroy();
  }

private:
  /// Whether it is a call of the method that it names.
  static bool is_call(const caf::type_erased_tuple& message) {
    if (!message.match_elements<caf::atom_value, Call>()) {
      return false;
    }
    const Call& call = message.get_as<Call>(1);
    return call
        && call->method->tag == static_cast<std::uint64_t>(message.get_as<caf::atom_value>(0));
  }

  void refuse(const caf::mailbox_element& element) {
    if (element.mid.is_request() && element.sender) {
      element.sender->enqueue(
          caf::make_mailbox_element(
              caf::strong_actor_ptr(ctrl()),
              element.mid.response_id(),
              {},
              caf::make_error(caf::sec::unexpected_message)),
          nullptr);
    }
  }

  void reply_to(const Call& call, caf::strong_actor_ptr sender, caf::message_id id) {
    call->observe();
    call->when_done(
        [ref = call.ref(), self = caf::strong_actor_ptr(ctrl()), sender = std::move(sender), id] {
          sender->enqueue(
              caf::make_mailbox_element(self, id.response_id(), {}, Reply(ref)), nullptr);
        });
  }

  const std::shared_ptr<Front> front_;
};

std::shared_ptr<void> make_address(const std::shared_ptr<Front>& front) {
  caf::actor_system& system = front->runtime()->system().actors();
  caf::actor_config config;
  return std::make_shared<caf::strong_actor_ptr>(caf::make_actor<FrontActor, caf::strong_actor_ptr>(
      system.next_actor_id(), system.node(), &system, config, front));
}

} // namespace

caf::strong_actor_ptr actor_address(const std::shared_ptr<Front>& front) {
  if (!front || !front->runtime()) {
    throw CallError(Code::failed_precondition, "a client has no actor before its program runs");
  }
  const auto address = front->address([&] { return make_address(front); });
  if (!address) {
    throw CallError(
        Code::failed_precondition, front->node() + " has ended, it has no actor any more");
  }
  return *static_cast<const caf::strong_actor_ptr*>(address.get());
}

} // namespace callboard::detail
