// All rules whose findings people meet, whichever command has them, and the pages of docs/doctor
// that are made of their texts. A command with rules is a row of doctor_pages.cc.
#pragma once

#include "cli/option.h"
#include "record/rule_text.h"

#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace linerate {

// "shm-size.md" and README.md -> Markdown.
std::map<std::string, std::string> doctor_pages();

// What --explain prints, of each command that has such a finding; empty: none has.
std::string explanation(std::string_view id);

// What --list prints.
std::string all_rules_text();

// A sentence about the first of `ids` that no command has.
Refusal unknown_finding(std::span<const std::string> ids);

// Removes the findings that --skip names.
void leave_out(std::vector<Finding>& findings, std::span<const std::string> skip);

}  // namespace linerate
