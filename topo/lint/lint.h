// What makes a system slower than it could be, as far as its description shows.
//
// One function a rule (rules.h), a row for each in lint.cc. A rule sees the System alone, and
// compares a device with what it could be, or with others of its kind. What all devices of a kind
// have alike is how a machine is built, and at most information; what one of them has alone is a
// warning. unlike_nodes.cc compares several systems.
#pragma once

#include "record/finding.h"
#include "record/rule_text.h"
#include "topo/system/system.h"

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace linerate::topo {

struct LintRule {
  std::string_view name;
  std::vector<Finding> (*findings)(const System& system);
  Severity severity = Severity::warning;  // at most
  std::string_view finds{};               // a phrase
  std::string_view speaks{};              // "if …"; empty: whenever that is so
  std::string_view why{}, remedy{};       // as of RuleText
};

std::span<const LintRule> lint_rules();
// Of these, and of unlike_nodes().
std::vector<RuleText> lint_texts();

// What all rules find, in their order; within a rule in the order of the system.
std::vector<Finding> lint(const System& system);

// Nodes that are alike.
struct LintedNode {
  std::string name{};  // "nodes 0-15 (dgx-h100)", "node07.xml"
  const System* system = nullptr;
  int count = 1;
};

// "unlike-node": nodes that differ from most others with the same GPUs, in what makes them slower
// or faster.
std::vector<Finding> unlike_nodes(std::span<const LintedNode> nodes);

struct LintReport {
  struct Line {
    std::string node{};  // empty: of the only one, or between several
    Finding finding{};
  };
  std::vector<Line> lines{};
  std::vector<std::string> unseen{};  // sentences: what could not be looked at

  bool has_warning() const;
};

// Each node by all rules, then all beside each other. What a machine on its own may lack, a node of
// several may not. REQUIRES: at least one node.
LintReport lint_nodes(std::span<const LintedNode> nodes);

}  // namespace linerate::topo
