// SPDX-License-Identifier: Apache-2.0
#include <callboard/service.hpp>

#include <vector>

class Server {
public:
#ifdef CALLBOARD_MUST_COMPILE
  void pull(const std::vector<int>& weights) {
    last_ = weights;
  }
#else
  void pull(std::vector<int>& weights) {
    weights = last_;
  }
#endif
  using exposed = callboard::methods<&Server::pull>;

private:
  std::vector<int> last_;
};

const auto& interface = callboard::detail::interface_of<Server>();
