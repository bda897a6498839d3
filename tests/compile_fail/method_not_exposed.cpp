// SPDX-License-Identifier: Apache-2.0
#include <callboard/client.hpp>

class Server {
public:
  int pull() { return 0; }
  int secret() { return 1; }
  using exposed = callboard::methods<&Server::pull>;
};

int pull(const callboard::Client<Server>& server) {
#ifdef CALLBOARD_MUST_COMPILE
  return server.call<&Server::pull>();
#else
  return server.call<&Server::secret>();
#endif
}
