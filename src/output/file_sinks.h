// Results in files: JSON Lines for programs, CSV for spreadsheets; a line per group and placement,
// each written whole and at once.
#pragma once

#include "output/sink.h"
#include "output/text_file.h"

#include <functional>
#include <memory>
#include <string>
#include <string_view>

namespace linerate {

// Appends: runs that share a file are told apart by their run_id. Refuses a file of something else,
// and one that ends within a line, because the next line would be lost with it. `interrupted`: see
// TextFile::append().
Result<TextFile> open_json_lines(const std::string& path,
                                 const std::function<bool()>& interrupted = {});

class JsonlSink final : public Sink {
 public:
  // Of open_json_lines().
  static Result<std::unique_ptr<JsonlSink>> open(const std::string& path,
                                                 const std::function<bool()>& interrupted = {});
  explicit JsonlSink(TextFile out) : out_(std::move(out)) {}

  void begin(const RunInfo& run) override;
  void result(const Record& record) override;
  void end(const EndInfo& end) override;

 private:
  TextFile out_;
};

// The columns, in order, with their line end. A value that does not exist is an empty cell. Cells
// with a comma, a quote or a line end are quoted (RFC 4180); lines end in a line feed alone.
std::string csv_heading();
std::string csv_line(const Record& record);
// One cell as it stands in a line.
std::string csv_cell(std::string_view text);

class CsvSink final : public Sink {
 public:
  // Appends; refuses a file with another first line.
  static Result<std::unique_ptr<CsvSink>> open(const std::string& path,
                                               const std::function<bool()>& interrupted = {});
  explicit CsvSink(TextFile out) : out_(std::move(out)) {}

  // The first of all runs that share a new file writes the heading, also where they begin at once.
  void begin(const RunInfo& run) override;
  void result(const Record& record) override;
  void end(const EndInfo&) override {}

 private:
  TextFile out_;
};

}  // namespace linerate
