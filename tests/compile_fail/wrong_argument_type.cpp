// SPDX-License-Identifier: Apache-2.0
#include <callboard/client.hpp>

#include <string>

class Server {
public:
  int find(const std::string& name) { return static_cast<int>(name.size()); }
  using exposed = callboard::methods<&Server::find>;
};

callboard::Future<int> find(const callboard::Client<Server>& server) {
#ifdef CALLBOARD_MUST_COMPILE
  return server.async<&Server::find>("seven");
#else
  return server.async<&Server::find>(7);
#endif
}
