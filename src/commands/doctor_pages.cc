#include "commands/doctor_pages.h"

#include "base/text.h"
#include "commands/run_examples.h"
#include "diagnose/diagnose.h"
#include "diagnose/env/env.h"
#include "diagnose/hang/hang.h"
#include "diagnose/health/health.h"
#include "diagnose/log/report.h"
#include "diagnose/node/node.h"
#include "diagnose/prove/prove.h"
#include "diagnose/results/results.h"
#include "topo/lint/lint.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <functional>
#include <utility>

namespace linerate {
namespace {

struct RuleFamily {
  std::string_view command;
  std::string_view without;  // how to leave it out; {} is the id
  std::vector<RuleText> (*texts)();
};
constexpr auto kFamilies = std::to_array<RuleFamily>({
    {"linerate doctor", "linerate doctor --skip {}", node::rule_texts},
    {"linerate topo --lint", "linerate doctor --skip {}", topo::lint_texts},
    {"linerate doctor env", "linerate doctor env --skip {}", env::rule_texts},
    {"linerate doctor log", "linerate doctor log --skip {}", logs::rule_texts},
    {"linerate doctor results", "linerate doctor results --skip {}", results::rule_texts},
    {"linerate doctor hang", "linerate doctor hang --skip {}", hang::rule_texts},
    {"linerate perf", "--expect off judges nothing", run_rule_texts},
    {"linerate perf --watch-health", "it watches where it is asked to", health::rule_texts},
});

struct RuleOf {
  const RuleFamily* family = nullptr;
  RuleText text{};
};

std::vector<RuleOf> all_texts() {
  std::vector<RuleOf> all;
  for (const auto& family : kFamilies)
    for (auto& text : family.texts()) {
      if (text.example.empty()) text.example = run_example(text.id);
      all.push_back({&family, std::move(text)});
    }
  return all;
}

std::string closed(std::string text) {
  if (!text.empty() && !text.ends_with('.')) text += '.';
  return text;
}

using Label = std::pair<std::string_view, std::string>;

// What both the page and --explain say, in this order; without empty ones.
std::vector<Label> labels_of(const RuleOf& rule) {
  const auto& text = rule.text;
  std::vector<Label> labels{
      {"at most", std::string(name_of(text.severity))},
      {"reads", std::string(text.reads)},
      {"speaks", closed(text.speaks)},
      {"why", std::string(text.why)},
      {"what to do", closed(std::string(text.remedy))},
      {"leave it out", fmt::format(fmt::runtime(rule.family->without), text.id)}};
  for (const auto proof : prove::proofs_of(text.id))
    labels.emplace_back("by runs", fmt::format("linerate doctor prove {}", proof));
  std::erase_if(labels, [](const Label& label) { return label.second.empty(); });
  return labels;
}

// Plain text as Markdown, in which stars and brackets mean nothing.
std::string escaped(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (std::string_view("*<[`").find(c) != std::string_view::npos) out += '\\';
    out += c;
  }
  return out;
}

// "NVIDIA/nccl#290" as a link; other words as they are.
std::string source_link(std::string_view source) {
  const auto hash = source.find('#');
  if (hash == std::string_view::npos || source.find('/') == std::string_view::npos)
    return escaped(source);
  return fmt::format("[{}](https://github.com/{}/issues/{})", source, source.substr(0, hash),
                     source.substr(hash + 1));
}

constexpr std::string_view kWritten =
    "<!-- Written by `linerate docs doctor` from the tables of rules. -->\n";

std::string section(const RuleOf& rule) {
  const auto& [family, text] = rule;
  auto page = fmt::format("\n## `{}`: {}\n\n", family->command, escaped(text.about));
  for (const auto& [label, words] : labels_of(rule))
    page += fmt::format("- **{}:** {}\n", label, escaped(words));
  if (!text.source.empty()) {
    std::string links;
    for (const auto& source : split(text.source, ','))
      links += (links.empty() ? "" : ", ") + source_link(trim(source));
    page += fmt::format("- **source:** {}\n", links);
  }
  if (!text.example.empty()) page += fmt::format("\n```\n{}```\n", text.example);
  return page;
}

std::string index_page(std::vector<RuleOf> all) {
  std::ranges::stable_sort(all, [](const RuleOf& a, const RuleOf& b) {
    return a.family != b.family ? a.family < b.family : a.text.severity > b.text.severity;
  });
  std::string page = fmt::format(
      "# Findings\n\n{}\nWhat [the doctor](../doctor.md) and the other commands find, by command "
      "and "
      "severity. `linerate doctor --explain ID` prints a page.\n",
      kWritten);
  const RuleFamily* family = nullptr;
  for (const auto& rule : all) {
    if (std::exchange(family, rule.family) != rule.family)
      page += fmt::format("\n## `{}`\n\n| finding | at most | |\n|---|---|---|\n", family->command);
    page += fmt::format("| [{0}]({0}.md) | {1} | {2} |\n", rule.text.id,
                        name_of(rule.text.severity), escaped(rule.text.about));
  }
  return page;
}

}  // namespace

std::map<std::string, std::string> doctor_pages() {
  auto all = all_texts();
  std::map<std::string, std::string> pages;
  for (const auto& rule : all) {
    auto& page = pages[fmt::format("{}.md", rule.text.id)];
    if (page.empty()) page = fmt::format("# {}\n\n{}", rule.text.id, kWritten);
    page += section(rule);
  }
  for (auto& [name, page] : pages)
    page += "\n[All findings](README.md), [the doctor](../doctor.md)\n";
  pages["README.md"] = index_page(std::move(all));
  return pages;
}

std::string explanation(std::string_view id) {
  std::string text;
  for (const auto& rule : all_texts()) {
    if (rule.text.id != id) continue;
    text += fmt::format("{}: {} ({})\n", id, rule.text.about, rule.family->command);
    for (const auto& [label, words] : labels_of(rule))
      text += fmt::format("  {}: {}\n", label, words);
    if (!rule.text.source.empty()) text += fmt::format("  source: {}\n", rule.text.source);
  }
  return text.empty() ? text : text + fmt::format("  more: docs/doctor/{}.md\n", id);
}

std::string all_rules_text() {
  std::string list;
  const RuleFamily* family = nullptr;
  for (const auto& [of, text] : all_texts()) {
    if (std::exchange(family, of) != of)
      list += fmt::format("{}{}:\n", list.empty() ? "" : "\n", of->command);
    list += fmt::format("{:24} {:8} {}\n", text.id, name_of(text.severity), text.about);
  }
  return list;
}

Refusal unknown_finding(std::span<const std::string> ids) {
  if (ids.empty()) return {};
  const auto all = all_texts();
  std::vector<std::string_view> known;
  for (const auto& rule : all) known.push_back(rule.text.id);
  for (const auto& id : ids) {
    if (std::ranges::find(known, id) != known.end()) continue;
    const auto near = nearest_match(id, known);
    return fmt::format("No finding is called '{}': linerate doctor --list names all.{}",
                       plain_text(id),
                       near.empty() ? std::string() : fmt::format(" Did you mean '{}'?", near));
  }
  return {};
}

void leave_out(std::vector<Finding>& findings, std::span<const std::string> skip) {
  std::erase_if(findings, [&](const Finding& finding) {
    return std::ranges::find(skip, finding.rule) != skip.end();
  });
}

}  // namespace linerate
