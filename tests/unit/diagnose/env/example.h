// Settings as they would be read, and what is found in them.
#pragma once

#include "diagnose/env/env.h"

#include <gmock/gmock.h>

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace linerate::env {

// {"NCCL_DEBUG", "INFO"}, ... as the environment.
inline std::vector<Setting> set_of(
    const std::vector<std::pair<std::string, std::string>>& variables) {
  std::vector<Setting> settings;
  for (const auto& [name, value] : variables)
    settings.push_back({.name = name, .value = value, .where = "environment"});
  return settings;
}

// The findings of one rule.
inline std::vector<Finding> found_by(std::string_view rule, std::span<const Setting> settings,
                                     const Release& nccl = kNewest) {
  std::vector<Finding> findings;
  for (auto& finding : examine(settings, nccl))
    if (finding.rule == rule) findings.push_back(std::move(finding));
  return findings;
}

inline std::vector<Finding> found_by(
    std::string_view rule, const std::vector<std::pair<std::string, std::string>>& variables,
    const Release& nccl = kNewest) {
  return found_by(rule, set_of(variables), nccl);
}

// That of the rule about one variable: its advice; empty: it finds nothing.
inline std::string advice_on(std::string_view rule, const std::string& name,
                             const std::string& value, const Release& nccl = kNewest) {
  const auto findings = found_by(rule, {{name, value}}, nccl);
  return findings.empty() ? std::string() : findings.front().advice;
}

}  // namespace linerate::env
