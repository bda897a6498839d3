// SPDX-License-Identifier: Apache-2.0
#include "memory_group.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cctype>
#include <charconv>
#include <sstream>
#include <string>
#include <vector>

namespace callboard::detail {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view prefix = "callboard.";

struct Mount {
  std::string root, folder, type, options;
};

/// "36 35 98:0 /root /folder rw,noatime master:1 - type source options", see proc(5).
Mount parse_mount(const std::string& line) {
  std::istringstream words(line);
  std::string word;
  Mount mount;
  words >> word >> word >> word >> mount.root >> mount.folder;
  while (words >> word && word != "-") {}
  words >> mount.type >> word >> mount.options;
  return mount;
}

bool has_word(std::string_view list, std::string_view word, char separator) {
  while (!list.empty()) {
    const std::string_view each = list.substr(0, list.find(separator));
    if (each == word) {
      return true;
    }
    list.remove_prefix(std::min(list.size(), each.size() + 1));
  }
  return false;
}

std::vector<std::string> lines_of(std::string_view text) {
  std::istringstream stream{std::string(text)};
  std::vector<std::string> lines;
  for (std::string line; std::getline(stream, line);) {
    lines.push_back(line);
  }
  return lines;
}

/// The path in "4:memory:/path", or in "0::/path" for the second version.
std::optional<std::string> own_path(std::string_view cgroup, int version) {
  for (const std::string& line : lines_of(cgroup)) {
    const auto first = line.find(':');
    const auto second = line.find(':', first + 1);
    if (second == line.npos) {
      continue;
    }
    const std::string controllers = line.substr(first + 1, second - first - 1);
    if (version == 1 ? has_word(controllers, "memory", ',') : controllers.empty()) {
      return line.substr(second + 1);
    }
  }
  return std::nullopt;
}

GroupPlace place_in(const Mount& mount, int version, const std::string& path) {
  // In a container the mount may show only a part of the hierarchy.
  const std::string root = mount.root == "/" ? "" : mount.root;
  const std::string below = path.starts_with(root) ? path.substr(root.size()) : "";
  return {
      version,
      (fs::path(mount.folder) / fs::path(below).relative_path()).lexically_normal(),
      mount.folder};
}

std::optional<GroupPlace> find_version(
    std::string_view mountinfo, std::string_view cgroup, int version) {
  const auto path = own_path(cgroup, version);
  for (const std::string& line : lines_of(mountinfo)) {
    const Mount mount = parse_mount(line);
    const bool fits = version == 1
        ? mount.type == "cgroup" && has_word(mount.options, "memory", ',')
        : mount.type == "cgroup2";
    if (fits && path) {
      return place_in(mount, version, *path);
    }
  }
  return std::nullopt;
}

std::uint64_t as_number(std::string_view text) {
  std::uint64_t number = 0;
  std::from_chars(text.data(), text.data() + text.size(), number);
  return number;
}

/// The number after `name` in lines of "name number".
std::uint64_t field(std::string_view text, std::string_view name) {
  for (const std::string& line : lines_of(text)) {
    if (line.starts_with(name) && line.size() > name.size() && line[name.size()] == ' ') {
      return as_number(std::string_view(line).substr(name.size() + 1));
    }
  }
  return 0;
}

GroupMemory memory_of(int version, const fs::path& group) {
  const bool first = version == 1;
  const std::string events = read_file(group / (first ? "memory.oom_control" : "memory.events"));
  return {
      static_cast<int>(field(events, "oom_kill")),
      as_number(read_file(group / (first ? "memory.max_usage_in_bytes" : "memory.peak")))};
}

/// Of the second version, groups below one with processes have no controllers: ours then stand
/// beside this process's group.
std::optional<GroupPlace> with_controller(GroupPlace place) {
  const auto controls = [](const fs::path& folder) {
    const std::string text = read_file(folder / "cgroup.subtree_control");
    return has_word(std::string_view(text).substr(0, text.find('\n')), "memory", ' ');
  };
  if (place.version == 2 && !controls(place.folder) && place.folder != place.mount) {
    place.folder = place.folder.parent_path();
  }
  return place.version == 1 || controls(place.folder) ? std::optional(place) : std::nullopt;
}

/// Groups are named "callboard.<pid>.<number>".
void remove_abandoned(const fs::path& folder) {
  std::error_code error;
  for (fs::directory_iterator it(folder, error), end; !error && it != end; it.increment(error)) {
    const std::string name = it->path().filename();
    if (name.starts_with(prefix)) {
      const auto pid = as_number(std::string_view(name).substr(prefix.size()));
      if (access(fmt::format("/proc/{}", pid).c_str(), F_OK) != 0) {
        rmdir(it->path().c_str()); // fails where a process is left
      }
    }
  }
}

} // namespace

std::optional<GroupPlace> group_place(std::string_view mountinfo, std::string_view cgroup) {
  if (auto first = find_version(mountinfo, cgroup, 1)) {
    return first;
  }
  return find_version(mountinfo, cgroup, 2);
}

bool MemoryGroup::limit(std::uint64_t bytes) const {
  const std::string text = std::to_string(bytes);
  if (version_ == 1) {
    const bool limited = write("memory.limit_in_bytes", text);
    write("memory.memsw.limit_in_bytes", text); // not there without accounting of swap
    return limited;
  }
  write("memory.swap.max", "0");
  write("memory.oom.group", "1");
  return write("memory.max", text);
}

Descriptor MemoryGroup::processes() const {
  Descriptor file(open((folder_ / "cgroup.procs").c_str(), O_WRONLY | O_CLOEXEC));
  return file ? out_of_the_way(std::move(file)) : std::move(file);
}

GroupMemory MemoryGroup::memory() const {
  return memory_of(version_, folder_);
}

bool MemoryGroup::remove() {
  return rmdir(folder_.c_str()) == 0 || access(folder_.c_str(), F_OK) != 0;
}

bool MemoryGroup::write(std::string_view file, std::string_view text) const {
  return write_file(folder_ / file, text);
}

MemoryGroups::MemoryGroups(bool use)
    : own_(group_place(read_file("/proc/self/mountinfo"), read_file("/proc/self/cgroup"))) {
  if (use && own_) {
    place_ = with_controller(*own_);
  }
  if (place_) {
    remove_abandoned(place_->folder);
  }
  kills_seen_ = own_kills();
}

bool MemoryGroups::saw_kill() {
  const bool more = own_kills() > kills_seen_;
  kills_seen_ += more ? 1 : 0;
  return more;
}

int MemoryGroups::own_kills() const {
  return own_ ? memory_of(own_->version, own_->folder).kills : 0;
}

std::unique_ptr<MemoryGroup> MemoryGroups::make(std::uint64_t limit) {
  static std::atomic<int> count = 0; // of all backends
  if (!place_) {
    return nullptr;
  }
  const fs::path folder = place_->folder / fmt::format("{}{}.{}", prefix, getpid(), ++count);
  constexpr mode_t mode = 0755;
  if (mkdir(folder.c_str(), mode) != 0) {
    return nullptr;
  }
  auto group = std::make_unique<MemoryGroup>(place_->version, folder);
  return group->limit(limit) ? std::move(group) : nullptr;
}

bool tells_of_memory(std::string_view output) {
  constexpr std::size_t enough = 4096;
  std::string end(output.substr(output.size() - std::min(output.size(), enough)));
  std::transform(end.begin(), end.end(), end.begin(), [](unsigned char letter) {
    return static_cast<char>(std::tolower(letter));
  });
  constexpr std::array<std::string_view, 5> signs{
      "bad_alloc", "cannot allocate memory", "out of memory", "memory exhausted", "memoryerror"};
  return std::any_of(
      signs.begin(), signs.end(), [&](auto sign) { return end.find(sign) != end.npos; });
}

} // namespace callboard::detail
