#include "diagnose/node/node.h"

#include "base/text.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>

namespace linerate::node {
namespace {

// Linear in each folder, whatever names a file of others holds: tries the last star alone again.
bool matches(std::string_view text, std::string_view pattern) {
  std::size_t at = 0, in = 0, star = std::string_view::npos, mark = 0;
  while (at < text.size()) {
    if (in < pattern.size() && pattern[in] == '*') {
      star = in++;
      mark = at;
    } else if (in < pattern.size() && pattern[in] == text[at]) {
      ++in;
      ++at;
    } else if (star != std::string_view::npos && text[mark] != '/') {
      in = star + 1;
      at = ++mark;
    } else {
      return false;
    }
  }
  return pattern.find_first_not_of('*', in) == std::string_view::npos;
}

}  // namespace

const std::string* Snapshot::find(std::string_view key) const {
  const auto at = facts.find(key);
  return at == facts.end() ? nullptr : &at->second;
}

std::vector<std::pair<std::string_view, std::string_view>> Snapshot::matching(
    std::string_view pattern) const {
  std::vector<std::pair<std::string_view, std::string_view>> found;
  const auto prefix = pattern.substr(0, pattern.find('*'));
  for (auto at = facts.lower_bound(prefix); at != facts.end(); ++at) {
    if (!at->first.starts_with(prefix)) break;
    if (matches(at->first, pattern)) found.emplace_back(at->first, at->second);
  }
  return found;
}

std::optional<double> Snapshot::number(std::string_view key) const {
  const auto* text = find(key);
  if (text == nullptr) return std::nullopt;
  const auto number = parse_number("value", *text);
  return number ? std::optional(*number) : std::nullopt;
}

namespace {

// Why the check does not run here; no reason: it runs.
Omitted obstacle(const Snapshot& snapshot, const Check& check) {
  if (check.applies != nullptr && !check.applies(snapshot))
    return {.reason = std::string(check.lacking), .applies = false};
  if (check.facts.empty() || snapshot.has(check.facts)) return {};
  if (check.facts.starts_with("pcie "))
    return {.reason = "PCI configuration spaces are shown to root alone"};
  if (check.facts.starts_with("kernel "))
    return {.reason = "the kernel's log is shown to root alone"};
  const auto program = check.facts.substr(0, check.facts.find(' '));
  if (const auto* why = snapshot.find(fmt::format("could not run {}", program)))
    return {.reason = fmt::format("{} {}", program, *why)};
  return {.reason = fmt::format("{} is not there or not readable", check.facts)};
}

}  // namespace

Examined examine(const Snapshot& snapshot, std::span<const Check> checks,
                 const Thresholds& thresholds) {
  Examined examined;
  for (const auto& check : checks) {
    if (auto omitted = obstacle(snapshot, check); !omitted.reason.empty()) {
      auto group = std::ranges::find(examined.not_run, omitted.reason, &Omitted::reason);
      if (group == examined.not_run.end()) group = examined.not_run.insert(group, omitted);
      group->ids.push_back(check.id);
      continue;
    }
    ++examined.ran;
    for (auto& seen : check.look(snapshot, thresholds))
      examined.findings.push_back({.rule = std::string(check.id),
                                   .severity = seen.severity.value_or(check.severity),
                                   .subject = std::move(seen.subject),
                                   .evidence = fmt::format("{} {}", seen.evidence, check.why),
                                   .advice = std::string(check.remedy)});
  }
  std::ranges::stable_sort(examined.findings, std::greater<>(), &Finding::severity);
  return examined;
}

}  // namespace linerate::node
