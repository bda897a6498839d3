// SPDX-License-Identifier: Apache-2.0
#include <callboard/service.hpp>

class Server {
public:
#ifdef CALLBOARD_MUST_COMPILE
  int pull() {
    return 0;
  }
#else
  static int pull() {
    return 0;
  }
#endif
  using exposed = callboard::methods<&Server::pull>;
};

const auto& interface = callboard::detail::interface_of<Server>();
