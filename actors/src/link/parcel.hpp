// SPDX-License-Identifier: Apache-2.0
/// @file
/// Bytes as a CAF message between the link actors of two processes.
#pragma once

#include <callboard/time.hpp>

#include <caf/deserializer.hpp>
#include <caf/sec.hpp>
#include <caf/serializer.hpp>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace callboard::detail {

/// A row of envelopes. Copies share it.
class Parcel {
public:
  Parcel() = default;
  /// `on_gone` is called when CAF has let go of it: its bytes are with the socket then, or lost.
  explicit Parcel(std::vector<std::byte> bytes, std::function<void()> on_gone = {})
      : body_(std::make_shared<Body>(std::move(bytes), std::move(on_gone))) {}

  const std::vector<std::byte>& bytes() const {
    static const std::vector<std::byte> none;
    return body_ ? body_->bytes : none;
  }

  friend caf::error inspect(caf::serializer& out, Parcel& parcel) {
    const std::vector<std::byte>& bytes = parcel.bytes();
    auto size = static_cast<std::uint64_t>(bytes.size());
    if (auto error = out(size)) {
      return error;
    }
    return size == 0 ? caf::error()
                     : out.apply_raw(bytes.size(), const_cast<std::byte*>(bytes.data()));
  }

  friend caf::error inspect(caf::deserializer& in, Parcel& parcel) {
    std::uint64_t size = 0;
    if (auto error = in(size)) {
      return error;
    }
    if (size > longest) {
      return caf::sec::invalid_argument; // before it is allocated
    }
    std::vector<std::byte> bytes(size);
    if (size != 0) {
      if (auto error = in.apply_raw(bytes.size(), bytes.data())) {
        return error;
      }
    }
    parcel = Parcel(std::move(bytes));
    return caf::none;
  }

  friend std::string to_string(const Parcel& parcel) {
    return "parcel of " + std::to_string(parcel.bytes().size()) + " bytes";
  }

  /// CAF counts bytes with 32 bits and does not check.
  static constexpr std::uint64_t longest = std::uint64_t{1} << 31;

private:
  struct Body {
    Body(std::vector<std::byte> row, std::function<void()> gone)
        : bytes(std::move(row)), on_gone(std::move(gone)) {}
    Body(const Body&) = delete;
    Body& operator=(const Body&) = delete;
    ~Body() {
      if (on_gone) {
        on_gone();
      }
    }

    const std::vector<std::byte> bytes;
    const std::function<void()> on_gone;
  };

  std::shared_ptr<Body> body_;
};

} // namespace callboard::detail
