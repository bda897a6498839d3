// SPDX-License-Identifier: Apache-2.0
#include <callboard/codec.hpp>

#include <fmt/format.h>

#include <algorithm>

namespace callboard {

static_assert(max_levels == 200, "the text in Decoder::Level says 200");

namespace detail {
namespace {

/// The types that the outermost `layout` going on in this thread has written so far.
thread_local std::vector<const char*> written_types;
thread_local int layouts_going_on = 0;

} // namespace

void fail_too_deep() {
  throw CallError(
      Code::invalid_argument,
      fmt::format(
          "a value holds others more than {} levels deep, and so can't be sent; send a flat form, "
          "such as a vector of nodes that refer to each other by index",
          max_levels));
}

void fail_to_encode(std::string_view signature, std::string_view why) {
  throw CallError(
      Code::invalid_argument, fmt::format("a {} can't be sent: {}", readable_type(signature), why));
}

std::string number_layout(bool is_float, bool is_signed, std::size_t size) {
  return fmt::format("{}{}", is_float ? 'f' : is_signed ? 'i' : 'u', 8 * size);
}

std::string bracketed(std::string_view text) {
  return fmt::format("[{}]", text);
}

void append_field(std::string& text, std::string_view name, const std::string& layout) {
  text += fmt::format("{}{}:{}", text.ends_with('{') ? "" : ",", name, layout);
}

LayoutScope::LayoutScope() {
  ++layouts_going_on;
}

LayoutScope::~LayoutScope() {
  if (--layouts_going_on == 0) {
    written_types.clear();
  }
}

// NOLINTNEXTLINE(readability-convert-member-functions-to-static): it takes a scope
bool LayoutScope::is_first(std::string_view signature) const {
  const bool known = std::ranges::find(written_types, signature.data()) != written_types.end();
  if (!known) {
    written_types.push_back(signature.data());
  }
  return !known;
}

} // namespace detail

Code Codec<Code>::decode(Decoder& decoder) {
  const auto code = decoder.get<unsigned char>();
  if (code > static_cast<unsigned char>(Code::application)) {
    decoder.fail(fmt::format("a code of at most 11 before this, found {}", code));
  }
  return static_cast<Code>(code);
}

void Encoder::grow(std::size_t size) {
  // The vector sees to it that it is moved seldom; here it matters how many zeros are written.
  constexpr std::size_t least = 64;
  constexpr std::size_t most = 65'536;
  bytes_.resize(size_ + std::max(size, std::clamp(size_, least, most)));
}

void Encoder::append(std::span<const std::byte> block) {
  bytes_.resize(size_);
  bytes_.insert(bytes_.end(), block.begin(), block.end());
  size_ = bytes_.size();
}

std::vector<std::byte> Encoder::take() {
  bytes_.resize(std::exchange(size_, 0));
  return std::exchange(bytes_, {});
}

void Encoder::sort(std::span<const std::size_t> starts) {
  if (starts.size() < 2) {
    return;
  }
  const std::vector<std::byte> unsorted(bytes_.data() + starts[0], bytes_.data() + size_);
  std::vector<std::span<const std::byte>> values;
  for (std::size_t i = 0; i < starts.size(); ++i) {
    const std::size_t end = i + 1 < starts.size() ? starts[i + 1] : size_;
    values.push_back(std::span(unsorted).subspan(starts[i] - starts[0], end - starts[i]));
  }
  std::ranges::sort(values, [](const auto& a, const auto& b) {
    return std::ranges::lexicographical_compare(a, b);
  });
  std::byte* place = bytes_.data() + starts[0];
  for (const auto& value : values) {
    place = std::ranges::copy(value, place).out;
  }
}

bool Decoder::get_flag() {
  const auto byte = get<unsigned char>();
  if (byte > 1) {
    --offset_;
    fail(fmt::format("0 or 1, found {}", byte));
  }
  return byte == 1;
}

std::uint64_t Decoder::get_size() {
  std::uint64_t size = 0;
  for (int shift = 0; shift < 64; shift += 7) {
    const std::uint64_t byte = get<unsigned char>();
    size |= (byte & 0x7F) << shift;
    if (shift == 63 && byte > 1) {
      break;
    }
    if (byte < 0x80) {
      return size;
    }
  }
  fail("a size of at most 64 bits");
}

std::size_t Decoder::get_count(std::size_t each) {
  const std::uint64_t count = get_size();
  if (count > remaining() / each) {
    fail(fmt::format(
        "{} elements of at least {} bytes, {} bytes are left", count, each, remaining()));
  }
  return count;
}

std::span<const std::byte> Decoder::get_block(std::size_t size) {
  if (size > remaining()) {
    fail(fmt::format("{} bytes, {} are left", size, remaining()));
  }
  offset_ += size;
  return bytes_.subspan(offset_ - size, size);
}

void Decoder::finish() const {
  if (remaining() != 0) {
    fail(fmt::format("the end, {} bytes are left", remaining()));
  }
}

void Decoder::fail(std::string_view expected) const {
  std::string text = fmt::format("malformed bytes at offset {}: expected {}", offset_, expected);
  int named = 0;
  for (const Level* level = level_; level != nullptr && named < 4; level = level->outer_, ++named) {
    text +=
        fmt::format("{} {}", named == 0 ? "; in" : " in", detail::readable_type(level->signature_));
  }
  throw CallError(Code::malformed, text + (levels_ > named ? " in …" : ""));
}

void Decoder::fail_short(std::uint64_t size, std::string_view signature) const {
  fail(fmt::format(
      "{} bytes of {}, {} are left", size, detail::readable_type(signature), remaining()));
}

} // namespace callboard
