// SPDX-License-Identifier: Apache-2.0
/// @file
/// For tests: programs as child processes.
#pragma once

#include <fcntl.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <string>
#include <vector>

namespace callboard {

/// A child process, whose output (both streams) is read through a pipe.
class Child {
public:
  Child(const char* program, std::vector<std::string> flags) {
    int ends[2];
    EXPECT_EQ(pipe2(ends, O_CLOEXEC), 0);
    std::vector<char*> arguments{const_cast<char*>(program)};
    for (std::string& flag : flags) {
      arguments.push_back(flag.data());
    }
    arguments.push_back(nullptr);
    process_ = fork();
    if (process_ == 0) {
      dup2(ends[1], STDOUT_FILENO);
      dup2(ends[1], STDERR_FILENO);
      execv(arguments[0], arguments.data());
      _exit(127);
    }
    close(ends[1]);
    output_end_ = ends[0];
  }
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;
  ~Child() {
    if (process_ > 0) {
      ::kill(process_, SIGKILL);
      waitpid(process_, nullptr, 0);
    }
    close(output_end_);
  }

  pid_t pid() const { return process_; }
  void send(int signal) const { EXPECT_EQ(::kill(process_, signal), 0); }

  /// Waits until the output has `text`.
  bool says(const std::string& text) {
    while (output_.find(text) == output_.npos) {
      if (!read_more()) {
        return false;
      }
    }
    return true;
  }

  /// Waits for the end. @returns the exit status; 128 + n after signal n; -1 if it does not end
  int wait() {
    while (read_more()) {}
    if (!closed_) {
      return -1;
    }
    int status = 0;
    waitpid(process_, &status, 0);
    process_ = 0;
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  }

  const std::string& output() const { return output_; }

private:
  /// False at the end of the output, or when nothing has come for long.
  bool read_more() {
    constexpr int patience = 20'000; // ms
    pollfd ready{.fd = output_end_, .events = POLLIN, .revents = 0};
    if (poll(&ready, 1, patience) != 1) {
      return false;
    }
    char buffer[4096];
    const auto size = read(output_end_, buffer, sizeof buffer);
    closed_ = size <= 0;
    output_.append(buffer, closed_ ? 0 : static_cast<std::size_t>(size));
    return !closed_;
  }

  pid_t process_ = 0;
  int output_end_ = -1;
  bool closed_ = false;
  std::string output_;
};

} // namespace callboard
