// Texts are table_text's; this decides when each is printed.
#include "output/console_table.h"

#include "output/table_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <cassert>
#include <utility>

namespace linerate {
namespace {

// "RING, SIMPLE, 16 channels", as far as known; "unknown" where nothing is, with the reason where
// it was told and lost.
std::string call_text(const CallFacts& call) {
  if (call.lost) return "unknown, because recording it failed";
  std::vector<std::string> words;
  for (const auto& word : {call.algorithm, call.protocol})
    if (!word.empty()) words.push_back(word);
  if (call.channels > 0)
    words.push_back(fmt::format("{} channel{}", call.channels, call.channels == 1 ? "" : "s"));
  return words.empty() ? "unknown" : fmt::format("{}", fmt::join(words, ", "));
}

// The `#` line above a row: what its placements have in common, or each of them.
// REQUIRES: not empty.
std::string call_line(std::span<const Record> row) {
  assert(!row.empty());
  const auto& first = row.front().call;
  if (std::ranges::all_of(row, [&](const Record& record) { return record.call == first; }))
    return fmt::format("# algo: {}\n", call_text(first));
  std::vector<std::string> parts;
  for (const Record& record : row)
    parts.push_back(fmt::format("{} {}", name_of(record.what.placement), call_text(record.call)));
  return fmt::format("# algo: {}\n", fmt::join(parts, "; "));
}

}  // namespace

ConsoleTable::ConsoleTable(TextFile out, TableOptions options)
    : out_(std::move(out)), options_(std::move(options)) {}

void ConsoleTable::begin(const RunInfo& run) {
  program_ = run.program;
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
  const auto verdicts = verdicts_.lines(options_.lists_verdicts, end);
  out_.write(table_footer(end, program_, options_, verdicts));
}

}  // namespace linerate
