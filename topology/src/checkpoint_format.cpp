// SPDX-License-Identifier: Apache-2.0
#include "checkpoint_format.hpp"

#include <callboard/decoder.hpp>
#include <callboard/encoder.hpp>
#include <callboard/error.hpp>

#include <fmt/format.h>
#include <zlib.h>

#include <algorithm>
#include <string_view>

namespace callboard::detail {
namespace {

constexpr std::string_view first_line = "callboard checkpoint 1\n";
constexpr std::size_t largest_manifest = std::size_t{1} << 30; // of Protocol Buffers' 2 GiB
constexpr std::size_t head_size = first_line.size() + sizeof(std::uint64_t) + sizeof(std::uint32_t);

[[noreturn]] void refuse(const File& file, std::string_view what) {
  throw CallError(Code::malformed, fmt::format("{} {}", file.path(), what));
}

std::vector<std::byte> read_all(File& file) {
  const std::uint64_t size = file.size();
  if (size < head_size || size > head_size + largest_manifest) {
    refuse(file, fmt::format("has {} bytes, which no manifest has", size));
  }
  std::vector<std::byte> bytes(size);
  file.read(bytes);
  return bytes;
}

std::span<const std::byte> as_bytes(std::string_view text) {
  return std::as_bytes(std::span(text));
}

} // namespace

std::uint32_t checksum(std::span<const std::byte> bytes, std::uint32_t before) {
  const auto* data = reinterpret_cast<const Bytef*>(bytes.data());
  return bytes.empty() ? before : static_cast<std::uint32_t>(crc32_z(before, data, bytes.size()));
}

void write_manifest(File& file, const proto::CheckpointManifest& manifest) {
  if (manifest.ByteSizeLong() > largest_manifest) {
    throw CallError(
        Code::resource_exhausted,
        fmt::format(
            "a checkpoint of {} values has too many; put several into one container",
            manifest.values_size()));
  }
  const std::string text = manifest.SerializeAsString();
  Encoder encoder;
  encoder.put_block(as_bytes(first_line));
  encoder.put(std::uint64_t{text.size()});
  encoder.put(checksum(as_bytes(text)));
  encoder.put_block(as_bytes(text));
  file.write(encoder.bytes());
}

proto::CheckpointManifest read_manifest(File& file) {
  const std::vector<std::byte> bytes = read_all(file);
  Decoder decoder(bytes);
  const auto line = decoder.get_block(first_line.size());
  if (!std::equal(line.begin(), line.end(), as_bytes(first_line).begin())) {
    refuse(file, "is no manifest of a checkpoint, or that of another version of Callboard");
  }
  const auto size = decoder.get<std::uint64_t>();
  const auto expected = decoder.get<std::uint32_t>();
  if (size != decoder.remaining()) {
    refuse(file, fmt::format("holds {} bytes where it says {}", decoder.remaining(), size));
  }
  const auto text = decoder.get_block(size);
  proto::CheckpointManifest manifest;
  if (checksum(text) != expected) {
    refuse(file, "does not match its checksum");
  }
  if (!manifest.ParseFromArray(text.data(), static_cast<int>(text.size()))) {
    refuse(file, "does not hold what a manifest holds");
  }
  return manifest;
}

} // namespace callboard::detail
