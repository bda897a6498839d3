// SPDX-License-Identifier: Apache-2.0
/// @file
/// State that one thread writes and many read without waiting for each other.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <utility>

namespace callboard {

/// An immutable value with its version. Versions count from 1.
template <class T>
struct Snapshot {
  std::uint64_t version = 0;
  T value{};
};

/// The newest of a series of immutable snapshots: a learner publishes its parameters while it
/// steps, its `exposed` methods read them. `publish` is for one thread at a time; reading is free
/// for all and never waits for a writer. A reader's snapshot stays valid and unchanged as long as
/// it is held.
template <class T>
class Published {
public:
  Published() = default;
  explicit Published(T first) { publish(std::move(first)); }

  /// Puts `value` in place of the present one. @returns its version
  std::uint64_t publish(T value) {
    const std::uint64_t version = version_ + 1;
    newest_.store(
        std::make_shared<const Snapshot<T>>(Snapshot<T>{version, std::move(value)}),
        std::memory_order_release);
    return version_ = version;
  }

  /// The newest snapshot; null before the first.
  std::shared_ptr<const Snapshot<T>> read() const {
    return newest_.load(std::memory_order_acquire);
  }

  /// The newest snapshot if its version is above `version`, else null.
  std::shared_ptr<const Snapshot<T>> newer_than(std::uint64_t version) const {
    auto newest = read();
    return newest && newest->version > version ? newest : nullptr;
  }

private:
  std::uint64_t version_ = 0;
  std::atomic<std::shared_ptr<const Snapshot<T>>> newest_;
};

} // namespace callboard
