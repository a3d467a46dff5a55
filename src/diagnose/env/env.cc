// Which settings each process gets, and what the rules find in them.
#include "base/text.h"
#include "diagnose/env/rules.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <functional>
#include <map>
#include <set>

namespace linerate::env {
namespace {

// Settings of a scope override those of the scopes around it; 0 is around all. A scope is a process
// of its own only if there is no other within it.
struct Scope {
  std::vector<const Setting*> own{};
  int around = 0;
  bool has_others_within = false;
};

std::map<int, Scope> scopes_of(std::span<const Setting> settings) {
  std::map<int, Scope> scopes;
  for (const auto& setting : settings) {
    scopes[setting.scope].own.push_back(&setting);
    if (setting.scope == 0) continue;
    scopes[setting.scope].around = setting.within;
    scopes[setting.within].has_others_within = true;
    scopes[0].has_others_within = true;
  }
  return scopes;
}

using HiddenLines = std::vector<std::pair<const Setting*, const Setting*>>;  // and what hides each

// Of several settings of a name the last holds, except in nccl.conf, where NCCL keeps the first and
// what is set already.
void add_to(Process& process, const Setting& setting, HiddenLines& hidden) {
  auto& settings = process.settings;
  const auto at = std::ranges::lower_bound(settings, setting.name, {}, &Setting::name);
  if (at == settings.end() || (*at)->name != setting.name) {
    settings.insert(at, &setting);
  } else if (setting.conf) {
    hidden.emplace_back(&setting, *at);
  } else {
    if ((*at)->conf) hidden.emplace_back(*at, &setting);
    *at = &setting;
  }
}

}  // namespace

const Setting* Process::find(std::string_view name) const {
  const auto at = std::ranges::lower_bound(settings, name, {}, &Setting::name);
  return at == settings.end() || (*at)->name != name ? nullptr : *at;
}

std::string_view bare_name(std::string_view text) {
  text = trim(text);
  return text.substr(text.find_last_of(" \t") + 1);
}

std::string subject_of(const Setting& setting) {
  const bool known = find_variable(setting.name) != nullptr;
  constexpr std::size_t kShown = 200;  // characters
  const auto value = shortened(plain_text(setting.value), kShown);
  const auto name = shortened(plain_text(setting.name), kShown);
  return plain_text(known ? fmt::format("{}={} ({})", name, value, setting.where)
                          : fmt::format("{} ({})", name, setting.where));
}

// Each setting is judged once, however many processes get it.
std::vector<Finding> examine(std::span<const Setting> settings, const Release& nccl) {
  Process shared;
  HiddenLines hidden;
  auto scopes = scopes_of(settings);
  for (const auto* setting : scopes[0].own) add_to(shared, *setting, hidden);
  std::vector<Finding> all;
  std::set<std::string> once;
  const auto keep = [&](Findings found) {
    for (auto& finding : found)
      if (once.insert(finding.rule + finding.subject + finding.evidence).second)
        all.push_back(std::move(finding));
  };
  std::vector<bool> judged(settings.size());
  for (const auto& [number, scope] : scopes) {
    if (scope.has_others_within) continue;
    auto process = shared;
    std::vector<const Scope*> seen;  // the outer ones first
    for (int at = number; at != 0; at = seen.front()->around)
      seen.insert(seen.begin(), &scopes[at]);
    for (const auto* outer : seen)
      for (const auto* setting : outer->own) add_to(process, *setting, hidden);
    Findings found;
    for (const auto* setting : process.settings) {
      const auto i = static_cast<std::size_t>(setting - settings.data());
      if (judged[i]) continue;
      judged[i] = true;
      judge_name(*setting, nccl, found);
      judge_value(*setting, nccl, found);
    }
    judge_together(process, found);
    keep(std::move(found));
  }
  Findings found;
  for (const auto& [line, holding] : hidden) judge_hidden(*line, *holding, found);
  keep(std::move(found));
  std::ranges::stable_sort(all, std::greater<>(), &Finding::severity);
  return all;
}

}  // namespace linerate::env
