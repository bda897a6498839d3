// SPDX-License-Identifier: Apache-2.0
#include <callboard/rate_meter.hpp>

#include <fmt/format.h>

#include <stdexcept>

namespace callboard {
namespace {

/// Samples that lie closer than this part of the window replace each other.
constexpr int parts_of_window = 64;

} // namespace

RateMeter::RateMeter(std::chrono::nanoseconds window) : window_(window) {
  if (window.count() <= 0) {
    throw std::invalid_argument(
        fmt::format("a rate's window is {} ns; it must be above 0", window.count()));
  }
}

void RateMeter::add(Time time, double total) {
  if (samples_.empty()) {
    samples_.push_back({time, 0});
    last_total_ = total;
    return;
  }
  if (time <= samples_.back().time)
    return;
  const bool began_again = total < last_total_;
  const double growth = began_again ? total : total - last_total_;
  const Sample sample{time, samples_.back().grown + growth};
  last_total_ = total;
  const std::size_t size = samples_.size();
  if (size > 2 && samples_[size - 1].time - samples_[size - 2].time < window_ / parts_of_window) {
    samples_.back() = sample;
  } else {
    samples_.push_back(sample);
  }
  while (samples_.size() > 2 && samples_[1].time <= time - window_)
    samples_.pop_front();
}

double RateMeter::rate() const {
  if (samples_.size() < 2)
    return 0;
  const std::chrono::duration<double> elapsed = samples_.back().time - samples_.front().time;
  return (samples_.back().grown - samples_.front().grown) / elapsed.count();
}

} // namespace callboard
