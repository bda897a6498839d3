// SPDX-License-Identifier: Apache-2.0
#include <callboard/client.hpp>

class Server {
public:
  void push(int gradient, float /*rate*/) { last_ = gradient; }
  using exposed = callboard::methods<&Server::push>;

private:
  int last_ = 0;
};

void push(const callboard::Client<Server>& server) {
#ifdef CALLBOARD_MUST_COMPILE
  server.tell<&Server::push>(1, 0.1F);
#else
  server.tell<&Server::push>(1);
#endif
}
