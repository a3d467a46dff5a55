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

// An object without the run.
json::Json finding_json(const Finding& finding);

}  // namespace linerate
