// SPDX-License-Identifier: Apache-2.0
#include <callboard/service.hpp>

#include <functional>
#include <string>

class Server {
public:
#ifdef CALLBOARD_MUST_COMPILE
  void apply(const std::string& name) {
    name_ = name;
  }
#else
  void apply(const std::function<void(int)>& f) {
    f(1);
  }
#endif
  using exposed = callboard::methods<&Server::apply>;

private:
  std::string name_;
};

const auto& interface = callboard::detail::interface_of<Server>();
