// SPDX-License-Identifier: Apache-2.0
#include <callboard/client.hpp>

class Server {
public:
  static int version() { return 0; }
  int pull() { return 0; }
  using exposed = callboard::methods<&Server::pull>;
};

int pull(const callboard::Client<Server>& server) {
#ifdef CALLBOARD_MUST_COMPILE
  return server.call<&Server::pull>();
#else
  return server.call<&Server::version>();
#endif
}
