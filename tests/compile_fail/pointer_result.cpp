// SPDX-License-Identifier: Apache-2.0
#include <callboard/service.hpp>

#include <memory>

class Server {
public:
#ifdef CALLBOARD_MUST_COMPILE
  std::shared_ptr<const int> pull() const {
    return weights_;
  }
#else
  const int* pull() const {
    return weights_.get();
  }
#endif
  using exposed = callboard::methods<&Server::pull>;

private:
  std::shared_ptr<const int> weights_;
};

const auto& interface = callboard::detail::interface_of<Server>();
