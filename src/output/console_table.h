// The table on stdout: heading, a row as soon as it is measured, footer.
#pragma once

#include "output/sink.h"
#include "output/table_options.h"
#include "output/text_file.h"
#include "output/verdict_text.h"

#include <string>
#include <vector>

namespace linerate {

class ConsoleTable final : public Sink {
 public:
  ConsoleTable(TextFile out, TableOptions options);

  // Each throws SystemError when stdout cannot be written, a closed pipe included.
  void begin(const RunInfo& run) override;
  void row(std::span<const Record> table) override;
  // Prints nothing where no heading was printed.
  void end(const EndInfo& end) override;

 private:
  TextFile out_;
  TableOptions options_;
  std::string program_;
  VerdictText verdicts_;
  std::string call_line_;  // that stands above the rows so far; empty: none
  bool begun_ = false;
};

}  // namespace linerate
