// SPDX-License-Identifier: Apache-2.0
#include "line_router.hpp"

#include "live_table.hpp"

#include <fmt/format.h>

namespace callboard::detail {

LineRouter::Above::Above(LineRouter* lines, LiveTable& table) : lines_(lines) {
  if (lines_ != nullptr && table.is_redrawn()) {
    const std::lock_guard lock(lines_->mutex_);
    lines_->table_ = &table;
  }
}

LineRouter::Above::~Above() {
  if (lines_ != nullptr) {
    const std::lock_guard lock(lines_->mutex_);
    lines_->table_ = nullptr;
  }
}

void LineRouter::print(std::string_view process, Stream stream, std::string_view line) {
  const std::lock_guard lock(mutex_);
  if (table_ != nullptr) {
    table_->print_above(fmt::format("[{}] {}", process, shown_line(line)));
  } else {
    view_.print(process, stream, line);
  }
}

} // namespace callboard::detail
