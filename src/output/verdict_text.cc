// Findings become one line: what was seen, who is the cause, what to do.
#include "output/verdict_text.h"

#include "record/verdict.h"

#include <fmt/format.h>

#include <algorithm>
#include <span>
#include <string_view>

namespace linerate {
namespace {

std::string verdict_line(std::string_view text) {
  return fmt::format("# {:<20} : {}\n", "Verdict", text);
}

// What was seen, then who is the cause, then what to do about the last of them.
std::string low_line(const Finding& low, std::span<const Finding> findings) {
  auto text = fmt::format("low at {}; {}", low.subject, low.evidence);
  const Finding* cause = &low;
  for (const auto& finding : findings) {
    if (finding.rule == "late_rank")
      text += fmt::format("; {} {}", finding.subject, finding.evidence);
    else if (finding.rule == "slow_node" || finding.rule == "slow_component")
      text += fmt::format("; {} is slow: {}", finding.subject, finding.evidence);
    else
      continue;
    if (cause == &low || (cause->rule == "late_rank" && finding.rule != "late_rank"))
      cause = &finding;
  }
  return verdict_line(fmt::format("{}; {}", text, cause->advice));
}

}  // namespace

void VerdictText::add(const Record& record) {
  if (!record.expected) return;
  results_.push_back(record);
  if (results_.back().samples) results_.back().samples->raw_us.clear();
}

std::string VerdictText::healthy_line() const {
  const auto lowest = std::ranges::min_element(results_, {}, efficiency);
  return verdict_line(
      fmt::format("ok at {0} of {0} results; lowest {1}", results_.size(), reached_text(*lowest)));
}

std::string VerdictText::lines(bool each, const EndInfo& end) const {
  if (results_.empty()) return {};
  std::string text;
  if (each)
    for (const auto& record : results_)
      text +=
          verdict_line(fmt::format("{}: {}", name_of(verdict_of(record)), reached_text(record)));
  if (const auto* found = find_finding(end.findings, "unstable_machine"))
    return text + verdict_line(fmt::format("unstable machine: {} {}; {}", found->subject,
                                           found->evidence, found->advice));
  const auto* above = find_finding(end.findings, "above_bound");
  const auto* low = find_finding(end.findings, "below_bound");
  if (above != nullptr)
    text += verdict_line(fmt::format("above the bound at {}; {}; {}", above->subject,
                                     above->evidence, above->advice));
  if (low != nullptr) text += low_line(*low, end.findings);
  const bool judged = !end.verdict.empty();  // not where the run was ended while it hung
  return judged && above == nullptr && low == nullptr ? text + healthy_line() : text;
}

}  // namespace linerate
