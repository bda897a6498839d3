// SPDX-License-Identifier: Apache-2.0
/// @file
/// For tests of order and exclusion: a service that notices when either is violated.
#pragma once

#include "nodes.hpp"

#include <callboard/client.hpp>

#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <random>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace callboard {

/// Keeps, for each of its writers, the number of the last entry.
class Ledger {
public:
  static constexpr int max_writers = 16;

  /// The entries of one writer are numbered 1, 2, …
  int note(int writer, int number) {
    // Plain counters: two threads in here at once would drive them apart sooner or later.
    ++before_;
    int& last = last_.at(static_cast<std::size_t>(writer));
    out_of_order_ += number == last + 1 ? 0 : 1;
    last = number;
    overlaps_ += before_ == ++after_ ? 0 : 1;
    return number;
  }
  /// The same, but for so long that it is not run on the caller's thread any more.
  int note_slowly(int writer, int number) {
    const auto end = std::chrono::steady_clock::now() + 2 * defaults::short_method;
    while (std::chrono::steady_clock::now() < end) {}
    return note(writer, number);
  }
  int entries() const { return after_; }
  int out_of_order() const { return out_of_order_; }
  int overlaps() const { return overlaps_; }
  using exposed = methods<
      &Ledger::note,
      &Ledger::note_slowly,
      &Ledger::entries,
      &Ledger::out_of_order,
      &Ledger::overlaps>;

private:
  int before_ = 0;
  std::array<int, max_writers> last_{};
  int out_of_order_ = 0;
  int overlaps_ = 0;
  int after_ = 0;
};

/// Writes entries into several ledgers, in every way there is, mixed at random. Ends when all its
/// calls have; the number of those that failed or returned something else is `faults`.
class Writer {
public:
  Writer(int id, std::vector<Client<Ledger>> ledgers)
      : id_(id),
        ledgers_(std::move(ledgers)),
        numbers_(ledgers_.size()),
        random_(static_cast<unsigned>(id)) {}

  void write(int entries) {
    for (int i = 0; i < entries; ++i) {
      write_one(random_() % ledgers_.size());
      if (pending_.size() == 64) {
        collect();
      }
    }
    collect();
  }
  int faults() const { return faults_; }

private:
  void write_one(std::size_t at) {
    const Client<Ledger>& ledger = ledgers_[at];
    const int number = ++numbers_[at];
    switch (random_() % 16) {
    case 0: ledger.tell<&Ledger::note_slowly>(id_, number); break;
    case 1: expect(number, ledger.try_call<&Ledger::note_slowly>(id_, number)); break;
    case 2:
    case 3:
    case 4: ledger.tell<&Ledger::note>(id_, number); break;
    case 5:
    case 6: pending_.emplace_back(number, ledger.async<&Ledger::note>(id_, number)); break;
    default: expect(number, ledger.try_call<&Ledger::note>(id_, number));
    }
  }
  void expect(int number, const Result<int>& result) {
    faults_ += result && *result == number ? 0 : 1;
  }
  void collect() {
    for (auto& [number, future] : pending_) {
      expect(number, std::move(future).result());
    }
    pending_.clear();
  }

  int id_;
  std::vector<Client<Ledger>> ledgers_;
  std::vector<int> numbers_;
  std::vector<std::pair<int, Future<int>>> pending_;
  std::minstd_rand random_;
  int faults_ = 0;
};

/// `writers` threads write `entries` each into `ledgers` services.
inline void expect_order_and_exclusion(int writers, int ledgers, int entries) {
  Nodes nodes;
  std::vector<Client<Ledger>> clients;
  for (int i = 0; i < ledgers; ++i) {
    clients.push_back(nodes.add("ledger/" + std::to_string(i), std::make_shared<Ledger>())
                          .with({.deadline = std::chrono::minutes(2)}));
  }
  std::vector<Writer> work;
  for (int i = 0; i < writers; ++i) {
    work.emplace_back(i, clients);
  }
  {
    std::vector<std::jthread> threads;
    for (Writer& writer : work) {
      threads.emplace_back([&writer, entries] { writer.write(entries); });
    }
  }
  int written = 0;
  for (const Client<Ledger>& ledger : clients) {
    EXPECT_EQ(ledger.call<&Ledger::out_of_order>(), 0) << ledger.node();
    EXPECT_EQ(ledger.call<&Ledger::overlaps>(), 0) << ledger.node();
    written += ledger.call<&Ledger::entries>();
  }
  EXPECT_EQ(written, writers * entries) << "every call and tell is run once";
  for (const Writer& writer : work) {
    EXPECT_EQ(writer.faults(), 0);
  }
}

} // namespace callboard
