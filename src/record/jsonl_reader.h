// Reads JSON Lines back: any text in, records or one sentence out.
#pragma once

#include "base/result.h"
#include "record/record.h"

#include <cstddef>
#include <string_view>
#include <vector>

namespace linerate {

// Beyond these a text is refused, so that a wrong or hostile file costs a sentence, not the memory.
struct ReaderLimits {
  std::size_t line_bytes = std::size_t{64} << 20;  // a million raw samples fit
  std::size_t lines = 10'000'000;
  std::size_t depth = 16;  // nested objects and arrays
  std::size_t keys = 256;  // of one object
};

// What a file holds, each kind in the order of its lines. Several runs may share a file: run_id
// says what belongs together.
struct RunFile {
  std::vector<RunInfo> runs{};
  std::vector<Record> records{};
  std::vector<Finding> findings{};
  std::vector<EndInfo> ends{};
  std::size_t unknown_lines = 0;  // of kinds that this version does not know
  bool torn = false;              // the last line was cut (a killed run) and left out
};

// Unknown kinds and keys are passed over, absent keys keep their defaults. Refused, with the number
// of the line: text that is no JSON object with a kind (but for a last line without line end, which
// is torn), a known key with a value of another type, and a newer schema.
Result<RunFile> read_jsonl(std::string_view text, const ReaderLimits& limits = {});

}  // namespace linerate
