// SPDX-License-Identifier: Apache-2.0
#include <callboard/service.hpp>

#include <vector>

class Server {
public:
#ifdef CALLBOARD_MUST_COMPILE
  std::vector<int> pull() {
    return weights_;
  }
#else
  std::vector<int>& pull() {
    return weights_;
  }
#endif
  using exposed = callboard::methods<&Server::pull>;

private:
  std::vector<int> weights_;
};

const auto& interface = callboard::detail::interface_of<Server>();
