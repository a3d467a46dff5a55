// Who reads a name, and in which version; and the lines of nccl.conf.
#include "base/text.h"
#include "diagnose/env/rules.h"

#include <fmt/format.h>

namespace linerate::env {
namespace {

struct Lifetime {
  Release since{}, until{};
  std::string_view instead{};
};

std::string replacement(std::string_view instead) {
  return instead.empty() ? "leave it out" : fmt::format("set {} instead", instead);
}

std::optional<Finding> out_of_time(const Setting& setting, const Lifetime& life,
                                   const Release& nccl) {
  if (life.since > nccl)
    return about(
        "too-new", Severity::warning, setting,
        fmt::format("NCCL reads it from {} on: {} does not.", text_of(life.since), text_of(nccl)),
        fmt::format("update NCCL to {}, or leave it out", text_of(life.since)));
  if (life.until != Release{} && life.until < nccl)
    return about("removed-name", Severity::warning, setting,
                 fmt::format("NCCL {} does not read it any more: the last one was {}.",
                             text_of(nccl), text_of(life.until)),
                 replacement(life.instead));
  return {};
}

std::optional<Finding> judge_known(const Setting& setting, const Variable& row,
                                   const Release& nccl) {
  if (auto finding = out_of_time(setting, {row.since, row.until, row.instead}, nccl))
    return finding;
  const bool deprecated = row.deprecated != Release{} && row.deprecated <= nccl;
  const bool is_torch = row.instead.starts_with("TORCH_");
  if (!deprecated && !is_torch) return {};
  return about("deprecated-name", Severity::info, setting,
               is_torch
                   ? "It is an old name of PyTorch's, which newer versions read with a warning."
                   : fmt::format("It still works, and is deprecated since NCCL {}.",
                                 text_of(row.deprecated)),
               replacement(row.instead));
}

std::optional<Finding> judge_undocumented(const Setting& setting, const Undocumented& row,
                                          const Release& nccl) {
  if (auto finding = out_of_time(setting, {row.since, row.until}, nccl)) return finding;
  return about("undocumented-name", Severity::info, setting,
               "NCCL reads it, and its documentation does not have it: any release may change what "
               "it does.",
               "keep it only for a reason that is written down");
}

Finding misspelt(const Setting& setting, const Family& family, std::string_view meant) {
  return about("misspelt-name", family.complete ? Severity::problem : Severity::warning, setting,
               family.complete
                   ? fmt::format("{} reads no variable of this name: the setting has no effect.",
                                 family.library)
                   : fmt::format("The name is one letter away from {}, which {} reads.", meant,
                                 family.library),
               fmt::format("write {}, if that is meant", meant));
}

std::optional<Finding> name_finding(const Setting& setting, const Release& nccl) {
  const auto* family = family_of(setting.name);
  const bool has_blank = setting.name.find_first_of(" \t") != std::string::npos;
  const bool is_empty = setting.value.empty() && !setting.computed;  // as good as not set
  if (family == nullptr || is_empty || has_blank) return {};         // a blank: line_finding
  if (const auto* row = find_variable(setting.name)) return judge_known(setting, *row, nccl);
  if (const auto* row = find_undocumented(setting.name))
    return judge_undocumented(setting, *row, nccl);
  if (is_harmless(setting.name)) return {};
  if (const auto* row = find_unread(setting.name))
    return about("unread-name", Severity::warning, setting, "No release of NCCL has read it.",
                 std::string(row->advice));
  if (const auto meant = meant_name(setting.name); !meant.empty())
    return misspelt(setting, *family, meant);
  if (!family->complete) return {};
  return about("unknown-name", Severity::info, setting,
               fmt::format("{} reads no such variable, and no known name is near: it has no effect "
                           "unless a script, a plugin or a newer version reads it.",
                           family->library),
               "look the name up where it was copied from, or leave it out");
}

// NCCL cuts a line of nccl.conf at its first '=', and takes both sides as they are.
std::optional<Finding> line_finding(const Setting& line, const Release& nccl) {
  const auto bare = bare_name(line.name);
  if (family_of(bare) == nullptr) return {};
  const auto* row = find_variable(bare);
  const bool skips_blanks = row != nullptr && (row->kind == Kind::whole ||
                                               row->kind == Kind::flag || trims_words(*row, nccl));
  std::string_view what;
  if (line.name != bare)
    what = "what stands around the name is part of the name";
  else if (line.value.ends_with('\r') && !skips_blanks)
    what = "the carriage return at its end is part of the value";
  else if (trim(line.value) != line.value && !skips_blanks)
    what = "the blank is part of the value";
  else if (line.value.starts_with('"') || line.value.starts_with('\''))
    what = "the quotes are part of the value";
  else if (line.value.find(" #") != std::string::npos)
    what = "the comment is part of the value";
  if (what.empty()) return {};
  return about(
      "conf-line", Severity::problem, line,
      fmt::format("NCCL takes a line of nccl.conf as it is: {}.", what),
      fmt::format("write a line {}=VALUE: no export, blanks, quotes or comment in it", bare));
}

}  // namespace

void judge_name(const Setting& setting, const Release& nccl, Findings& findings) {
  if (auto finding = name_finding(setting, nccl)) findings.push_back(*std::move(finding));
  if (!setting.conf) return;
  if (auto finding = line_finding(setting, nccl)) findings.push_back(*std::move(finding));
}

void judge_hidden(const Setting& line, const Setting& holding, Findings& findings) {
  if (family_of(line.name) == nullptr || (holding.value == line.value && !holding.computed)) return;
  findings.push_back(
      about("hidden-line", Severity::info, line,
            fmt::format("NCCL passes over this line, because the variable is set before: {}.",
                        subject_of(holding)),
            "remove the one of the two that is not meant"));
}

}  // namespace linerate::env
