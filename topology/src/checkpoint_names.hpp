// SPDX-License-Identifier: Apache-2.0
/// @file
/// The folders of a store of checkpoints: what they are called, and what their names say.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace callboard::detail {

/// "learner-0" for "learner/0".
/// @throws CallError{invalid_argument}  that is no node's name
std::string node_folder(const std::string& node);
/// The other way round; none if no node has that folder.
std::optional<std::string> node_of_folder(const std::string& folder);

/// A checkpoint's own name, such as "12"; none if that is none.
std::optional<std::uint64_t> sequence_of_folder(const std::string& folder);
/// The numbers among the names, the highest first.
std::vector<std::uint64_t> sequences_in(const std::vector<std::string>& folders);

/// A new name for a checkpoint that is being written.
std::string incoming_folder(int incarnation);
/// A name for a checkpoint that is being removed.
std::string outgoing_folder(std::uint64_t sequence);
/// Whether a write of that incarnation may remove the folder: no later one is at work there.
bool is_leftover(const std::string& folder, int incarnation);

} // namespace callboard::detail
