// SPDX-License-Identifier: Apache-2.0
#include <callboard/client.hpp>

class Store {
public:
  int get() { return 0; }
  using exposed = callboard::methods<&Store::get>;
};

class Cache : public Store {
public:
  int hits() { return 0; }
#ifdef CALLBOARD_MUST_COMPILE
  using exposed = callboard::methods<Store::exposed{}, &Cache::hits>;
#else
  using exposed = callboard::methods<&Cache::hits>;
#endif
};

callboard::Client<Store> as_store(const callboard::Client<Cache>& cache) {
  return cache;
}
