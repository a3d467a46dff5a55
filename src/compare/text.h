// A comparison as text: for a terminal, and as Markdown, JSON and JUnit's XML. Pure.
#pragma once

#include "compare/comparison.h"

#include <string>

namespace linerate {

// Every line that is no case begins with '#'. `colours`: of verdicts, for a terminal.
std::string terminal_text(const RunComparison& comparison, bool colours);

// A table to paste into a ticket.
std::string markdown_text(const RunComparison& comparison);

// One indented object: docs/output-format.md lists its keys.
std::string json_text(const RunComparison& comparison);

// A test case for each case: SLOWER fails, UNSURE is skipped.
std::string junit_text(const RunComparison& comparison);

}  // namespace linerate
