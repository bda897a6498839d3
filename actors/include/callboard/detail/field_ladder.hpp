// SPDX-License-Identifier: Apache-2.0
/// @file
/// Takes an aggregate apart. A structured binding has to write its names down, hence the ladder.
/// Boost.PFR holds one, too, but knows no names, miscounts plain arrays, and compiles slower (with
/// g++ 12: 0.10 s for five aggregates, where counting and this take 0.03 s, names another 0.08 s).
#pragma once

#include <cstddef>

namespace callboard::detail {

inline constexpr std::size_t max_fields = 32;

// clang-format off
// NOLINTBEGIN(readability-function-size,readability-function-cognitive-complexity): a rung a line

/// `f(field...)` for the `count` fields of `value`.
template <std::size_t count, class T, class F>
constexpr decltype(auto) with_fields(T& value, F&& f) {
  static_assert(count <= max_fields, "callboard: an aggregate has more than 32 fields; group some of them in a struct, or give it an inspect function");
  if constexpr (count == 0) {
    return f();
  } else if constexpr (count == 1) {
    auto& [a] = value;
    return f(a);
  } else if constexpr (count == 2) {
    auto& [a, b] = value;
    return f(a, b);
  } else if constexpr (count == 3) {
    auto& [a, b, c] = value;
    return f(a, b, c);
  } else if constexpr (count == 4) {
    auto& [a, b, c, d] = value;
    return f(a, b, c, d);
  } else if constexpr (count == 5) {
    auto& [a, b, c, d, e] = value;
    return f(a, b, c, d, e);
  } else if constexpr (count == 6) {
    auto& [a, b, c, d, e, g] = value;
    return f(a, b, c, d, e, g);
  } else if constexpr (count == 7) {
    auto& [a, b, c, d, e, g, h] = value;
    return f(a, b, c, d, e, g, h);
  } else if constexpr (count == 8) {
    auto& [a, b, c, d, e, g, h, i] = value;
    return f(a, b, c, d, e, g, h, i);
  } else if constexpr (count == 9) {
    auto& [a, b, c, d, e, g, h, i, j] = value;
    return f(a, b, c, d, e, g, h, i, j);
  } else if constexpr (count == 10) {
    auto& [a, b, c, d, e, g, h, i, j, k] = value;
    return f(a, b, c, d, e, g, h, i, j, k);
  } else if constexpr (count == 11) {
    auto& [a, b, c, d, e, g, h, i, j, k, l] = value;
    return f(a, b, c, d, e, g, h, i, j, k, l);
  } else if constexpr (count == 12) {
    auto& [a, b, c, d, e, g, h, i, j, k, l, m] = value;
    return f(a, b, c, d, e, g, h, i, j, k, l, m);
  } else if constexpr (count == 13) {
    auto& [a, b, c, d, e, g, h, i, j, k, l, m, n] = value;
    return f(a, b, c, d, e, g, h, i, j, k, l, m, n);
  } else if constexpr (count == 14) {
    auto& [a, b, c, d, e, g, h, i, j, k, l, m, n, o] = value;
    return f(a, b, c, d, e, g, h, i, j, k, l, m, n, o);
  } else if constexpr (count == 15) {
    auto& [a, b, c, d, e, g, h, i, j, k, l, m, n, o, p] = value;
    return f(a, b, c, d, e, g, h, i, j, k, l, m, n, o, p);
  } else if constexpr (count == 16) {
    auto& [a, b, c, d, e, g, h, i, j, k, l, m, n, o, p, q] = value;
    return f(a, b, c, d, e, g, h, i, j, k, l, m, n, o, p, q);
  } else if constexpr (count == 17) {
    auto& [a, b, c, d, e, g, h, i, j, k, l, m, n, o, p, q, r] = value;
    return f(a, b, c, d, e, g, h, i, j, k, l, m, n, o, p, q, r);
  } else if constexpr (count == 18) {
    auto& [a, b, c, d, e, g, h, i, j, k, l, m, n, o, p, q, r, s] = value;
    return f(a, b, c, d, e, g, h, i, j, k, l, m, n, o, p, q, r, s);
  } else if constexpr (count == 19) {
    auto& [a, b, c, d, e, g, h, i, j, k, l, m, n, o, p, q, r, s, u] = value;
    return f(a, b, c, d, e, g, h, i, j, k, l, m, n, o, p, q, r, s, u);
  } else if constexpr (count == 20) {
    auto& [a, b, c, d, e, g, h, i, j, k, l, m, n, o, p, q, r, s, u, v] = value;
    return f(a, b, c, d, e, g, h, i, j, k, l, m, n, o, p, q, r, s, u, v);
  } else if constexpr (count == 21) {
    auto& [a, b, c, d, e, g, h, i, j, k, l, m, n, o, p, q, r, s, u, v, w] = value;
    return f(a, b, c, d, e, g, h, i, j, k, l, m, n, o, p, q, r, s, u, v, w);
  } else if constexpr (count == 22) {
    auto& [a, b, c, d, e, g, h, i, j, k, l, m, n, o, p, q, r, s, u, v, w, x] = value;
    return f(a, b, c, d, e, g, h, i, j, k, l, m, n, o, p, q, r, s, u, v, w, x);
  } else if constexpr (count == 23) {
    auto& [a, b, c, d, e, g, h, i, j, k, l, m, n, o, p, q, r, s, u, v, w, x, y] = value;
    return f(a, b, c, d, e, g, h, i, j, k, l, m, n, o, p, q, r, s, u, v, w, x, y);
  } else if constexpr (count == 24) {
    auto& [a, b, c, d, e, g, h, i, j, k, l, m, n, o, p, q, r, s, u, v, w, x, y, z] = value;
    return f(a, b, c, d, e, g, h, i, j, k, l, m, n, o, p, q, r, s, u, v, w, x, y, z);
  } else if constexpr (count == 25) {
    auto& [a, b, c, d, e, g, h, i, j, k, l, m, n, o, p, q, r, s, u, v, w, x, y, z, aa] = value;
    return f(a, b, c, d, e, g, h, i, j, k, l, m, n, o, p, q, r, s, u, v, w, x, y, z, aa);
  } else if constexpr (count == 26) {
    auto& [a, b, c, d, e, g, h, i, j, k, l, m, n, o, p, q, r, s, u, v, w, x, y, z, aa, ab] = value;
    return f(a, b, c, d, e, g, h, i, j, k, l, m, n, o, p, q, r, s, u, v, w, x, y, z, aa, ab);
  } else if constexpr (count == 27) {
    auto& [a, b, c, d, e, g, h, i, j, k, l, m, n, o, p, q, r, s, u, v, w, x, y, z, aa, ab, ac] = value;
    return f(a, b, c, d, e, g, h, i, j, k, l, m, n, o, p, q, r, s, u, v, w, x, y, z, aa, ab, ac);
  } else if constexpr (count == 28) {
    auto& [a, b, c, d, e, g, h, i, j, k, l, m, n, o, p, q, r, s, u, v, w, x, y, z, aa, ab, ac, ad] = value;
    return f(a, b, c, d, e, g, h, i, j, k, l, m, n, o, p, q, r, s, u, v, w, x, y, z, aa, ab, ac, ad);
  } else if constexpr (count == 29) {
    auto& [a, b, c, d, e, g, h, i, j, k, l, m, n, o, p, q, r, s, u, v, w, x, y, z, aa, ab, ac, ad, ae] = value;
    return f(a, b, c, d, e, g, h, i, j, k, l, m, n, o, p, q, r, s, u, v, w, x, y, z, aa, ab, ac, ad, ae);
  } else if constexpr (count == 30) {
    auto& [a, b, c, d, e, g, h, i, j, k, l, m, n, o, p, q, r, s, u, v, w, x, y, z, aa, ab, ac, ad, ae, af] = value;
    return f(a, b, c, d, e, g, h, i, j, k, l, m, n, o, p, q, r, s, u, v, w, x, y, z, aa, ab, ac, ad, ae, af);
  } else if constexpr (count == 31) {
    auto& [a, b, c, d, e, g, h, i, j, k, l, m, n, o, p, q, r, s, u, v, w, x, y, z, aa, ab, ac, ad, ae, af, ag] = value;
    return f(a, b, c, d, e, g, h, i, j, k, l, m, n, o, p, q, r, s, u, v, w, x, y, z, aa, ab, ac, ad, ae, af, ag);
  } else if constexpr (count == 32) {
    auto& [a, b, c, d, e, g, h, i, j, k, l, m, n, o, p, q, r, s, u, v, w, x, y, z, aa, ab, ac, ad, ae, af, ag, ah] = value;
    return f(a, b, c, d, e, g, h, i, j, k, l, m, n, o, p, q, r, s, u, v, w, x, y, z, aa, ab, ac, ad, ae, af, ag, ah);
  }
}

// NOLINTEND(readability-function-size,readability-function-cognitive-complexity)
// clang-format on

} // namespace callboard::detail
