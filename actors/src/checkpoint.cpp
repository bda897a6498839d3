// SPDX-License-Identifier: Apache-2.0
#include "tensor_codec.hpp"

#include <callboard/checkpoint.hpp>
#include <callboard/error.hpp>

#include <fmt/format.h>

namespace callboard {
namespace detail {
namespace {

std::vector<std::byte> head_of(const Tensor& tensor) {
  Encoder encoder;
  encode_tensor_head(encoder, tensor);
  return encoder.take();
}

} // namespace

CheckpointValue::CheckpointValue(std::string layout, std::vector<std::byte> bytes)
    : layout_(std::move(layout)) {
  const auto kept = std::make_shared<const std::vector<std::byte>>(std::move(bytes));
  bytes_ = *kept;
  owner_ = kept;
}

CheckpointValue::CheckpointValue(std::string layout, const Tensor& tensor)
    : CheckpointValue(std::move(layout), head_of(tensor)) {
  tensor_ = tensor.contiguous();
}

std::uint64_t CheckpointValue::byte_size() const noexcept {
  return bytes_.size() + (tensor_ ? tensor_->byte_size() : 0);
}

std::array<std::span<const std::byte>, 2> CheckpointValue::pieces() const {
  return {bytes_, tensor_ ? tensor_->bytes() : std::span<const std::byte>()};
}

Tensor CheckpointValue::as_tensor() const {
  if (tensor_) {
    return *tensor_;
  }
  Decoder decoder(bytes_);
  Tensor tensor = decode_tensor(decoder, owner_);
  decoder.finish();
  return tensor;
}

void fail_to_get(std::string_view name, const CallError& error) {
  Error named = error.error();
  named.message =
      fmt::format("value \"{}\" of the checkpoint: {}", clean_text(name), named.message);
  throw CallError(std::move(named));
}

} // namespace detail

namespace {

/// As in `it has "bias", "weights"`; of many, the first ones.
std::string list_of(const Checkpoint::Values& values) {
  constexpr std::size_t most = 20;
  if (values.empty()) {
    return "it has none";
  }
  std::string text = "it has ";
  std::size_t listed = 0;
  for (const auto& [name, value] : values) {
    if (listed == most) {
      return text + fmt::format(" and {} more", values.size() - most);
    }
    text += fmt::format("{}\"{}\"", listed++ == 0 ? "" : ", ", clean_text(name));
  }
  return text;
}

} // namespace

std::vector<std::string> Checkpoint::names() const {
  std::vector<std::string> names;
  for (const auto& [name, value] : values_) {
    names.push_back(name);
  }
  return names;
}

std::uint64_t Checkpoint::byte_size() const {
  std::uint64_t size = 0;
  for (const auto& [name, value] : values_) {
    size += value.byte_size();
  }
  return size;
}

void Checkpoint::check_new(std::string_view name) const {
  if (name.empty()) {
    throw CallError(Code::invalid_argument, "a value of a checkpoint needs a name");
  }
  if (contains(name)) {
    throw CallError(
        Code::already_exists,
        fmt::format(
            "the checkpoint has a value \"{}\" already; give each its own name", clean_text(name)));
  }
}

void Checkpoint::add(std::string_view name, detail::CheckpointValue value) {
  values_.emplace(name, std::move(value));
}

const detail::CheckpointValue& Checkpoint::find(
    std::string_view name, const std::string& layout) const {
  const auto found = values_.find(name);
  if (found == values_.end()) {
    throw CallError(
        Code::not_found,
        fmt::format("the checkpoint has no value \"{}\"; {}", clean_text(name), list_of(values_)));
  }
  if (found->second.layout() != layout) {
    throw CallError(
        Code::invalid_argument,
        fmt::format(
            "value \"{}\" of the checkpoint is \"{}\", and is asked for as \"{}\"; ask for what "
            "was put, or convert the old state in restore",
            clean_text(name),
            clean_text(found->second.layout()),
            layout));
  }
  return found->second;
}

} // namespace callboard
