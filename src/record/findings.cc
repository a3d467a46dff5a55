// The same words and keys in all of them.
#include "record/findings.h"

#include <algorithm>

namespace linerate {

std::size_t count_of(std::span<const Finding> findings, Severity severity) {
  return static_cast<std::size_t>(std::ranges::count(findings, severity, &Finding::severity));
}

bool any_from(std::span<const Finding> findings, std::optional<Severity> least) {
  return least && std::ranges::any_of(
                      findings, [&](const Finding& finding) { return finding.severity >= *least; });
}

std::string finding_text(const Finding& finding, std::string_view where) {
  return fmt::format("{}: {}: {}{}\n  {}\n  -> {}\n", name_of(finding.severity), finding.rule,
                     where, plain_text(finding.subject), plain_text(finding.evidence),
                     plain_text(finding.advice));
}

std::string closing_text(std::span<const Finding> findings, std::string_view about) {
  const auto count = [&](Severity severity, std::string_view word) {
    return counted(count_of(findings, severity), word);
  };
  return fmt::format("{}, {}, {}{}\n{}", count(Severity::problem, "problem"),
                     count(Severity::warning, "warning"), count(Severity::info, "note"), about,
                     findings.empty() ? "" : kExplainHint);
}

json::Json finding_json(const Finding& finding) {
  return {{"rule", finding.rule},
          {"severity", name_of(finding.severity)},
          {"subject", finding.subject},
          {"evidence", finding.evidence},
          {"advice", finding.advice},
          {"confidence", finding.confidence},
          {"docs", fmt::format("docs/doctor/{}.md", finding.rule)}};
}

}  // namespace linerate
