// Findings become one line: what was got and expected, who is the cause, what to do.
#include "output/verdict_text.h"

#include "record/verdict.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <span>
#include <string_view>

namespace linerate {
namespace {

std::string verdict_line(std::string_view text) {
  return fmt::format("# {:<20} : {}\n", "Verdict", text);
}

// A verdict, the rule that says which results have it, and what the one that it names is.
struct Headline {
  Verdict verdict;
  std::string_view rule, which;
};
// The worst first.
constexpr std::array kHeadlines{Headline{Verdict::low, "below_bound", "lowest"},
                                Headline{Verdict::above, "above_bound", "highest"},
                                Headline{Verdict::unsure, "near_bound", "lowest"}};

// A cause, or what happened beside the run: how it is said, and whether its advice is better than
// that of the result.
struct Remark {
  std::string_view rule, format;
  bool advises;
};
constexpr std::array kRemarks{
    Remark{"late_rank", "{} {}", true}, Remark{"slow_node", "{} is slow: {}", true},
    Remark{"slow_component", "{} is slow: {}", true}, Remark{"busy_core", "{} {}", true},
    Remark{"unstable_machine", "{} {}", false}};

// " (unsure at 3 of 16 results)": what the worst verdict leaves unsaid.
std::string others(const Headline& said, std::span<const Finding> findings) {
  std::string text;
  for (const auto& [verdict, rule, which] : kHeadlines)
    if (const auto* found = rule == said.rule ? nullptr : find_finding(findings, rule))
      text +=
          fmt::format("{}{} at {}", text.empty() ? " (" : ", ", name_of(verdict), found->subject);
  return text.empty() ? text : text + ')';
}

// What is said of causes and disturbances, and at last what to do: `advice`, unless it is empty or
// `may_yield`, and a remark knows better. Whose component is slow knows better than who is late.
std::string remarks(std::span<const Finding> findings, std::string advice, bool may_yield) {
  std::string text;
  bool named = !may_yield;
  for (const auto& [rule, format, advises] : kRemarks)
    for (const auto& finding : findings) {
      if (finding.rule != rule) continue;
      text += "; " + fmt::format(fmt::runtime(format), finding.subject, finding.evidence);
      if (!advises || named) continue;
      advice = finding.advice;
      named = rule != "late_rank";
    }
  return advice.empty() ? text : fmt::format("{}; {}", text, advice);
}

// In one line, of all results.
std::string summary(std::span<const Record> results, std::span<const Finding> findings) {
  for (const auto& headline : kHeadlines)
    if (const auto* found = find_finding(findings, headline.rule))
      return fmt::format("{} at {}{}; {} {}{}", name_of(headline.verdict), found->subject,
                         others(headline, findings), headline.which, found->evidence,
                         remarks(findings, found->advice, headline.verdict != Verdict::above));
  const auto lowest = std::ranges::min_element(results, {}, efficiency);
  return fmt::format("ok at {0} of {0} results; lowest {1}{2}", results.size(),
                     reached_text(*lowest), remarks(findings, {}, true));
}

}  // namespace

void VerdictText::add(const Record& record) {
  if (!record.expected) return;
  results_.push_back(record);
  if (results_.back().samples) results_.back().samples->raw_us.clear();
}

std::string VerdictText::lines(bool each, const EndInfo& end) const {
  if (results_.empty()) return {};
  std::vector<Record> results;
  for (const auto& record : results_) results.push_back(widened(record, end.slack));
  std::string text;
  if (each)
    for (const auto& record : results)
      text +=
          verdict_line(fmt::format("{}: {}", name_of(verdict_of(record)), reached_text(record)));
  const bool judged = !end.verdict.empty();  // not where the run was ended while it hung
  return judged ? text + verdict_line(summary(results, end.findings)) : text;
}

}  // namespace linerate
