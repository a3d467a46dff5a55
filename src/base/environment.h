// Environment variables: read in one place, from the process or, in tests, from a map.
#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace linerate {

// A snapshot of variables; immutable after construction, so any thread may read it.
class Environment {
 public:
  Environment() = default;
  explicit Environment(std::map<std::string, std::string, std::less<>> variables)
      : variables_(std::move(variables)) {}
  static Environment of_process();
  // What recordable() kept; entries without '=' are none.
  static Environment of_record(std::span<const std::string> entries);

  // Nothing when unset; set but empty yields "".
  std::optional<std::string> get(std::string_view name) const;
  bool has(std::string_view name) const { return variables_.contains(name); }

  // The names that begin with `prefix` and have a value, in order.
  std::vector<std::string> names_with(std::string_view prefix) const;

  // "NAME=VALUE" of the variables that a record may keep, by name: the table in recordable.cc, and
  // NCCL_* but for names that sound like a credential.
  std::vector<std::string> recordable() const;

 private:
  std::map<std::string, std::string, std::less<>> variables_;
};

// linerate/ in XDG_CACHE_HOME, or in ~/.cache. Nothing where neither variable is set.
std::optional<std::filesystem::path> cache_folder(const Environment& environment);

}  // namespace linerate
