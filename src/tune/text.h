// What a search found, for a terminal: every line that is no result begins with '#'.
#pragma once

#include "tune/rules.h"

#include <string>
#include <string_view>
#include <vector>

namespace linerate::tuning {

// The settings to try, and those left out with the reason.
std::string candidates_text(const Candidates& all);

// Of one search: how much it ran, what was dropped, and why.
std::string search_text(std::string_view of, std::span<const Arm> arms, const Searched& found,
                        const std::vector<Dropped>& dropped);

// A line for each size: both times, the gain with its interval, and what it is called. The words of
// an arm stand in each.
std::string table_text(const std::vector<Kept>& rows);

}  // namespace linerate::tuning
