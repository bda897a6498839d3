// SPDX-License-Identifier: Apache-2.0
#include "launcher.hpp"
#include "local_life.hpp"

namespace callboard::detail {
namespace {

class ThreadLauncher final : public Launcher {
public:
  std::shared_ptr<Life> make_life(NodeHost& host, std::shared_ptr<Node> node) override {
    return std::make_shared<LocalLife>(host, std::move(node));
  }
};

} // namespace

std::unique_ptr<Launcher> make_thread_launcher() {
  return std::make_unique<ThreadLauncher>();
}

} // namespace callboard::detail
