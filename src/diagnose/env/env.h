// Reads the variables that steer communication, and says what is wrong with them.
//
// Everything here is pure: text -> settings -> findings. The parts:
//   registry        what is known of each variable
//   sources         files that set variables: shell scripts, Dockerfiles, manifests, nccl.conf
//   statements      what a shell's text is made of
//   env.cc          which settings hold together: those of one process
//   rules_names     names that nobody reads, or not this version
//   rules_values    values that are misread or unknown
//   rules_advice    values that do what they say, and are seldom wanted
//   rules_together  settings that contradict each other, or switch others off
//   rule_texts      what docs/doctor says of the rules
// Most rules are rows of tables there.
//
// A finding shows the value of a variable only if the registry knows its name: the values of other
// variables may be anybody's secrets.
#pragma once

#include "diagnose/env/registry.h"
#include "record/finding.h"
#include "record/rule_text.h"

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace linerate::env {

// One variable as it was set somewhere.
struct Setting {
  std::string name{};
  std::string value{};
  std::string where{};    // "environment", "train.sh:12"
  bool computed = false;  // when a shell runs: the value is not known here
  bool conf = false;      // a line of nccl.conf, which NCCL passes over where the variable is set
  int scope = 0;          // containers of a manifest and such: each sees its own, and those of 0
  int within = 0;         // another scope whose settings are seen there
};

// Of all rules.
std::vector<RuleText> rule_texts();

// What all rules find, the worst first.
std::vector<Finding> examine(std::span<const Setting> settings, const Release& nccl);

// The last word of what stands in front of an '=': "export NCCL_DEBUG " -> NCCL_DEBUG.
std::string_view bare_name(std::string_view text);

// "NCCL_BUFFSIZE=4M (train.sh:12)"; of a name without a row only that.
std::string subject_of(const Setting& setting);

}  // namespace linerate::env
