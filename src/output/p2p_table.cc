#include "output/p2p_table.h"

#include "output/matrix.h"
#include "output/table_text.h"

#include <fmt/format.h>

#include <utility>

namespace linerate {
namespace {

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
    verdicts_.add(record);
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
  auto text = text_of(
      {"p2p_latency",
       fmt::format("Latency, half a round trip of {} bytes", bytes_of("p2p_latency")), "us"});
  text +=
      text_of({"p2p_unidirectional",
               fmt::format("One way, {} bytes from row to column", bytes_of("p2p_unidirectional")),
               "GB/s"});
  text += text_of({"p2p_bidirectional",
                   fmt::format("Both ways at once, {} bytes each, sum of both directions",
                               bytes_of("p2p_bidirectional")),
                   "GB/s"});
  text += fmt::format("# Out of bounds values : {} {}\n", end.failed_checks,
                      end.failed_checks == 0 ? "OK" : "FAILED");
  if (options_.report_init && end.comm_times) text += comm_times_line(*end.comm_times);
  if (end.error) text += fmt::format("# error: {}\n", *end.error);
  out_.write(text + verdicts_.lines(options_.lists_verdicts, end));
}

std::string P2pTable::text_of(const Heading& heading) {
  Matrix matrix{.title = fmt::format("{} ({})", heading.title, heading.unit),
                .corner = "rank",
                .unit = heading.unit,
                .cells = matrices_[heading.collective]};
  for (int rank = 0; rank < nranks_; ++rank) matrix.rows.push_back(fmt::to_string(rank));
  matrix.columns = matrix.rows;
  return matrix_text(matrix) + extremes_text(matrix);
}

}  // namespace linerate
