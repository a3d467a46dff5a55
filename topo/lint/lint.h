// What makes a system slower than it could be, as far as its description shows.
//
// One function a rule (rules.h), a row for each in lint.cc. A rule sees the System alone, and
// compares a device with what it could be, or with others of its kind.
#pragma once

#include "record/finding.h"
#include "topo/system/system.h"

#include <span>
#include <string_view>
#include <vector>

namespace linerate::topo {

struct LintRule {
  std::string_view name;
  std::vector<Finding> (*findings)(const System& system);
};

std::span<const LintRule> lint_rules();

// What all rules find, in their order; within a rule in the order of the system.
std::vector<Finding> lint(const System& system);

}  // namespace linerate::topo
