// SPDX-License-Identifier: Apache-2.0
/// @file
/// A checkpoint as two files. `values` holds the bytes of all values, one after another. `manifest`
/// says what they are: a line of text with the version of this format, the size and the checksum of
/// what follows, and that, a `CheckpointManifest`.
#pragma once

#include "checkpoint.pb.h"
#include "checkpoint_files.hpp"

#include <callboard/checkpoint.hpp>

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace callboard::detail {

/// Of the blocks that have a checksum each.
inline constexpr std::uint64_t checkpoint_block = std::uint64_t{1} << 20;

/// CRC-32 as in zlib, PNG and Ethernet, of bytes that follow upon those of `before`.
std::uint32_t checksum(std::span<const std::byte> bytes, std::uint32_t before = 0);

/// Writes the values and adds to the manifest what they are.
void write_values(File& file, const Checkpoint& checkpoint, proto::CheckpointManifest& manifest);
void write_manifest(File& file, const proto::CheckpointManifest& manifest);

/// Takes no more memory than a small multiple of the file's size.
/// @throws CallError{malformed}  names the file and what is wrong with it
proto::CheckpointManifest read_manifest(File& file);

/// Takes memory only after all sizes are known to be those of the file.
/// @throws CallError{malformed}           names file, value and block
/// @throws CallError{resource_exhausted}  there is no memory for a value
Checkpoint read_values(File& file, const proto::CheckpointManifest& manifest);

} // namespace callboard::detail
