// SPDX-License-Identifier: Apache-2.0
#include <callboard/service.hpp>

#include <string>
#include <string_view>

class Server {
public:
#ifdef CALLBOARD_MUST_COMPILE
  std::string name() const {
    return name_;
  }
#else
  std::string_view name() const {
    return name_;
  }
#endif
  using exposed = callboard::methods<&Server::name>;

private:
  std::string name_;
};

const auto& interface = callboard::detail::interface_of<Server>();
