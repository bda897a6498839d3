// SPDX-License-Identifier: Apache-2.0
/// @file
/// What a front sends calls into when its node is at the other end of a link.
#pragma once

#include "link.hpp"

#include <fmt/format.h>

#include <atomic>

namespace callboard::detail {

/// A node's incarnation at the other end. Thread-safe.
class Link::NodeOutlet final : public Outlet, public std::enable_shared_from_this<NodeOutlet> {
public:
  NodeOutlet(
      std::shared_ptr<Link> link,
      const std::shared_ptr<Front>& front,
      std::uint32_t number,
      int incarnation)
      : link_(std::move(link)),
        front_(front),
        node_(front->node()),
        number_(number),
        incarnation_(incarnation) {}

  bool post(Call& call, bool force) override {
    return link_->post(shared_from_this(), call, force);
  }
  bool has_room() override { return link_->has_room(*this); }

  std::uint32_t number() const noexcept { return number_; }
  std::shared_ptr<Front> front() const { return front_.lock(); }
  bool is_full(std::size_t limit) const noexcept { return under_way_ >= limit; }

  void sent() noexcept { under_way_.fetch_add(1); }
  /// So many calls have ended.
  void done(std::uint32_t count) {
    under_way_.fetch_sub(count);
    wake();
  }
  void waits_for_room() noexcept { wanted_ = true; }
  /// There may be room again.
  void wake() {
    if (wanted_.exchange(false)) {
      if (const auto front = front_.lock()) {
        front->wake_room_waiters();
      }
    }
  }
  /// The incarnation is over: calls wait for the next.
  void hold_front() {
    if (const auto front = front_.lock()) {
      front->hold(this);
      front->wake_room_waiters();
    }
  }

  /// What a call gets that was under way when the incarnation ended.
  Error lost(const Error& reason) const {
    return {
        .code = Code::unavailable,
        .message = fmt::format(
            "{} (incarnation {}) has ended: {}; the call may or may not have been carried out",
            node_,
            incarnation_,
            reason.message),
        .node = node_,
    };
  }

private:
  const std::shared_ptr<Link> link_;
  const std::weak_ptr<Front> front_;
  const std::string node_;
  const std::uint32_t number_;
  const int incarnation_;
  std::atomic<std::size_t> under_way_{0}; ///< calls without a reply, tells not yet done
  std::atomic<bool> wanted_{false};       ///< somebody waits for room
};

/// Tells the other end that a caller has left.
class Link::Cancel final : public Carriage {
public:
  Cancel(std::weak_ptr<Link> link, std::uint64_t id) : link_(std::move(link)), id_(id) {}
  void call_ended() noexcept override {
    if (const auto link = link_.lock()) {
      link->cancel(id_);
    }
  }

private:
  const std::weak_ptr<Link> link_;
  const std::uint64_t id_;
};

} // namespace callboard::detail
