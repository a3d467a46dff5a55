// What there is to say of a rule beside what it finds: its page in docs/doctor, its line in lists,
// and `linerate doctor --explain` are made of this.
#pragma once

#include "record/finding.h"

#include <string>
#include <string_view>
#include <vector>

namespace linerate {

// Texts are plain, without Markdown; views are of tables that stay. An empty one is left out.
struct RuleText {
  std::string_view id{};                  // Finding::rule
  Severity severity = Severity::warning;  // at most
  std::string_view about{};               // a phrase: what it finds, or what it looks at
  std::string_view reads{};               // where it is read
  std::string speaks{};                   // goes on behind "Speaks": "if …", with its thresholds
  std::string_view why{};                 // sentences
  std::string_view remedy{};              // as Finding::advice
  std::string_view source{};              // with commas between: "NVIDIA/nccl#290, CUDA"
  std::string example{};                  // what the command prints of it
};

// Of a table of rules with `severity`, `finds`, `speaks`, `why` and `remedy`; `id` is its member
// with the finding's rule.
template <typename Rules, typename Id>
std::vector<RuleText> texts_of(const Rules& rules, Id id) {
  std::vector<RuleText> texts;
  for (const auto& rule : rules)
    texts.push_back({.id = rule.*id,
                     .severity = rule.severity,
                     .about = rule.finds,
                     .speaks = std::string(rule.speaks),
                     .why = rule.why,
                     .remedy = rule.remedy});
  return texts;
}

}  // namespace linerate
