// SPDX-License-Identifier: Apache-2.0
#include "local_life.hpp"

#include <callboard/caf_node.hpp>

#include <caf/actor_registry.hpp>
#include <caf/logger.hpp>
#include <caf/send.hpp>

namespace callboard::detail {
namespace {

/// Under what name the system knows the actor of a node.
caf::atom_value key_of(const std::string& node) {
  return static_cast<caf::atom_value>(atom_of("callboard.caf_node " + node));
}

} // namespace

/// How the actor ended, told by the actor, which may outlive the node.
struct CafLife::End {
  std::mutex mutex;
  std::condition_variable_any changed;
  bool ended = false;
  std::string failure; ///< empty for a good end
};

CafLife::CafLife(Context& context, const Spawn& spawn)
    : context_(context), end_(std::make_shared<End>()) {
  caf::actor_system& system = *actor_address(context.life().node().front)->home_system;
  actor_ = spawn(system);
  actor_->attach_functor([end = end_, &system](const caf::error& reason) {
    const bool good =
        !reason || reason == caf::exit_reason::normal || reason == caf::exit_reason::user_shutdown;
    const std::lock_guard lock(end->mutex);
    end->ended = true;
    end->failure = good ? std::string() : "the actor ended: " + system.render(reason);
    end->changed.notify_all();
  });
  system.registry().put(key_of(context.node()), caf::actor_cast<caf::strong_actor_ptr>(actor_));
  caf::logger::set_current_actor_system(nullptr); // which would hold the system up at its end
}

CafLife::~CafLife() {
  actor_->home_system().registry().erase(key_of(context_.node()));
  caf::anon_send_exit(actor_, caf::exit_reason::user_shutdown);
}

void CafLife::run() {
  std::unique_lock lock(end_->mutex);
  const auto ended = [this] { return end_->ended; };
  end_->changed.wait(lock, context_.stop_token(), ended);
  if (!end_->ended) {
    lock.unlock();
    caf::anon_send_exit(actor_, caf::exit_reason::user_shutdown);
    lock.lock();
    end_->changed.wait(lock, ended);
  }
  if (!end_->failure.empty()) {
    throw CallError(Code::application, end_->failure);
  }
}

caf::actor find_caf_actor(const std::shared_ptr<Front>& front) {
  const auto address = actor_address(front);
  const auto actor = address->home_system->registry().get(key_of(front->node()));
  if (!actor) {
    throw CallError(Code::unavailable, front->node() + " has not started yet, or has ended");
  }
  return caf::actor_cast<caf::actor>(actor);
}

} // namespace callboard::detail
