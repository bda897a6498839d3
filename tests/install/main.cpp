// SPDX-License-Identifier: Apache-2.0
// Exits with 0 if the installed headers and libraries belong together.
#include <callboard/error.hpp>

#include <iostream>

int main() {
  const callboard::Result<int> rows = callboard::Error{callboard::Code::not_found, "no table t"};
  std::cout << to_string(rows.error()) << '\n';
  return rows.ok() ? 1 : 0;
}
