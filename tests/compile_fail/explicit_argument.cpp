// SPDX-License-Identifier: Apache-2.0
#include <callboard/client.hpp>

#include <vector>

class Server {
public:
  int sum(const std::vector<int>& numbers) { return static_cast<int>(numbers.size()); }
  using exposed = callboard::methods<&Server::sum>;
};

int sum(const callboard::Client<Server>& server) {
#ifdef CALLBOARD_MUST_COMPILE
  return server.call<&Server::sum>(std::vector<int>(5));
#else
  return server.call<&Server::sum>(5);
#endif
}
