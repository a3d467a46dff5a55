// The text of nccl-tests 2.19.6's table, byte for byte, as pure functions.
//
// Eight public parsers read it: 13 tokens a row, raw byte sizes, plain decimals, and every other
// line begins with '#'. The two differences: no number takes an exponent, and the version line
// names linerate. docs/output-format.md shows each line.
#pragma once

#include "output/table_options.h"
#include "record/record.h"

#include <span>
#include <string>

namespace linerate {

// Everything before the first row.
std::string table_heading(const RunInfo& run, const TableOptions& options);

// ", host backend over shared memory": backend, its version and transport, as far as they exist.
std::string backend_text(const RunInfo& run);

// "# Using devices" and a line for each rank.
std::string device_lines(const RunInfo& run);

// "# Communicator times : init …" (--report-init).
std::string comm_times_line(const CommTimes& times);

// One row: `records` holds one or two records of one size, out of place first. A placement that was
// not measured shows zeros and N/A, so that the row keeps its 13 tokens. A `#` line for each rank
// follows where its traffic is listed. REQUIRES: not empty.
std::string table_row(std::span<const Record> records, const TableOptions& options);

// Everything after the last row. An average of nothing is 0. `verdicts`: lines of VerdictText.
std::string table_footer(const EndInfo& end, const std::string& program,
                         const TableOptions& options, const std::string& verdicts = {});

}  // namespace linerate
