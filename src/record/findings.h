// Findings as the doctor's commands count and print them.
#pragma once

#include "record/finding.h"
#include "record/json_io.h"

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace linerate {

std::size_t count_of(std::span<const Finding> findings, Severity severity);

// Whether one is as severe as `least` or more; without `least` none is.
bool any_from(std::span<const Finding> findings, std::optional<Severity> least);

// Three lines, safe to show: severity, rule and subject, with `where` in front of it; what was
// seen; what to do.
std::string finding_text(const Finding& finding, std::string_view where = {});

// Below findings in text.
inline constexpr std::string_view kExplainHint =
    "more on a finding: linerate doctor --explain ID\n";

// The last lines: "1 problem, 1 warning, 0 notes", `about` behind it, and the hint.
std::string closing_text(std::span<const Finding> findings, std::string_view about = {});

// An object without the run, with its page in `docs`.
json::Json finding_json(const Finding& finding);

}  // namespace linerate
