// SPDX-License-Identifier: Apache-2.0
/// @file
/// How many fields an aggregate has, and their names.
#pragma once

#include <callboard/detail/field_ladder.hpp>

#include <array>
#include <cstddef>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>

namespace callboard::detail {

/// Stands for the initialiser of any field of an `Owner`. It is not an `Owner` itself, lest a copy
/// counts as a list of fields.
template <class Owner>
struct AnyField {
  template <class T>
    requires(!std::is_same_v<T, Owner> && !std::is_base_of_v<T, Owner>)
  // NOLINTNEXTLINE(google-explicit-constructor): it is to stand for anything
  operator T() const;
};

/// Stands for the initialiser of a base class of `Owner`.
template <class Owner>
struct AnyBase {
  template <class T>
    requires(!std::is_same_v<T, Owner> && std::is_base_of_v<T, Owner>)
  // NOLINTNEXTLINE(google-explicit-constructor): it is to stand for anything
  operator T() const;
};

template <class T, std::size_t>
using Repeat = T;

template <class T, std::size_t... before>
consteval bool takes_fields(std::index_sequence<before...>) {
  return requires {
    T{Repeat<AnyField<T>, before>{}...};
  };
}

/// Whether `T{any..., {any...}, any...}` is well formed, with `before`, `inside` and `after` of
/// them.
template <class T, std::size_t... before, std::size_t... inside, std::size_t... after>
consteval bool takes_braces(
    std::index_sequence<before...>, std::index_sequence<inside...>, std::index_sequence<after...>) {
  return requires {
    T{Repeat<AnyField<T>, before>{}...,
      {Repeat<AnyField<T>, inside>{}...},
      Repeat<AnyField<T>, after>{}...};
  };
}

template <class T, std::size_t before, std::size_t inside, std::size_t after>
inline constexpr bool braces_fit = takes_braces<T>(
    std::make_index_sequence<before>{},
    std::make_index_sequence<inside>{},
    std::make_index_sequence<after>{});

inline constexpr std::size_t uncountable = ~std::size_t{0};
inline constexpr std::size_t max_initialisers = 256;

/// The number of initialisers, in which an array counts once for each of its elements. Some types
/// take no fewer than all of theirs; none has more than it has bytes. `uncountable` if no number of
/// them will do, which is so where a field is a reference.
template <class T, std::size_t count = 0>
consteval std::size_t initialiser_count() {
  constexpr bool taken = takes_fields<T>(std::make_index_sequence<count>{});
  constexpr bool next_taken = takes_fields<T>(std::make_index_sequence<count + 1>{});
  if constexpr (taken && !next_taken) {
    return count;
    // NOLINTNEXTLINE(bugprone-sizeof-expression): a struct may be as small
  } else if constexpr (count <= sizeof(T) && count < max_initialisers) {
    return initialiser_count<T, count + 1>();
  } else {
    return uncountable;
  }
}

/// How many of the `total` initialisers the field takes that starts with initialiser `at`. Braces
/// around `size` of them leave `total - at - size` for later fields if the field is an array, and
/// `total - at - 1` if it is not.
template <class T, std::size_t total, std::size_t at, std::size_t size = 2>
consteval std::size_t initialisers_of_field() {
  // NOLINTNEXTLINE(bugprone-branch-clone): what the second asks is costly
  if constexpr (at + size > total) {
    return 1;
  } else if constexpr (size == 2 && braces_fit<T, at, 0, total - at - 1>) {
    return 1;
  } else if constexpr (
      braces_fit<
          T,
          at,
          size,
          total - at - size> && !braces_fit<T, at, size, total - at - size + 1>) {
    return size;
  } else {
    return initialisers_of_field<T, total, at, size + 1>();
  }
}

template <class T, std::size_t total, std::size_t at = 0>
consteval std::size_t count_fields() {
  if constexpr (at >= total) {
    return 0;
  } else {
    return 1 + count_fields<T, total, at + initialisers_of_field<T, total, at>()>();
  }
}

template <class T>
inline constexpr bool is_countable = initialiser_count<T>() != uncountable;

template <class T>
inline constexpr std::size_t field_count = count_fields<T, initialiser_count<T>()>();

template <class T>
inline constexpr bool has_base = requires {
  T{AnyBase<T>{}};
};

template <class T>
struct Fake {
  T value;
};

/// Declared, never defined: the names of its fields are read off their addresses, in expressions
/// that exist at compile time only.
template <class T>
extern Fake<T> fake_object;

template <auto* field>
consteval auto field_signature() {
  return std::string_view(__PRETTY_FUNCTION__);
}

template <class T>
consteval auto fake_addresses() {
  return with_fields<field_count<T>>(
      fake_object<T>.value, [](auto&... fields) { return std::tuple(&fields...); });
}

/// The address of a field that is a reference is that of something else, and not constant.
template <class T>
concept HasOwnFields = requires {
  typename std::bool_constant<fake_addresses<T>() == fake_addresses<T>()>;
};

/// The compiler writes `… Config::learning_rate)]`.
template <class T, std::size_t i>
consteval std::string_view field_name() {
#if defined(__clang__) && __clang_major__ < 18
  return std::string_view("0123456789").substr(i % 10, 1); // enough for clang-tidy 14
#else
  constexpr std::string_view text = field_signature<std::get<i>(fake_addresses<T>())>();
  const std::size_t from = text.rfind("::") + 2;
  return text.substr(from, text.find_first_of(")]", from) - from);
#endif
}

template <class T, std::size_t... i>
consteval std::array<std::string_view, sizeof...(i)> list_names(std::index_sequence<i...>) {
  return {field_name<T, i>()...};
}

template <class T>
inline constexpr auto field_names = list_names<T>(std::make_index_sequence<field_count<T>>{});

} // namespace callboard::detail
