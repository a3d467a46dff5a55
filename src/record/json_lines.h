// JSON Lines: what a run says of itself, one compact object a line, keys in a fixed order.
//
// The unit is in the key; a value that does not exist, or is no finite number, is absent (null
// inside an array, so that places keep their meaning). Text that is not UTF-8 gets replacement
// characters. docs/output-format.md lists the keys.
#pragma once

#include "record/record.h"

#include <string>

namespace linerate {

// Each with its line end, and no other.
std::string json_line(const RunInfo& run);
std::string json_line(const Record& record);
std::string json_line(const EndInfo& end);

}  // namespace linerate
