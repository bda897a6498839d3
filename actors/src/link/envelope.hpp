// SPDX-License-Identifier: Apache-2.0
/// @file
/// What two processes say to each other. A parcel is a row of envelopes, each a kind and its
/// fields.
#pragma once

#include <callboard/codec.hpp>

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace callboard::detail::wire {

/// Raised with every change of what is below.
inline constexpr std::uint32_t version = 1;

enum class Envelope : std::uint8_t {
  hello,    ///< from whoever connects: who it is, and the token
  welcome,  ///< the answer: who answers
  refusal,  ///< or: why not
  target,   ///< gives a node's incarnation a number for the calls to come
  call,     ///< arguments behind it
  tell,     ///< the same, and nobody waits
  reply,    ///< result behind it
  failure,  ///< a call's other outcome
  cancel,   ///< the caller has left
  taken,    ///< so many tells to a target have been done
  received, ///< so many bytes have arrived
};

struct Hello {
  std::uint32_t version = wire::version;
  std::string process;
  std::string token;
};

struct Welcome {
  std::string process;
};

struct Refusal {
  std::string reason;
};

struct Target {
  std::uint32_t number = 0;
  std::string node;
  std::int32_t incarnation = 0;
};

struct CallHeader {
  std::uint64_t id = 0; ///< 0 for a tell
  std::uint32_t target = 0;
  std::uint64_t method = 0;        ///< its tag
  std::int64_t patience = -1;      ///< nanoseconds until the deadline; below 0: none
  std::vector<std::string> held{}; ///< the nodes that wait for it, innermost first
};

struct Failure {
  std::uint64_t id = 0;
  Error error;
};

struct Taken {
  std::uint32_t target = 0;
  std::uint32_t count = 0;
};

inline void put(Encoder& out, Envelope kind) {
  out.put(static_cast<std::uint8_t>(kind));
}

template <class Fields>
void put(Encoder& out, Envelope kind, const Fields& fields) {
  put(out, kind);
  encode(out, fields);
}

inline void put_bytes(Encoder& out, std::span<const std::byte> bytes) {
  out.put_size(bytes.size());
  out.put_block(bytes);
}

inline std::span<const std::byte> get_bytes(Decoder& in) {
  return in.get_block(in.get_count());
}

} // namespace callboard::detail::wire
