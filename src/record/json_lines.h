// What a run says of itself, as JSON Lines: one compact object a line, and the way back.
//
//   record.h       the values: RunInfo, Record, EndInfo, and what they hold
//   fields.h       which key each member has, once for writing and reading
//   json_io.h      the writer and the reader of one object
//   json_lines     value to line
//   jsonl_reader   text to values, or a sentence
//   verdict.h      what a result says when it is held against its expectation
//
// The unit is in the key; a value that does not exist, or is no finite number, is absent (null
// inside an array, so that places keep their meaning). Text that is not UTF-8 gets replacement
// characters. docs/output-format.md lists the keys.
#pragma once

#include "record/record.h"

#include <string>

namespace linerate {

// Each with its line end, and no other. By value: numbers per rank or node are condensed where
// there are many.
std::string json_line(RunInfo run);
std::string json_line(Record record);
std::string json_line(const Finding& finding);
std::string json_line(EndInfo end);

}  // namespace linerate
