// What a run says of itself, as JSON Lines: one compact object a line, and the way back.
//
//   record.h       the values: RunInfo, Record, EndInfo, and what they hold
//   fields.h       which key each member has, once for writing and reading
//   json_io.h      the writer and the reader of one object
//   json_lines     value to line, and text to values, or a sentence
//   verdict.h      what a result says when it is held against its expectation
//
// The unit is in the key; a value that does not exist, or is no finite number, is absent (null
// inside an array, so that places keep their meaning). Text that is not UTF-8 gets replacement
// characters. docs/output-format.md lists the keys.
#pragma once

#include "base/result.h"
#include "record/record.h"

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace linerate {

// Each with its line end, and no other. By value: numbers per rank or node are condensed where
// there are many.
std::string json_line(RunInfo run);
std::string json_line(Record record);
std::string json_line(const Finding& finding);
std::string json_line(const NodeHealth& health);
std::string json_line(EndInfo end);

// Beyond these a text is refused, so that a wrong or hostile file costs a sentence, not the memory.
struct ReaderLimits {
  std::size_t line_bytes = std::size_t{64} << 20;  // a million raw samples fit
  std::size_t lines = 10'000'000;
  std::size_t depth = 16;  // nested objects and arrays
  std::size_t keys = 256;  // of one object
};

// Of another program's text: a line that begins like a row and cannot be read as one.
struct BadLine {
  std::size_t number = 0;  // from 1
  std::string text{};      // its beginning
};

// What a file holds, each kind in the order of its lines. Several runs may share a file: run_id
// says what belongs together.
struct RunFile {
  std::vector<RunInfo> runs{};
  std::vector<Record> records{};
  std::vector<Finding> findings{};
  std::vector<NodeHealth> health{};
  std::vector<EndInfo> ends{};
  std::size_t unknown_lines = 0;  // of kinds that this version does not know
  std::vector<BadLine> bad_lines{};
  bool torn = false;  // the last line was cut (a killed run) and left out
};

// Unknown kinds and keys are passed over, absent keys keep their defaults. Refused, with the number
// of the line: text that is no JSON object with a kind (but for a last line without line end, which
// is torn), a known key with a value of another type, and a newer schema.
Result<RunFile> read_jsonl(std::string_view text, const ReaderLimits& limits = {});

}  // namespace linerate
