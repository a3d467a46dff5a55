// Rows are table_text's; this decides when each is printed. Values between ranks are laid out as
// matrices.
#include "output/console_table.h"

#include "output/health_text.h"
#include "output/table_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <cassert>
#include <numeric>
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

constexpr std::size_t kCell = 9;   // characters of a column, blank included
constexpr std::size_t kLabel = 5;  // of a row's name, at least

std::size_t label_width(const Matrix& matrix) {
  std::size_t width = std::max(kLabel, matrix.corner.size() + 1);
  for (const auto& row : matrix.rows) width = std::max(width, row.size());
  return width;
}

bool is_latency(const Record& record) { return record.what.collective == "p2p_latency"; }
bool is_one_way(const Record& record) { return record.what.collective == "p2p_unidirectional"; }

}  // namespace

ConsoleTable::ConsoleTable(TextFile out, TableOptions options)
    : out_(std::move(out)), options_(std::move(options)) {}

void ConsoleTable::begin(const RunInfo& run) {
  program_ = run.program;
  begun_ = true;
  out_.write(table_heading(run, options_));
}

void ConsoleTable::row(std::span<const Record> table) {
  for (const auto& record : table) {
    verdicts_.add(record);
    if (!options_.skew.empty()) skewed_ += skew_line(record);
    if (!options_.beside.empty()) beside_ += beside_line(record);
    if (record.beside) measured_ = *record.beside;
  }
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
  if (!skewed_.empty()) out_.write(skew_heading(options_.skew) + skewed_);
  if (!beside_.empty()) {
    const auto& load = measured_.load.empty() ? options_.beside : measured_.load;
    const auto type = measured_.products.value_or(ProductInfo{}).type;
    out_.write(beside_heading(load, type) + beside_);
  }
  out_.write(table_footer(end, program_, options_, verdicts));
}

std::string matrix_text(const Matrix& matrix) {
  const auto width = label_width(matrix);
  auto text = fmt::format("#\n# {}\n#{:>{}}", matrix.title, matrix.corner, width);
  for (const auto& column : matrix.columns) text += fmt::format("{:>{}}", column, kCell);
  text += "\n";
  for (std::size_t r = 0; r < matrix.rows.size(); ++r) {
    text += fmt::format(" {:>{}}", matrix.rows[r], width);
    for (std::size_t c = 0; c < matrix.columns.size(); ++c) {
      const auto cell = matrix.cells.find({static_cast<int>(r), static_cast<int>(c)});
      const auto value =
          cell == matrix.cells.end() ? std::string("N/A") : fmt::format("{:.2f}", cell->second);
      text += fmt::format("{:>{}}", value, kCell);
    }
    text += "\n";
  }
  return text;
}

std::string extremes_text(const Matrix& matrix) {
  if (matrix.cells.empty()) return {};
  const auto less = [](const auto& a, const auto& b) { return a.second < b.second; };
  const auto [low, high] = std::ranges::minmax_element(matrix.cells, less);
  const auto cell = [&](const auto& entry) {
    return fmt::format("{:.2f} {} ({}{}{})", entry.second, matrix.unit,
                       matrix.rows[static_cast<std::size_t>(entry.first.first)], matrix.joint,
                       matrix.columns[static_cast<std::size_t>(entry.first.second)]);
  };
  return fmt::format("# lowest {}, highest {}\n", cell(*low), cell(*high));
}

std::string sum_text(const Matrix& matrix) {
  if (matrix.cells.empty()) return {};
  const double sum = std::accumulate(matrix.cells.begin(), matrix.cells.end(), 0.0,
                                     [](double s, const auto& cell) { return s + cell.second; });
  return fmt::format("# sum {:.2f} {}\n", sum, matrix.unit);
}

void P2pTable::begin(const RunInfo& run) {
  nranks_ = run.nranks;
  const auto title = fmt::format("# linerate {}: {}, {} ranks{}\n", run.version, run.program,
                                 run.nranks, backend_text(run));
  out_.write(title + device_lines(run));
}

void P2pTable::row(std::span<const Record> table) {
  for (const auto& record : table) {
    if (!record.pair) continue;
    verdicts_.add(record);
    const auto [source, dest] = *record.pair;
    auto& [bytes, cells] = matrices_[record.what.collective];
    bytes = record.what.bytes;
    const double value = is_latency(record) ? record.window.time_us : record.busbw_gbps;
    cells[{source, dest}] = value;
    if (!is_one_way(record)) cells[{dest, source}] = value;  // the pair's own, in both cells
  }
}

void P2pTable::end(const EndInfo& end) {
  auto text = text_of("p2p_latency", "Latency, half a round trip of {} bytes", "us") +
              text_of("p2p_unidirectional", "One way, {} bytes from row to column", "GB/s") +
              text_of("p2p_bidirectional",
                      "Both ways at once, {} bytes each, sum of both directions", "GB/s");
  text += fmt::format("# Out of bounds values : {} {}\n", end.failed_checks,
                      end.failed_checks == 0 ? "OK" : "FAILED");
  if (options_.report_init && end.comm_times) text += comm_times_line(*end.comm_times);
  if (end.error) text += fmt::format("# error: {}\n", *end.error);
  out_.write(text + verdicts_.lines(options_.lists_verdicts, end) + health_lines(end));
}

std::string P2pTable::text_of(const char* collective, const char* title, const char* unit) {
  const auto& measured = matrices_[collective];
  const auto of_bytes = fmt::format(fmt::runtime(title), measured.bytes);
  Matrix matrix{.title = fmt::format("{} ({})", of_bytes, unit),
                .corner = "rank",
                .unit = unit,
                .cells = measured.cells};
  for (int rank = 0; rank < nranks_; ++rank) matrix.rows.push_back(fmt::to_string(rank));
  matrix.columns = matrix.rows;
  return matrix_text(matrix) + extremes_text(matrix);
}

}  // namespace linerate
