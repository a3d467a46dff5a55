// See environment.h.
#include "base/environment.h"

#include <fmt/format.h>

#include <unistd.h>

#include <algorithm>
#include <array>

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

std::vector<std::string> Environment::recordable() const {
  constexpr std::array<std::string_view, 7> kPrefixes{"NCCL_", "OMPI_", "UCX_", "SLURM_",
                                                      "CUDA_", "FI_",   "GLOO_"};
  constexpr std::array<std::string_view, 5> kSecrets{"TOKEN", "KEY", "PASSWORD", "SECRET",
                                                     "COOKIE"};
  std::vector<std::string> kept;
  for (const auto& [name, value] : variables_) {
    const auto begins = [&](std::string_view prefix) { return name.starts_with(prefix); };
    const auto holds = [&](std::string_view word) { return name.find(word) != std::string::npos; };
    if (std::ranges::any_of(kPrefixes, begins) && std::ranges::none_of(kSecrets, holds))
      kept.push_back(fmt::format("{}={}", name, value));
  }
  return kept;
}

}  // namespace linerate
