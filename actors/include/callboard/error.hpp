// SPDX-License-Identifier: Apache-2.0
/// @file
/// What can go wrong, as a value (`Error`, `Result<R>`) and as the one exception that public calls
/// throw (`CallError`).
#pragma once

#include <exception>
#include <string>
#include <string_view>
#include <utility>
#include <variant>

namespace callboard {

/// The kinds of failure. The set is fixed: callers may switch over it.
enum class Code : unsigned char {
  cancelled,           ///< the caller, or the end of the program, took the request back
  invalid_argument,    ///< the request is wrong whatever the state of its target
  deadline_exceeded,   ///< no answer in time; the request may or may not have been carried out
  not_found,           ///< what was named does not exist
  already_exists,      ///< what was to be made exists
  unavailable,         ///< the target is gone or not yet there; trying again may help
  resource_exhausted,  ///< a bound (queue, memory, descriptors) was reached
  failed_precondition, ///< the request is not allowed in this state
  aborted,             ///< given up half-way, for instance a reply that was dropped
  malformed,           ///< bytes that do not decode to what was expected
  internal,            ///< a fault of Callboard itself
  application,         ///< an exception of the user's own code
};

/// The code's name as written above, such as "deadline_exceeded".
std::string_view to_string(Code code);

/// One failure: what went wrong, and where. A plain value.
struct Error {
  Code code = Code::internal;
  std::string message;     ///< one sentence for a person, UTF-8
  std::string node = {};   ///< where it happened, such as "replay/0"; empty outside a program
  std::string method = {}; ///< the method called, such as "Replay::sample"; empty outside a call
  std::string type = {};   ///< the exception's type, for `Code::application`
};

/// The failure as one line: code, method, node, type and message, as far as they are known.
std::string to_string(const Error& error);

/// The longest text of a remote exception that travels; the rest is cut off, and says so.
inline constexpr std::size_t max_error_text = std::size_t{64} * 1024;

/// `text` as UTF-8 of at most `max_error_text` bytes: bytes that are not UTF-8 are written `\xNN`.
std::string clean_text(std::string_view text);

/// What public calls throw.
class CallError : public std::exception {
public:
  explicit CallError(Error error) : error_(std::move(error)), text_(to_string(error_)) {}
  CallError(Code code, std::string message) : CallError(Error{code, std::move(message)}) {}

  const char* what() const noexcept override { return text_.c_str(); }
  Code code() const noexcept { return error_.code; }
  const Error& error() const noexcept { return error_; }

private:
  Error error_;
  std::string text_;
};

/// The failure that the exception being handled stands for: a `CallError` keeps its own, anything
/// else becomes `Code::application` with its type and text. To be called inside a catch block.
Error current_error();

/// A value or an error.
template <class R>
class [[nodiscard]] Result {
public:
  // NOLINTNEXTLINE(google-explicit-constructor)
  Result(R value) : content_(std::in_place_index<0>, std::move(value)) {}
  // NOLINTNEXTLINE(google-explicit-constructor)
  Result(Error error) : content_(std::in_place_index<1>, std::move(error)) {}

  bool ok() const noexcept { return content_.index() == 0; }
  explicit operator bool() const noexcept { return ok(); }

  /// @throws CallError if there is none
  R& value() & { return check(), std::get<0>(content_); }
  const R& value() const& { return check(), std::get<0>(content_); }
  R&& value() && { return check(), std::get<0>(std::move(content_)); }
  R& operator*() & { return value(); }
  const R& operator*() const& { return value(); }
  const R* operator->() const { return &value(); }

  /// Only where `ok()` is false.
  const Error& error() const { return std::get<1>(content_); }

private:
  void check() const {
    if (!ok()) {
      throw CallError(error());
    }
  }

  std::variant<R, Error> content_;
};

/// Success without a value, or an error.
template <>
class [[nodiscard]] Result<void> {
public:
  Result() = default;
  // NOLINTNEXTLINE(google-explicit-constructor)
  Result(Error error) : content_(std::move(error)) {}

  bool ok() const noexcept { return content_.index() == 0; }
  explicit operator bool() const noexcept { return ok(); }

  /// @throws CallError if it failed
  void value() const {
    if (!ok()) {
      throw CallError(error());
    }
  }

  /// Only where `ok()` is false.
  const Error& error() const { return std::get<1>(content_); }

private:
  std::variant<std::monostate, Error> content_;
};

} // namespace callboard
