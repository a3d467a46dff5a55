// What makes a system slower than it could be, as far as its description shows.
//
// One function a rule (rules.h), a row for each in lint.cc. A rule sees the System alone, and
// compares a device with what it could be, or with others of its kind.
#pragma once

#include "topo/system/system.h"

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace linerate::topo {

// One thing to look at.
struct LintFinding {
  std::string rule{};     // "degraded-link"
  std::string subject{};  // "mlx5_2 at 0000:5e:00.0", "GPU 3 at 0000:18:00.0"
  std::string seen{};     // a sentence with the number that shows it
  std::string advice{};   // what to do

  bool operator==(const LintFinding&) const = default;
};

struct LintRule {
  std::string_view name;
  std::string_view about;  // what it looks for
  std::vector<LintFinding> (*findings)(const System& system);
};

std::span<const LintRule> lint_rules();

// What all rules find, in their order; within a rule in the order of the system.
std::vector<LintFinding> lint(const System& system);

}  // namespace linerate::topo
