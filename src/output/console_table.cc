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
  before_ = {.memory = run.memory, .network = run.network};
  begun_ = true;
  out_.write(table_heading(run, options_));
}

void ConsoleTable::row(std::span<const Record> table) {
  for (const auto& record : table) verdicts_.add(record);
  std::string text;
  if (options_.show_algorithms) {
    auto line = call_line(table);
    if (line != call_line_) text = line;
    call_line_ = std::move(line);
  }
  out_.write(text + table_row(table, options_));
}

void ConsoleTable::end(const EndInfo& end) {
  if (!begun_) return;
  const auto verdicts = verdicts_.lines(options_.lists_verdicts, before_, end);
  out_.write(table_footer(end, program_, options_, verdicts));
}

}  // namespace linerate
