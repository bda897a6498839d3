// SPDX-License-Identifier: Apache-2.0
/// @file
/// The fields of a user's type, by name and without macros.
///
/// An aggregate needs nothing:
///
///     struct Config {
///       int workers = 4;
///       float learning_rate = 0.01f;
///     };
///
/// Any other class, such as one with private fields, lists them in one line:
///
///     friend void inspect(auto& fields, Point& p) {
///       fields(callboard::field("x", p.x), callboard::field("y", p.y));
///     }
#pragma once

#include <callboard/detail/fields.hpp>
#include <callboard/detail/type_name.hpp>

#include <string>
#include <string_view>
#include <type_traits>

namespace callboard {

/// A field of an object, and its name.
template <class T>
struct Field {
  std::string_view name;
  T& value;
};

/// For `inspect` functions. `name` must outlive the program: a literal.
template <class T>
constexpr Field<T> field(std::string_view name, T& value) {
  return {name, value};
}

namespace detail {

struct FieldProbe {
  template <class... T>
  void operator()(const Field<T>&...) const;
};

/// Has an `inspect` function.
template <class T>
concept Inspected = std::is_class_v<T> && requires(FieldProbe& fields, T& value) {
  inspect(fields, value);
};

template <class T>
concept HasElements = requires {
  typename T::value_type;
};

template <class T>
concept HasElementCount = requires {
  std::tuple_size<T>::value;
};

/// Says itself what it holds, or holds more than its fields. `std::array` is an aggregate, too, but
/// holds elements.
template <class T>
concept HoldsOtherwise = Inspected<T> || HasElements<T> || HasElementCount<T> || has_base<T>;

/// Its fields can be found without the help of its author.
template <class T>
concept PlainAggregate = std::is_class_v<T> && std::is_aggregate_v<T> && !HoldsOtherwise<T> //
    && is_countable<T> && HasOwnFields<T>;

} // namespace detail

/// An aggregate class without base classes, of at most 32 fields, or a class with an `inspect`
/// function. An aggregate must not have bit-fields, references, or a member type `value_type`; its
/// arrays, if they are not `std::array`, may have 256 elements together.
template <class T>
concept Reflected =
    detail::Inspected<std::remove_cv_t<T>> || detail::PlainAggregate<std::remove_cv_t<T>>;

/// Calls `f(name, field)` for every field of `value`, in the order of declaration, where `name` is
/// a `std::string_view` that stays valid and `field` is const where `value` is. What `f` or the
/// type's `inspect` throws passes through.
template <class T, class F>
  requires Reflected<T>
constexpr void for_each_field(T& value, F&& f) {
  using Plain = std::remove_const_t<T>;
  if constexpr (detail::Inspected<Plain>) {
    auto each = [&f]<class... Fields>(const Field<Fields>&... fields) {
      using Const = std::is_const<T>;
      (f(fields.name,
         static_cast<std::conditional_t<Const::value, const Fields, Fields>&>(fields.value)),
       ...);
    };
    inspect(each, const_cast<Plain&>(value)); // NOLINT(cppcoreguidelines-pro-type-const-cast)
  } else {
    detail::with_fields<detail::field_count<Plain>>(value, [&f](auto&... fields) {
      [[maybe_unused]] auto name = detail::field_names<Plain>.begin();
      (f(*name++, fields), ...);
    });
  }
}

/// The type's name: without `callboard::`, the standard library's types as they are usually
/// written, an unnamed namespace as `(anonymous namespace)::`. The same in every process of a
/// program.
template <class T>
std::string type_name() {
  return detail::readable_type(detail::type_signature<T>());
}

} // namespace callboard
