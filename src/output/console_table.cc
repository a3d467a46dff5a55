// See console_table.h.
#include "output/console_table.h"

#include "output/call_text.h"
#include "output/table_text.h"

#include <utility>

namespace linerate {

ConsoleTable::ConsoleTable(TextFile out, TableOptions options)
    : out_(std::move(out)), options_(std::move(options)) {}

void ConsoleTable::begin(const RunInfo& run) {
  program_ = run.program;
  begun_ = true;
  out_.write(table_heading(run, options_));
}

void ConsoleTable::row(std::span<const Record> table) {
  std::string text;
  if (options_.show_algorithms) {
    auto line = call_line(table);
    if (line != call_line_) text = line;
    call_line_ = std::move(line);
  }
  out_.write(text + table_row(table, options_));
}

void ConsoleTable::end(const EndInfo& end) {
  if (begun_) out_.write(table_footer(end, program_, options_));
}

}  // namespace linerate
