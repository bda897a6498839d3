// SPDX-License-Identifier: Apache-2.0
/// @file
/// How containers and arrays travel.
#pragma once

#include <callboard/detail/transfer.hpp>

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <iterator>
#include <span>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

namespace callboard {
namespace detail {

template <class T>
struct ElementOf {
  using Type = typename T::value_type;
  static constexpr std::size_t count = std::tuple_size_v<T>;
};
template <class T, std::size_t n>
// NOLINTNEXTLINE(modernize-avoid-c-arrays): aggregates of others may hold one
struct ElementOf<T[n]> {
  using Type = T;
  static constexpr std::size_t count = n;
};

/// What an element is before it is put into its container: a map's keys are const there.
template <class T>
struct LooseElement {
  using Type = std::remove_cv_t<T>;
};
template <class Key, class Value>
struct LooseElement<std::pair<const Key, Value>> {
  using Type = std::pair<Key, Value>;
};

template <class T>
concept Reservable = requires(T& value) {
  value.reserve(std::size_t{});
  value.push_back(*value.begin());
};

/// Its order is an accident.
template <class T>
concept Unordered = requires {
  typename T::hasher;
};

template <class T>
std::span<const std::byte> bytes_of(const T* first, std::size_t count) {
  return std::as_bytes(std::span(first, count));
}

inline void copy_to(void* to, std::span<const std::byte> block) {
  if (!block.empty()) {
    std::memcpy(to, block.data(), block.size());
  }
}

} // namespace detail

/// Strings, and vectors of numbers: the count, then all elements in one copy.
template <class T>
  requires(detail::kind<T> == detail::Kind::block)
struct Codec<T> : detail::BuiltIn {
  using Element = typename T::value_type;

  static void encode(Encoder& encoder, const T& value) {
    encoder.put_size(value.size());
    encoder.put_block(detail::bytes_of(value.data(), value.size()));
  }

  static T decode(Decoder& decoder) {
    const std::size_t count = decoder.get_count(sizeof(Element));
    T value;
    value.resize(count);
    detail::copy_to(value.data(), decoder.get_block(count * sizeof(Element)));
    return value;
  }

  static std::string layout() {
    return std::is_same_v<T, std::string> ? "string"
                                          : detail::bracketed(detail::layout_of<Element>());
  }
};

/// Other containers: the count, then the elements, followed by zeros if there are fewer bytes than
/// elements. So no count can exceed the bytes that are left, even where an element takes none.
/// Elements without an order are put in that of their bytes, so that equal containers are equal on
/// the wire and in a fingerprint.
template <class T>
  requires(detail::kind<T> == detail::Kind::range)
struct Codec<T> : detail::BuiltIn {
  using Element = typename detail::LooseElement<typename T::value_type>::Type;

  static void encode(Encoder& encoder, const T& value) {
    const std::size_t count = value.size();
    encoder.put_size(count);
    const std::size_t start = encoder.size();
    std::vector<std::size_t> starts;
    for (const auto& element : value) {
      if constexpr (detail::Unordered<T>) {
        starts.push_back(encoder.size());
      }
      detail::write<typename T::value_type>(encoder, element);
    }
    encoder.sort(starts);
    encoder.extend(count - std::min(count, encoder.size() - start));
  }

  static T decode(Decoder& decoder) {
    const std::size_t count = decoder.get_count();
    const std::size_t start = decoder.offset();
    T value;
    if constexpr (detail::Reservable<T>) {
      value.reserve(std::min(count, decoder.remaining() / sizeof(Element) + 1));
    }
    for (std::size_t i = 0; i < count; ++i) {
      value.insert(value.end(), detail::read<Element>(decoder));
    }
    decoder.get_block(count - std::min(count, decoder.offset() - start));
    if (value.size() != count) {
      decoder.fail("keys that differ before this");
    }
    return value;
  }

  static std::string layout() { return detail::bracketed(detail::layout_of<Element>()); }
};

/// `std::array` and, inside of aggregates, `T[n]`: the elements.
template <class T>
  requires(detail::kind<T> == detail::Kind::array)
struct Codec<T> : detail::BuiltIn {
  using Element = std::remove_cv_t<typename detail::ElementOf<T>::Type>;

  static void encode(Encoder& encoder, const T& value) {
    if constexpr (detail::Flat<Element>) {
      encoder.put_block(detail::bytes_of(std::data(value), std::size(value)));
    } else {
      for (const Element& element : value) {
        detail::write(encoder, element);
      }
    }
  }

  static auto decode(Decoder& decoder) { // auto: there is none for T[n], which can't be returned
    if constexpr (detail::Flat<Element>) {
      T value{};
      detail::copy_to(value.data(), decoder.get_block(sizeof(Element) * value.size()));
      return value;
    } else {
      return decode_elements(decoder, std::make_index_sequence<size>{});
    }
  }

  static std::string layout() {
    return detail::bracketed(detail::layout_of<Element>() + ";" + std::to_string(size));
  }

private:
  static constexpr std::size_t size = detail::ElementOf<T>::count;

  template <std::size_t... i>
  static auto decode_elements(Decoder& decoder, std::index_sequence<i...>) {
    return T{((void)i, detail::read<Element>(decoder))...};
  }
};

} // namespace callboard
