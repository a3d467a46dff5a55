// Reads the variables that steer communication, and says what is wrong with them.
//
// Everything here is pure: text -> settings -> findings. The parts:
//   registry        what is known of each variable
//   sources         files that set variables: shell scripts, Dockerfiles, manifests, nccl.conf
//   env.cc          which settings hold together, and the table of rules: one row each
//   rules_names     names that nobody reads, or not this version
//   rules_values    values that are misread, unknown or of no use
//   rules_together  settings that contradict each other
// A new rule is a function, its declaration below and a row in env.cc; docs/doctor.md lists it.
//
// A finding shows the value of a variable only if the registry knows its name: the values of other
// variables may be anybody's secrets.
#pragma once

#include "diagnose/env/registry.h"
#include "record/finding.h"

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
};

// What rules look at: the settings of one process.
struct Evidence {
  std::span<const Setting> settings;  // one of each name: those that hold, by name
  std::span<const Setting> hidden{};  // lines of nccl.conf before which others stand
  Release nccl = kNewest;

  const Setting* find(std::string_view name) const;  // null: it is not set
};

struct Rule {
  std::string_view name;  // Finding::rule
  std::vector<Finding> (*find)(const Evidence&);
};

std::span<const Rule> all_rules();

// What all rules find, the worst first.
std::vector<Finding> examine(std::span<const Setting> settings, const Release& nccl);

// "NCCL_BUFFSIZE=4M (train.sh:12)"; of a name without a row only that.
std::string subject_of(const Setting& setting);

namespace rules {

// rules_names.cc
std::vector<Finding> misspelt_name(const Evidence& evidence);
std::vector<Finding> unread_name(const Evidence& evidence);
std::vector<Finding> unknown_name(const Evidence& evidence);
std::vector<Finding> undocumented_name(const Evidence& evidence);
std::vector<Finding> too_new(const Evidence& evidence);
std::vector<Finding> removed_name(const Evidence& evidence);
std::vector<Finding> deprecated_name(const Evidence& evidence);
std::vector<Finding> conf_line(const Evidence& evidence);
std::vector<Finding> hidden_line(const Evidence& evidence);
// rules_values.cc
std::vector<Finding> misread_value(const Evidence& evidence);
std::vector<Finding> out_of_range(const Evidence& evidence);
std::vector<Finding> unknown_value(const Evidence& evidence);
std::vector<Finding> default_value(const Evidence& evidence);
std::vector<Finding> loose_match(const Evidence& evidence);
std::vector<Finding> costs_speed(const Evidence& evidence);
std::vector<Finding> better_unset(const Evidence& evidence);
// rules_together.cc
std::vector<Finding> contradiction(const Evidence& evidence);
std::vector<Finding> no_effect(const Evidence& evidence);
std::vector<Finding> other_platform(const Evidence& evidence);

}  // namespace rules
}  // namespace linerate::env
