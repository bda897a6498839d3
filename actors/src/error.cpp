// SPDX-License-Identifier: Apache-2.0
#include <callboard/error.hpp>

#include <cxxabi.h>
#include <fmt/format.h>

#include <array>
#include <memory>
#include <typeinfo>

namespace callboard {
namespace {

constexpr std::array<std::string_view, 12> code_names{
    "cancelled",
    "invalid_argument",
    "deadline_exceeded",
    "not_found",
    "already_exists",
    "unavailable",
    "resource_exhausted",
    "failed_precondition",
    "aborted",
    "malformed",
    "internal",
    "application",
};

/// The length of the well-formed UTF-8 sequence at the start of `text`; 0 if there is none.
std::size_t sequence_length(std::string_view text) {
  const auto lead = static_cast<unsigned char>(text[0]);
  if (lead < 0x80) {
    return lead == 0 ? 0 : 1;
  }
  const std::size_t length = lead >= 0xF0 ? 4 : lead >= 0xE0 ? 3 : 2;
  if (lead < 0xC2 || lead > 0xF4 || text.size() < length) {
    return 0;
  }
  char32_t code = lead & (0x7F >> length);
  for (std::size_t i = 1; i < length; ++i) {
    const auto byte = static_cast<unsigned char>(text[i]);
    if ((byte & 0xC0) != 0x80) {
      return 0;
    }
    code = (code << 6) | (byte & 0x3F);
  }
  constexpr std::array<char32_t, 5> least{0, 0, 0x80, 0x800, 0x10000};
  const bool surrogate = code >= 0xD800 && code <= 0xDFFF;
  return code < least[length] || code > 0x10FFFF || surrogate ? 0 : length;
}

std::string current_type_name() {
  const std::type_info* type = abi::__cxa_current_exception_type();
  if (type == nullptr) {
    return "unknown exception";
  }
  int status = 0;
  const std::unique_ptr<char, void (*)(void*)> name(
      abi::__cxa_demangle(type->name(), nullptr, nullptr, &status), std::free);
  return status == 0 ? name.get() : type->name();
}

Error application_error(std::string_view text) {
  return {.code = Code::application, .message = clean_text(text), .type = current_type_name()};
}

} // namespace

std::string_view to_string(Code code) {
  return code_names.at(static_cast<std::size_t>(code));
}

std::string to_string(const Error& error) {
  std::string text;
  if (!error.method.empty()) {
    text = fmt::format("call {}", error.method);
  }
  if (!error.node.empty()) {
    text += fmt::format("{}{}", text.empty() ? "" : " on ", error.node);
  }
  text += fmt::format("{}{}: ", text.empty() ? "" : ": ", to_string(error.code));
  return text + (error.type.empty() ? error.message : error.type + ": " + error.message);
}

std::string clean_text(std::string_view text) {
  constexpr std::string_view mark = " … (cut)";
  std::string clean;
  while (!text.empty()) {
    const std::size_t length = sequence_length(text);
    const std::string piece = length == 0
        ? fmt::format("\\x{:02x}", static_cast<unsigned char>(text[0]))
        : std::string(text.substr(0, length));
    if (clean.size() + piece.size() + mark.size() > max_error_text) {
      return clean.append(mark);
    }
    clean += piece;
    text.remove_prefix(length == 0 ? 1 : length);
  }
  return clean;
}

Error current_error() {
  try {
    throw;
  } catch (const CallError& error) {
    return error.error();
  } catch (const std::exception& error) {
    return application_error(error.what());
  } catch (const std::string& text) {
    return application_error(text);
  } catch (const char* text) {
    return application_error(text == nullptr ? "(null)" : text);
  } catch (int number) {
    return application_error(fmt::format("threw the number {}", number));
  } catch (...) {
    return application_error("threw a value that carries no text");
  }
}

} // namespace callboard
