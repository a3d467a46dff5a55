// Rules about names: who reads them, in which version.
#include "base/text.h"
#include "diagnose/env/found.h"

#include <fmt/format.h>

#include <utility>

namespace linerate::env {
namespace {

enum class Standing : std::uint8_t { known, harmless, unread, misspelt, unknown };

// Of a line of nccl.conf with a name like "export NCCL_DEBUG" conf_line tells.
Standing standing_of(const std::string& name) {
  const auto* family = family_of(name);
  if (family == nullptr || name.find_first_of(" \t") != std::string::npos ||
      find_variable(name) != nullptr || find_undocumented(name) != nullptr)
    return Standing::known;
  if (is_harmless(name)) return Standing::harmless;
  if (find_unread(name) != nullptr) return Standing::unread;
  if (!meant_name(name).empty()) return Standing::misspelt;
  return family->complete ? Standing::unknown : Standing::known;
}

template <typename Make>
std::vector<Finding> for_each_of(const Evidence& evidence, Standing standing, Make make) {
  std::vector<Finding> findings;
  for (const auto& setting : evidence.settings)
    if (standing_of(setting.name) == standing) findings.push_back(make(setting));
  return findings;
}

// Those that have a row, with it.
template <typename Make>
std::vector<Finding> for_each_row(const Evidence& evidence, Make make) {
  std::vector<Finding> findings;
  for (const auto& setting : evidence.settings)
    if (const auto* row = find_variable(setting.name))
      if (auto finding = make(setting, *row)) findings.push_back(*std::move(finding));
  return findings;
}

bool is_removed(const Variable& row, const Release& nccl) {
  return row.until != Release{} && row.until < nccl;
}

std::string replacement(const Variable& row) {
  return row.instead.empty() ? "leave it out" : fmt::format("set {} instead", row.instead);
}

}  // namespace

std::vector<Finding> rules::misspelt_name(const Evidence& evidence) {
  return for_each_of(evidence, Standing::misspelt, [](const Setting& setting) {
    const auto* family = family_of(setting.name);
    const auto meant = meant_name(setting.name);
    if (family->complete)
      return about(setting, Severity::problem,
                   fmt::format("{} reads no variable of this name: the setting has no effect.",
                               family->library),
                   fmt::format("write {}, if that is meant", meant));
    return about(
        setting, Severity::warning,
        fmt::format("The name is one letter away from {}, which {} reads.", meant, family->library),
        fmt::format("write {}, if that is meant", meant));
  });
}

std::vector<Finding> rules::unread_name(const Evidence& evidence) {
  return for_each_of(evidence, Standing::unread, [](const Setting& setting) {
    const auto* row = find_unread(setting.name);
    return about(setting, Severity::warning, std::string(row->why), std::string(row->advice));
  });
}

std::vector<Finding> rules::unknown_name(const Evidence& evidence) {
  return for_each_of(evidence, Standing::unknown, [](const Setting& setting) {
    const auto* family = family_of(setting.name);
    return about(setting, Severity::warning,
                 fmt::format("{} up to the registry's version reads no such variable, and no known "
                             "name is near: unless a plugin or a newer version reads it, it has "
                             "no effect.",
                             family->library),
                 "look the name up where it was copied from, or leave it out");
  });
}

std::vector<Finding> rules::undocumented_name(const Evidence& evidence) {
  std::vector<Finding> findings;
  for (const auto& setting : evidence.settings) {
    const auto* row = find_undocumented(setting.name);
    if (row == nullptr) continue;
    if (row->until != Release{} && row->until < evidence.nccl)
      findings.push_back(
          about(setting, Severity::warning,
                fmt::format("NCCL {} does not read it any more: the last one was {}.",
                            text_of(evidence.nccl), text_of(row->until)),
                "leave it out"));
    else if (row->since > evidence.nccl)
      findings.push_back(about(setting, Severity::warning,
                               fmt::format("NCCL reads it from {} on: {} does not.",
                                           text_of(row->since), text_of(evidence.nccl)),
                               "leave it out, or update NCCL"));
    else
      findings.push_back(about(setting, Severity::info,
                               "NCCL reads it, and its documentation does not have it: any release "
                               "may change what it does.",
                               "keep it only for a reason that is written down"));
  }
  return findings;
}

std::vector<Finding> rules::too_new(const Evidence& evidence) {
  return for_each_row(
      evidence, [&](const Setting& setting, const Variable& row) -> std::optional<Finding> {
        if (row.since <= evidence.nccl) return {};
        return about(setting, Severity::warning,
                     fmt::format("NCCL reads it from {} on: {} does not.", text_of(row.since),
                                 text_of(evidence.nccl)),
                     fmt::format("update NCCL to {}, or leave it out", text_of(row.since)));
      });
}

std::vector<Finding> rules::removed_name(const Evidence& evidence) {
  return for_each_row(
      evidence, [&](const Setting& setting, const Variable& row) -> std::optional<Finding> {
        if (!is_removed(row, evidence.nccl)) return {};
        return about(setting, Severity::warning,
                     fmt::format("NCCL reads it no more since 2.{}: it has no effect in {}.",
                                 row.until.minor + 1, text_of(evidence.nccl)),
                     replacement(row));
      });
}

std::vector<Finding> rules::deprecated_name(const Evidence& evidence) {
  return for_each_row(evidence,
                      [&](const Setting& setting, const Variable& row) -> std::optional<Finding> {
                        if (row.deprecated == Release{} || row.deprecated > evidence.nccl)
                          return {};
                        return about(setting, Severity::info,
                                     fmt::format("It still works, and is deprecated since NCCL {}.",
                                                 text_of(row.deprecated)),
                                     replacement(row));
                      });
}

// NCCL cuts the line at its first '=', and takes both sides as they are.
std::vector<Finding> rules::conf_line(const Evidence& evidence) {
  std::vector<Finding> findings;
  for (const auto& setting : evidence.settings) {
    if (!setting.conf) continue;
    const auto trimmed = trim(setting.name);
    const auto bare = trimmed.substr(trimmed.find_last_of(" \t") + 1);
    if (family_of(bare) == nullptr) continue;
    const bool blanks = setting.name != bare;
    const bool gap = setting.value.starts_with(' ') && find_variable(bare) != nullptr &&
                     find_variable(bare)->kind != Kind::whole;
    const bool quotes = setting.value.starts_with('"') || setting.value.starts_with('\'');
    const bool comment = setting.value.find(" #") != std::string::npos;
    if (!blanks && !gap && !quotes && !comment) continue;
    auto finding = about(
        setting, Severity::problem,
        fmt::format("NCCL takes a line of nccl.conf as it is: {} part of the {}.",
                    blanks   ? "what stands around the name is"
                    : gap    ? "the blank is"
                    : quotes ? "the quotes are"
                             : "the comment is",
                    blanks ? "name" : "value"),
        fmt::format("write a line {}=VALUE: no export, blanks, quotes or comment in it", bare));
    findings.push_back(std::move(finding));
  }
  return findings;
}

std::vector<Finding> rules::hidden_line(const Evidence& evidence) {
  std::vector<Finding> findings;
  for (const auto& line : evidence.hidden) {
    const auto* holding = evidence.find(line.name);
    if (family_of(line.name) == nullptr || holding == nullptr) continue;
    if (holding->value == line.value && !holding->computed) continue;
    findings.push_back(
        about(line, Severity::info,
              fmt::format("NCCL passes over this line, because the variable is set before: {}.",
                          subject_of(*holding)),
              "remove the one of the two that is not meant"));
  }
  return findings;
}

}  // namespace linerate::env
