// A snapshot of the process' variables in a map.
#include "base/environment.h"

#include <unistd.h>

namespace linerate {
namespace {

using Variables = std::map<std::string, std::string, std::less<>>;

void add(std::string_view entry, Variables& variables) {
  const auto equals = entry.find('=');
  if (equals != std::string_view::npos)
    variables.emplace(entry.substr(0, equals), entry.substr(equals + 1));
}

}  // namespace

Environment Environment::of_process() {
  Variables variables;
  for (char** entry = environ; entry != nullptr && *entry != nullptr; ++entry)
    add(*entry, variables);
  return Environment(std::move(variables));
}

Environment Environment::of_record(std::span<const std::string> entries) {
  Variables variables;
  for (const auto& entry : entries) add(entry, variables);
  return Environment(std::move(variables));
}

std::optional<std::string> Environment::get(std::string_view name) const {
  const auto found = variables_.find(name);
  if (found == variables_.end()) return std::nullopt;
  return found->second;
}

std::vector<std::string> Environment::names_with(std::string_view prefix) const {
  std::vector<std::string> names;
  for (const auto& [name, value] : variables_)
    if (name.starts_with(prefix) && !value.empty()) names.push_back(name);
  return names;
}

std::optional<std::filesystem::path> cache_folder(const Environment& environment) {
  if (const auto cache = environment.get("XDG_CACHE_HOME"); cache && !cache->empty())
    return std::filesystem::path(*cache) / "linerate";
  if (const auto home = environment.get("HOME"); home && !home->empty())
    return std::filesystem::path(*home) / ".cache" / "linerate";
  return std::nullopt;
}

}  // namespace linerate
