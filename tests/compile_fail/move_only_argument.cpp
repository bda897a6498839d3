// SPDX-License-Identifier: Apache-2.0
#include <callboard/service.hpp>

#include <memory>

class Server {
public:
#ifdef CALLBOARD_MUST_COMPILE
  void push(std::shared_ptr<const int> gradient) {
    last_ = *gradient;
  }
#else
  void push(std::unique_ptr<int> gradient) {
    last_ = *gradient;
  }
#endif
  using exposed = callboard::methods<&Server::push>;

private:
  int last_ = 0;
};

const auto& interface = callboard::detail::interface_of<Server>();
