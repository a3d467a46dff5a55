// Examples for the pages of rules about runs.
#pragma once

#include <string>
#include <string_view>

namespace linerate {

// What a run prints below its table on which the rule speaks; empty: of no such rule.
std::string run_example(std::string_view rule);

}  // namespace linerate
