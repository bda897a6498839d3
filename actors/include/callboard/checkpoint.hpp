// SPDX-License-Identifier: Apache-2.0
/// @file
/// What survives a service: its state as named values.
///
/// A service takes part by two methods, of exactly these parameters:
///
///     void save(callboard::Checkpoint& checkpoint) const;  // or not const
///     void restore(const callboard::Checkpoint& checkpoint);
///
/// One without the other does not compile. What they throw is the service's failure.
#pragma once

#include <callboard/codec.hpp>
#include <callboard/detail/checkpoint_value.hpp>
#include <callboard/tensor.hpp>

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

namespace callboard {

/// Named values of any types that travel. A value: copies share what was put, which never changes.
///
/// A `Tensor` that is put under a name of its own is not copied: it is shared, until whoever put
/// it writes to it the next time. Everything else is kept as its bytes. So large arrays should be
/// tensors, each under its own name, rather than parts of a struct.
///
/// Thread-safety: that of a standard container. A checkpoint may be read while the values that
/// were put into it change.
class Checkpoint {
public:
  Checkpoint() = default;

  /// Adds `value` as it is now.
  ///
  /// @param name  any text but the empty one
  /// @throws CallError{already_exists}    there is a value of that name, which stays
  /// @throws CallError{invalid_argument}  no name; or the value can't be encoded, see `encode`
  template <class T>
  void put(std::string_view name, const T& value);

  /// The value put under `name`.
  ///
  /// A `Tensor` shares the checkpoint's memory where it can, until it is written.
  ///
  /// @throws CallError{not_found}         there is none of that name; says which there are
  /// @throws CallError{invalid_argument}  it has another layout than `T`; says both
  /// @throws CallError{malformed}         its bytes, which come from elsewhere, don't hold a `T`
  template <class T>
  T get(std::string_view name) const;

  /// Assigns `get<T>(name)`; `value` stays as it is if that throws.
  template <class T>
  void get_into(std::string_view name, T& value) const {
    value = get<T>(name);
  }

  bool contains(std::string_view name) const { return values_.find(name) != values_.end(); }
  /// In alphabetical order.
  std::vector<std::string> names() const;
  /// Of all values, encoded.
  std::uint64_t byte_size() const;

  /// For those who store checkpoints.
  using Values = std::map<std::string, detail::CheckpointValue, std::less<>>;
  explicit Checkpoint(Values values) : values_(std::move(values)) {}
  const Values& values() const noexcept { return values_; }

private:
  void add(std::string_view name, detail::CheckpointValue value);
  void check_new(std::string_view name) const;
  const detail::CheckpointValue& find(std::string_view name, const std::string& layout) const;

  Values values_;
};

namespace detail {

/// A fresh checkpoint would be lost, and a const one could not be filled.
template <class S>
concept SavesElsewhere = requires(S& service, Checkpoint&& checkpoint) {
  service.save(std::move(checkpoint));
};

template <class S>
concept Saves = requires(S& service, Checkpoint& checkpoint) {
  service.save(checkpoint);
}
&&!SavesElsewhere<S>;

template <class S>
concept Restores = requires(S& service, const Checkpoint& checkpoint) {
  service.restore(checkpoint);
};

} // namespace detail

/// A service whose state can be saved and restored.
template <class S>
concept Checkpointed = detail::Saves<S> && detail::Restores<S>;

namespace detail {

/// A service's two methods, for those who don't know its type; both null if it has none.
struct CheckpointHooks {
  void (*save)(void* service, Checkpoint& checkpoint) = nullptr;
  void (*restore)(void* service, const Checkpoint& checkpoint) = nullptr;
};

/// The hooks of `S`. Half a pair is refused by the compiler.
template <class S>
constexpr CheckpointHooks checkpoint_hooks() {
  static_assert(
      Saves<S> == Restores<S> && !SavesElsewhere<S>,
      "callboard: this service can save or restore its state, but not both: give it "
      "void save(Checkpoint&) const and void restore(const Checkpoint&), both public");
  if constexpr (Checkpointed<S>) {
    return {
        [](void* service, Checkpoint& checkpoint) { static_cast<S*>(service)->save(checkpoint); },
        [](void* service, const Checkpoint& checkpoint) {
          static_cast<S*>(service)->restore(checkpoint);
        }};
  } else {
    return {};
  }
}

/// @throws CallError{malformed} `error`, with the name of the value
[[noreturn]] void fail_to_get(std::string_view name, const CallError& error);

} // namespace detail

template <class T>
void Checkpoint::put(std::string_view name, const T& value) {
  if constexpr (detail::require_transferable<T>() && Transferable<T>) {
    check_new(name); // before the work of encoding
    add(name, detail::CheckpointValue(callboard::layout<T>(), value));
  }
}

template <class T>
T Checkpoint::get(std::string_view name) const {
  if constexpr (detail::require_transferable<T>() && Transferable<T>) {
    const detail::CheckpointValue& value = find(name, callboard::layout<T>());
    try {
      return value.as<T>();
    } catch (const CallError& error) {
      detail::fail_to_get(name, error);
    }
  }
}

} // namespace callboard
