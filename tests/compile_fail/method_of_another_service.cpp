// SPDX-License-Identifier: Apache-2.0
#include <callboard/client.hpp>

class Server {
public:
  int pull() { return 0; }
  using exposed = callboard::methods<&Server::pull>;
};

class Replay {
public:
  int sample() { return 0; }
  using exposed = callboard::methods<&Replay::sample>;
};

int pull(const callboard::Client<Server>& server) {
#ifdef CALLBOARD_MUST_COMPILE
  return server.call<&Server::pull>();
#else
  return server.call<&Replay::sample>();
#endif
}
