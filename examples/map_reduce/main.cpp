// SPDX-License-Identifier: Apache-2.0
//
//                map(line)    ┌──────────┐  add(counts)  ┌───────────┐
//               ┌───────────► │ mapper/0 │ ────────────► │ reducer/0 │  words whose hash is 0 mod 3
//   ┌────────┐  │             │    …     │               │     …     │
//   │ driver │ ─┴───────────► │ mapper/3 │ ────────────► │ reducer/2 │  words whose hash is 2 mod 3
//   └────────┘                └──────────┘               └───────────┘
//        └──────────────────────── top(12) ────────────────────▲
#include <callboard/callboard.hpp>

#include <algorithm>
#include <fstream>
#include <functional>
#include <iomanip>
#include <iostream>
#include <map>
#include <stdexcept>
#include <string>
#include <vector>

using namespace callboard;

struct Config {
  std::string text = CALLBOARD_EXAMPLE_TEXT; // the file whose words are counted
  int mappers = 4;
  int reducers = 3;
  int words = 12; // how many are printed
};

struct WordCount {
  std::string word;
  int count = 0;
};

using Counts = std::map<std::string, int>;

/// The `size` most frequent words, those of the same count by alphabet.
std::vector<WordCount> most_frequent(std::vector<WordCount> words, int size) {
  std::sort(words.begin(), words.end(), [](const WordCount& a, const WordCount& b) {
    return a.count != b.count ? a.count > b.count : a.word < b.word;
  });
  words.resize(std::min(words.size(), static_cast<std::size_t>(size)));
  return words;
}

/// Sums the counts of its share of all words.
class Reducer {
public:
  void add(const Counts& counts) {
    for (const auto& [word, count] : counts) {
      counts_[word] += count;
    }
  }

  std::vector<WordCount> top(int size) const {
    std::vector<WordCount> words;
    for (const auto& [word, count] : counts_) {
      words.push_back({word, count});
    }
    return most_frequent(std::move(words), size);
  }

  using exposed = methods<&Reducer::add, &Reducer::top>;

private:
  Counts counts_;
};

/// Counts words, the same word always for the same reducer.
class Mapper {
public:
  explicit Mapper(std::vector<Client<Reducer>> reducers) : reducers_(std::move(reducers)) {}

  Task<void> map(std::string lines) {
    std::vector<Counts> shares = count(lines);
    std::vector<Future<void>> added;
    for (std::size_t i = 0; i < reducers_.size(); ++i) {
      added.push_back(reducers_[i].async<&Reducer::add>(std::move(shares[i])));
    }
    co_await when_all(std::move(added));
  }

  using exposed = methods<&Mapper::map>;

private:
  /// Words are runs of the letters A to Z, in lower case.
  std::vector<Counts> count(const std::string& lines) const {
    std::vector<Counts> shares(reducers_.size());
    std::string word;
    for (const char c : lines + ' ') {
      const char letter = static_cast<char>(c | 0x20);
      if (letter >= 'a' && letter <= 'z') {
        word += letter;
      } else if (!word.empty()) {
        ++shares[std::hash<std::string>{}(word) % shares.size()][word];
        word.clear();
      }
    }
    return shares;
  }

  std::vector<Client<Reducer>> reducers_;
};

class Driver {
public:
  Driver(Config config, std::vector<Client<Mapper>> mappers, std::vector<Client<Reducer>> reducers)
      : config_(std::move(config)), mappers_(std::move(mappers)), reducers_(std::move(reducers)) {}

  void run() {
    map_all();
    for (const WordCount& word : most_frequent(tops(), config_.words)) {
      std::cout << std::setw(5) << word.count << ' ' << word.word << '\n';
    }
  }

private:
  /// Returns when every word has arrived at its reducer.
  void map_all() {
    std::ifstream file(config_.text);
    if (!file) {
      throw std::runtime_error("can't read " + config_.text);
    }
    std::vector<Future<void>> mapped;
    for (std::string line; std::getline(file, line);) {
      mapped.push_back(mappers_[mapped.size() % mappers_.size()].async<&Mapper::map>(line));
    }
    when_all(std::move(mapped)).get();
  }

  std::vector<WordCount> tops() {
    std::vector<WordCount> all;
    for (const Client<Reducer>& reducer : reducers_) {
      const auto top = reducer.call<&Reducer::top>(config_.words);
      all.insert(all.end(), top.begin(), top.end());
    }
    return all;
  }

  Config config_;
  std::vector<Client<Mapper>> mappers_;
  std::vector<Client<Reducer>> reducers_;
};

void build(Program& program, const Config& config) {
  auto reducers = program.add_group<Reducer>({.label = "reducer", .replicas = config.reducers});
  auto mappers =
      program.add_group<Mapper>({.label = "mapper", .replicas = config.mappers}, reducers);
  program.add<Driver>("driver", config, mappers, reducers);
}

int main(int argc, char** argv) {
  return run<Config>("map_reduce", argc, argv, build);
}
