// One process at a time: which of its settings hold, and what the rules find in them.
#include "base/text.h"
#include "diagnose/env/rules.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <map>
#include <set>

namespace linerate::env {
namespace {

struct Sorted {
  std::map<std::string, Setting> holding{};
  std::vector<Setting> hidden{};
};

// As a process gets them: of several the last, except in nccl.conf, where NCCL keeps the first and
// what is set already.
Sorted sort_out(const std::vector<const Setting*>& settings) {
  Sorted sorted;
  for (const auto* setting : settings)
    if (!setting->conf) sorted.holding[setting->name] = *setting;
  for (const auto* setting : settings)
    if (setting->conf && !sorted.holding.emplace(setting->name, *setting).second)
      sorted.hidden.push_back(*setting);
  return sorted;
}

// What each scope sees: its own settings stand behind those that all see, and so before them. What
// all see stands alone only where nothing else does.
std::vector<std::vector<const Setting*>> processes_of(std::span<const Setting> settings) {
  std::map<int, std::vector<const Setting*>> seen;
  for (const auto& setting : settings) seen[setting.scope];
  if (seen.size() > 1) seen.erase(0);
  for (const auto& setting : settings)
    for (auto& [scope, visible] : seen)
      if (setting.scope == 0) visible.push_back(&setting);
  for (const auto& setting : settings)
    if (setting.scope != 0) seen[setting.scope].push_back(&setting);
  std::vector<std::vector<const Setting*>> processes;
  for (auto& [scope, visible] : seen) processes.push_back(std::move(visible));
  return processes;
}

Findings found_in(const Sorted& sorted, const Release& nccl) {
  std::vector<Setting> holding;
  for (const auto& [name, setting] : sorted.holding) holding.push_back(setting);
  const Process process{.settings = holding, .hidden = sorted.hidden, .nccl = nccl};
  Findings findings;
  judge_names(process, findings);
  judge_values(process, findings);
  judge_together(process, findings);
  return findings;
}

}  // namespace

const Setting* Process::find(std::string_view name) const {
  const auto found = std::ranges::find(settings, name, &Setting::name);
  return found == settings.end() ? nullptr : &*found;
}

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
    for (auto& finding : found_in(sort_out(seen), nccl))
      if (once.emplace(finding.rule + finding.subject, finding.evidence).second)
        all.push_back(std::move(finding));
  std::ranges::stable_sort(all, std::greater<>(), &Finding::severity);
  return all;
}

}  // namespace linerate::env
