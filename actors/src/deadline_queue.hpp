// SPDX-License-Identifier: Apache-2.0
/// @file
/// Ends calls at their deadlines when no thread waits for them.
#pragma once

#include <callboard/detail/call_state.hpp>

#include <array>
#include <atomic>
#include <cstdint>
#include <mutex>
#include <thread>
#include <vector>

namespace callboard::detail {

/// A hashed timing wheel (Varghese and Lauck 1987, scheme 6) of calls, which link themselves into
/// it: adding and removing cost the same however many there are, and nothing is left behind by a
/// call that ended in time. Most calls end within a tick: until then a new one waits beside the
/// wheel, in a list that needs no lock, and only if it lasts longer it gets in. Thread-safe.
class DeadlineQueue {
public:
  /// With `threaded`, a thread ends calls as their time comes; else `expire` does.
  explicit DeadlineQueue(bool threaded);
  DeadlineQueue(const DeadlineQueue&) = delete;
  DeadlineQueue& operator=(const DeadlineQueue&) = delete;
  ~DeadlineQueue();

  /// Ends what is in it, and all that is added later, as `cancelled`.
  void close();

  /// At most once a call.
  void add(CallState& call);
  /// Does nothing if it is not there.
  void remove(CallState& call);

  /// Ends the calls whose deadline is not after `now`.
  void expire(TimePoint now);

  /// The earliest deadline; the end of time if there is none. Looks at all.
  TimePoint earliest();

private:
  enum Mood : unsigned { ticking, asleep, ended };

  static constexpr std::chrono::milliseconds tick{4};
  static constexpr std::size_t slots = 4096;

  static std::int64_t tick_of(TimePoint time) { return time.time_since_epoch() / tick; }
  CallState*& slot_of(std::int64_t at) { return wheel_.at(static_cast<std::size_t>(at) % slots); }
  void settle(std::vector<CallRef>& done);
  void collect(CallState* first, TimePoint now, std::vector<CallRef>& over);
  void link(CallState& call);
  void unlink(CallState& call);
  void end_all();
  bool empty();
  void doze();
  std::vector<CallRef> take_all();
  void watch();

  std::atomic<CallState*> newcomers_{nullptr};
  std::atomic<unsigned> mood_{ticking}; ///< also what the watcher sleeps on
  std::mutex mutex_;                    ///< of the wheel
  std::array<CallState*, slots> wheel_{};
  std::size_t size_ = 0;
  std::int64_t next_tick_ = 0;
  std::thread watcher_;
};

} // namespace callboard::detail
