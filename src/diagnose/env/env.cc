// One process at a time: which of its settings hold, and what the rules find in them.
#include "diagnose/env/env.h"

#include "base/text.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <functional>
#include <map>
#include <set>

namespace linerate::env {
namespace {

constexpr auto kRules = std::to_array<Rule>({
    {"misspelt-name", rules::misspelt_name},
    {"unread-name", rules::unread_name},
    {"unknown-name", rules::unknown_name},
    {"undocumented-name", rules::undocumented_name},
    {"too-new", rules::too_new},
    {"removed-name", rules::removed_name},
    {"deprecated-name", rules::deprecated_name},
    {"conf-line", rules::conf_line},
    {"hidden-line", rules::hidden_line},
    {"misread-value", rules::misread_value},
    {"out-of-range", rules::out_of_range},
    {"unknown-value", rules::unknown_value},
    {"default-value", rules::default_value},
    {"loose-match", rules::loose_match},
    {"costs-speed", rules::costs_speed},
    {"better-unset", rules::better_unset},
    {"contradiction", rules::contradiction},
    {"no-effect", rules::no_effect},
    {"other-platform", rules::other_platform},
});

struct Process {
  std::map<std::string, Setting> holding{};
  std::vector<Setting> hidden{};
};

// As a process gets them: of several the last, except in nccl.conf, where NCCL keeps the first and
// what is set already.
Process process_of(const std::vector<const Setting*>& settings) {
  Process process;
  for (const auto* setting : settings)
    if (!setting->conf) process.holding[setting->name] = *setting;
  for (const auto* setting : settings)
    if (setting->conf && !process.holding.emplace(setting->name, *setting).second)
      process.hidden.push_back(*setting);
  return process;
}

// What each scope sees, in the order given; what all see stands alone only where nothing else does.
std::vector<std::vector<const Setting*>> processes_of(std::span<const Setting> settings) {
  std::vector<const Setting*> common;
  std::map<int, std::vector<const Setting*>> own;
  for (const auto& setting : settings)
    (setting.scope == 0 ? common : own[setting.scope]).push_back(&setting);
  if (own.empty()) return {common};
  std::vector<std::vector<const Setting*>> seen;
  for (auto& [scope, few] : own) {
    few.insert(few.end(), common.begin(), common.end());
    std::ranges::sort(few);  // by address: as they were given
    seen.push_back(std::move(few));
  }
  return seen;
}

std::vector<Finding> found_in(const Process& process, const Release& nccl) {
  std::vector<Setting> holding;
  for (const auto& [name, setting] : process.holding) holding.push_back(setting);
  const Evidence evidence{.settings = holding, .hidden = process.hidden, .nccl = nccl};
  std::vector<Finding> findings;
  for (const auto& rule : kRules)
    for (auto& finding : rule.find(evidence)) {
      finding.rule = rule.name;
      findings.push_back(std::move(finding));
    }
  return findings;
}

}  // namespace

const Setting* Evidence::find(std::string_view name) const {
  const auto found = std::ranges::find(settings, name, &Setting::name);
  return found == settings.end() ? nullptr : &*found;
}

std::span<const Rule> all_rules() { return kRules; }

std::string subject_of(const Setting& setting) {
  const bool known = find_variable(setting.name) != nullptr;
  constexpr std::size_t kShown = 200;  // characters
  const auto value = shortened(plain_text(setting.value), kShown);
  const auto name = shortened(plain_text(setting.name), kShown);
  return plain_text(known ? fmt::format("{}={} ({})", name, value, setting.where)
                          : fmt::format("{} ({})", name, setting.where));
}

std::vector<Finding> examine(std::span<const Setting> settings, const Release& nccl) {
  std::vector<Finding> all;
  std::set<std::pair<std::string, std::string>> once;
  for (const auto& seen : processes_of(settings))
    for (auto& finding : found_in(process_of(seen), nccl))
      if (once.emplace(finding.rule + finding.subject, finding.evidence).second)
        all.push_back(std::move(finding));
  std::ranges::stable_sort(all, std::greater<>(), &Finding::severity);
  return all;
}

}  // namespace linerate::env
