// A snapshot of the process' variables in a map.
#include "base/environment.h"

#include <unistd.h>

namespace linerate {

Environment Environment::of_process() {
  std::map<std::string, std::string, std::less<>> variables;
  for (char** entry = environ; entry != nullptr && *entry != nullptr; ++entry) {
    const std::string_view text = *entry;
    const auto equals = text.find('=');
    if (equals != std::string_view::npos)
      variables.emplace(text.substr(0, equals), text.substr(equals + 1));
  }
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
