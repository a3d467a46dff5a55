// See p2p_table.h.
#include "output/p2p_table.h"

#include "output/table_text.h"

#include <fmt/format.h>

#include <algorithm>

namespace linerate {
namespace {

constexpr int kCell = 9;  // characters of a column, blank included

bool is_latency(const Record& record) { return record.what.collective == "p2p_latency"; }
bool is_one_way(const Record& record) { return record.what.collective == "p2p_unidirectional"; }

}  // namespace

void P2pTable::begin(const RunInfo& run) {
  nranks_ = run.nranks;
  const auto title = fmt::format("# linerate {}: {}, {} ranks{}\n", run.version, run.program,
                                 run.nranks, backend_text(run));
  out_.write(title + device_lines(run));
}

void P2pTable::row(std::span<const Record> table) {
  for (const auto& record : table) {
    if (!record.pair) continue;
    const auto [source, dest] = *record.pair;
    auto& matrix = matrices_[record.what.collective];
    bytes_[record.what.collective] = record.what.bytes;
    const double value = is_latency(record) ? record.window.time_us : record.busbw_gbps;
    matrix[{source, dest}] = value;
    if (!is_one_way(record)) matrix[{dest, source}] = value;  // the pair's own, in both cells
  }
}

void P2pTable::end(const EndInfo& end) {
  const auto bytes_of = [&](const char* name) { return bytes_[name]; };
  auto text = matrix_text(
      {"p2p_latency",
       fmt::format("Latency, half a round trip of {} bytes", bytes_of("p2p_latency")), "us"});
  text += matrix_text(
      {"p2p_unidirectional",
       fmt::format("One way, {} bytes from row to column", bytes_of("p2p_unidirectional")),
       "GB/s"});
  text += matrix_text({"p2p_bidirectional",
                       fmt::format("Both ways at once, {} bytes each, sum of both directions",
                                   bytes_of("p2p_bidirectional")),
                       "GB/s"});
  text += fmt::format("# Out of bounds values : {} {}\n", end.failed_checks,
                      end.failed_checks == 0 ? "OK" : "FAILED");
  if (options_.report_init && end.comm_times) text += comm_times_line(*end.comm_times);
  if (end.error) text += fmt::format("# error: {}\n", *end.error);
  out_.write(text);
}

std::string P2pTable::matrix_text(const Heading& heading) {
  const auto& matrix = matrices_[heading.collective];
  auto text = fmt::format("#\n# {} ({})\n# rank", heading.title, heading.unit);
  for (int dest = 0; dest < nranks_; ++dest) text += fmt::format("{:>{}}", dest, kCell);
  text += "\n";
  for (int source = 0; source < nranks_; ++source) {
    text += fmt::format(" {:>5}", source);
    for (int dest = 0; dest < nranks_; ++dest) {
      const auto cell = matrix.find({source, dest});
      const auto value =
          cell == matrix.end() ? std::string("N/A") : fmt::format("{:.2f}", cell->second);
      text += fmt::format("{:>{}}", value, kCell);
    }
    text += "\n";
  }
  return text + extremes_text(matrix, heading.unit);
}

std::string P2pTable::extremes_text(const Matrix& matrix, const char* unit) {
  if (matrix.empty()) return {};
  const auto less = [](const auto& a, const auto& b) { return a.second < b.second; };
  const auto [low, high] = std::minmax_element(matrix.begin(), matrix.end(), less);
  const auto cell = [&](const auto& entry) {
    return fmt::format("{:.2f} {} ({} -> {})", entry.second, unit, entry.first.first,
                       entry.first.second);
  };
  return fmt::format("# lowest {}, highest {}\n", cell(*low), cell(*high));
}

}  // namespace linerate
