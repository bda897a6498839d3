// SPDX-License-Identifier: Apache-2.0
/// @file
/// Actors without mailbox that hand parcels on, on the thread that brings them.
#pragma once

#include "parcel.hpp"

#include <caf/actor_config.hpp>
#include <caf/actor_control_block.hpp>
#include <caf/actor_system.hpp>
#include <caf/mailbox_element.hpp>
#include <caf/make_actor.hpp>
#include <caf/monitorable_actor.hpp>

#include <functional>
#include <mutex>
#include <utility>

namespace callboard::detail {

/// One end of a link, or the door at which links begin.
class LinkActor final : public caf::monitorable_actor {
public:
  using Receive = std::function<void(const caf::strong_actor_ptr& sender, const Parcel& parcel)>;

  LinkActor(caf::actor_config& config, Receive receive)
      : caf::monitorable_actor(config), receive_(std::move(receive)) {}

  static caf::strong_actor_ptr make(caf::actor_system& system, Receive receive) {
    caf::actor_config config;
    return caf::make_actor<LinkActor, caf::strong_actor_ptr>(
        system.next_actor_id(), system.node(), &system, config, std::move(receive));
  }

  const char* name() const override { return "callboard.link"; }

  void enqueue(caf::mailbox_element_ptr element, caf::execution_unit* /*unit*/) override {
    if (element->content().match_elements<Parcel>()) {
      receive_(element->sender, element->content().get_as<Parcel>(0));
    }
  }

  /// Ends it for CAF, which keeps whoever has sent to another process in its registry.
  static void end(const caf::strong_actor_ptr& actor) {
    auto* const self = static_cast<LinkActor*>(actor->get());
    self->cleanup(caf::exit_reason::normal, nullptr);
    self->home_system().registry().erase(self->id());
  }

  void on_destroy() override {
    if (!getf(is_cleaned_up_flag)) {
      cleanup(caf::exit_reason::unreachable, nullptr);
    }
    caf::monitorable_actor::on_destroy();
  }

private:
  const Receive receive_;
};

} // namespace callboard::detail
