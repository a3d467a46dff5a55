// What rules are made of. A rule looks at one setting or at those of one process, and adds what it
// finds.
#pragma once

#include "diagnose/env/env.h"

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace linerate::env {

struct Process {
  std::vector<const Setting*> settings{};  // one of each name: those that hold, by name

  const Setting* find(std::string_view name) const;  // null: it is not set
};

using Findings = std::vector<Finding>;

void judge_name(const Setting& setting, const Release& nccl, Findings& findings);
void judge_value(const Setting& setting, const Release& nccl, Findings& findings);
void judge_together(const Process& process, Findings& findings);
// `line`: of nccl.conf, which NCCL passes over because `holding` is set.
void judge_hidden(const Setting& line, const Setting& holding, Findings& findings);

// `why` is sentences, `advice` begins with a small letter.
inline Finding about(std::string_view rule, Severity severity, const Setting& setting,
                     std::string why, std::string advice) {
  return {.rule = std::string(rule),
          .severity = severity,
          .subject = subject_of(setting),
          .evidence = std::move(why),
          .advice = std::move(advice)};
}

// One setting with a row, whose value is here and means something to this version.
struct Judged {
  const Setting& setting;
  const Variable& row;
  const Release& nccl;

  std::string_view library() const { return family_of(setting.name)->library; }
  Finding found(std::string_view rule, Severity severity, std::string why,
                std::string advice) const {
    return about(rule, severity, setting, std::move(why), std::move(advice));
  }
};
using ValueRule = std::optional<Finding> (*)(const Judged&);
std::span<const ValueRule> advice_rules();  // those of rules_advice.cc, called by judge_values()

// Whether this version drops the blanks around a word of the value: those of debug.cc,
// since 2.30.7.
inline bool trims_words(const Variable& row, const Release& nccl) {
  return nccl >= Release{30, 7} && (row.kind == Kind::list || row.name == "NCCL_DEBUG");
}

// Without the empty ones.
std::vector<std::string> words_of(std::string_view text, char separator);

// The number of a setting that is a whole one and read as it stands; nothing for others.
std::optional<long long> whole_of(const Process& process, std::string_view name);

}  // namespace linerate::env
