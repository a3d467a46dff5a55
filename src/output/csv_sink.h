// CSV for spreadsheets: one heading, one line per group and placement.
#pragma once

#include "output/sink.h"
#include "output/text_file.h"

#include <memory>
#include <string>
#include <string_view>

namespace linerate {

// The columns, in order, with their line end. A value that does not exist is an empty cell. Cells
// with a comma, a quote or a line end are quoted (RFC 4180); lines end in a line feed alone.
std::string csv_heading();
std::string csv_line(const Record& record);
// One cell as it stands in a line.
std::string csv_cell(std::string_view text);

class CsvSink final : public Sink {
 public:
  // Appends, below the heading that is there or a new one; refuses a file with another first line.
  static Result<std::unique_ptr<CsvSink>> open(const std::string& path);
  CsvSink(TextFile out, bool heading);

  void begin(const RunInfo& run) override;
  void result(const Record& record) override;
  void end(const EndInfo& end) override;

 private:
  TextFile out_;
  bool heading_;  // to be written
};

}  // namespace linerate
