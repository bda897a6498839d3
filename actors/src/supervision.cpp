// SPDX-License-Identifier: Apache-2.0
#include <callboard/supervision.hpp>

#include <fmt/format.h>

#include <unordered_set>

namespace callboard {
namespace {

Error invalid(std::string message) {
  return {.code = Code::invalid_argument, .message = std::move(message)};
}

double in_seconds(Duration duration) {
  return std::chrono::duration<double>(duration).count();
}

/// What is wrong with the limit of `owner`; empty if nothing is.
std::string fault(const std::string& owner, const RestartLimit& limit) {
  if (limit.intensity < 0) {
    return fmt::format("{}: intensity is {}, expected 0 or more", owner, limit.intensity);
  }
  if (limit.period <= Duration::zero()) {
    return fmt::format("{}: period is {} s, expected more than 0", owner, in_seconds(limit.period));
  }
  return {};
}

std::string fault(const Backoff& backoff) {
  if (backoff.initial < Duration::zero() || backoff.maximum < backoff.initial) {
    return fmt::format(
        "back-off from {} s to {} s, expected 0 or more, and not less",
        in_seconds(backoff.initial),
        in_seconds(backoff.maximum));
  }
  if (!(backoff.factor >= 1)) {
    return fmt::format("back-off by a factor of {}, expected 1 or more", backoff.factor);
  }
  if (!(backoff.jitter >= 0 && backoff.jitter < 1)) {
    return fmt::format("back-off with jitter {}, expected 0 to below 1", backoff.jitter);
  }
  if (backoff.healthy < Duration::zero()) {
    return fmt::format(
        "back-off: healthy is {} s, expected 0 or more", in_seconds(backoff.healthy));
  }
  return {};
}

/// Whether the end of one child has to do with its siblings.
bool in_groups(const SupervisorSpec& spec) {
  return spec.strategy == Strategy::one_for_all || spec.strategy == Strategy::rest_for_one;
}

/// Combinations that have no meaning.
std::string contradiction(const SupervisorSpec& spec) {
  const bool simple = spec.strategy == Strategy::simple_one_for_one;
  if (simple && spec.auto_shutdown != AutoShutdown::never) {
    return "auto_shutdown is not for simple_one_for_one";
  }
  if (spec.restarts == Restarts::side_by_side && in_groups(spec)) {
    return "restarts side by side are only for one_for_one and simple_one_for_one";
  }
  return {};
}

std::string fault(const SupervisorSpec& spec) {
  std::string text = fault("supervisor", RestartLimit{spec.intensity, spec.period});
  if (text.empty() && spec.backoff) {
    text = fault(*spec.backoff);
  }
  if (text.empty() && spec.max_failed_starts && *spec.max_failed_starts < 0) {
    text = fmt::format("max_failed_starts is {}, expected 0 or more", *spec.max_failed_starts);
  }
  return text.empty() ? contradiction(spec) : text;
}

std::string contradiction(const SupervisorSpec& spec, const ChildSpec& child) {
  if (child.significant && spec.auto_shutdown == AutoShutdown::never) {
    return fmt::format("child \"{}\" is significant, but auto_shutdown is never", child.id);
  }
  if (child.significant && child.restart == Restart::permanent) {
    return fmt::format("child \"{}\" is significant and permanent; choose one", child.id);
  }
  if (child.exhausted == Exhausted::give_up_child && in_groups(spec)) {
    return fmt::format(
        "child \"{}\" can't be given up, its siblings are not to go on without it", child.id);
  }
  return {};
}

std::string fault(const SupervisorSpec& spec, const ChildSpec& child) {
  if (child.id.empty()) {
    return "a child has no id";
  }
  if (child.shutdown && *child.shutdown < Duration::zero() && *child.shutdown != brutal_kill) {
    return fmt::format(
        "child \"{}\": shutdown is {} s, expected 0 or more, or brutal_kill",
        child.id,
        in_seconds(*child.shutdown));
  }
  const std::string text =
      child.limit ? fault(fmt::format("child \"{}\"", child.id), *child.limit) : std::string();
  return text.empty() ? contradiction(spec, child) : text;
}

std::string fault(const SupervisorSpec& spec, const std::vector<ChildSpec>& children) {
  if (spec.strategy == Strategy::simple_one_for_one && children.size() != 1) {
    return fmt::format(
        "simple_one_for_one has one child specification, but was given {}", children.size());
  }
  std::unordered_set<std::string_view> ids;
  for (const ChildSpec& child : children) {
    if (std::string text = fault(spec, child); !text.empty()) {
      return text;
    }
    if (!ids.insert(child.id).second) {
      return fmt::format("two children have the id \"{}\"; rename one", child.id);
    }
  }
  return {};
}

Result<void> to_result(std::string text) {
  return text.empty() ? Result<void>() : invalid(std::move(text));
}

std::string_view to_string(ExitKind kind) {
  switch (kind) {
  case ExitKind::normal: return "normal";
  case ExitKind::shutdown: return "shutdown";
  case ExitKind::abnormal: break;
  }
  return "abnormal";
}

} // namespace

Duration shutdown_time(const ChildSpec& child) {
  const bool is_worker = child.kind == ChildKind::worker;
  return child.shutdown.value_or(is_worker ? Duration(std::chrono::seconds(5)) : forever);
}

Result<void> check(const SupervisorSpec& supervisor, const std::vector<ChildSpec>& children) {
  std::string text = fault(supervisor);
  return to_result(text.empty() ? fault(supervisor, children) : std::move(text));
}

Result<void> check(const SupervisorSpec& supervisor, const ChildSpec& child) {
  return to_result(fault(supervisor, child));
}

std::string to_string(const ExitReason& reason) {
  const std::string_view kind = to_string(reason.kind);
  return reason.text.empty() ? std::string(kind) : fmt::format("{}: {}", kind, reason.text);
}

} // namespace callboard
