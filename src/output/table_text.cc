#include "output/table_text.h"

#include "base/units.h"
#include "output/health_text.h"
#include "output/numbers.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cassert>
#include <set>
#include <string_view>
#include <utility>

namespace linerate {
namespace {

// The version of nccl-tests whose lines these are.
constexpr std::string_view kCompatible = "2.19.6";
constexpr std::string_view kNoBusId = "0000:00:00";  // of what is no GPU
constexpr int kTimeWidth = 7;
constexpr int kRateWidth = 6;

// The five columns before the placements. Headings begin with "#", rows with a blank whatever the
// size, because a parser knows rows by it.
std::string preamble(char first, const std::array<std::string, 5>& cells) {
  return fmt::format("{}{:>11}  {:>12}  {:>8}  {:>6}  {:>6}", first, cells[0], cells[1], cells[2],
                     cells[3], cells[4]);
}

std::string version_line(const RunInfo& run) {
  return fmt::format("# nccl-tests version {} compatible, linerate {}{}\n", kCompatible,
                     run.version, backend_text(run));
}

std::string parameter_line(const RunInfo& run, const TableOptions& o) {
  const bool factor = o.step_factor > 1;
  return fmt::format(
      "# nThread {} nGpus {} minBytes {} maxBytes {} step: {}({}) warmup iters: {} iters: {} "
      "agg iters: {} validation: {} graph: {} unalign: {}\n",
      run.nthreads, run.ngpus, o.min_bytes, o.max_bytes,
      factor ? static_cast<std::size_t>(o.step_factor) : o.step_bytes, factor ? "factor" : "bytes",
      o.warmup_iters, o.iters, o.agg_iters, o.check, o.graph, o.unalign);
}

// Lines that stand only where their option is used; each ends in a blank, as in nccl-tests.
std::string mode_lines(const TableOptions& o) {
  std::string lines;
  if (o.blocking == 1)
    lines += "# Blocking Enabled: wait and barrier after each inner iteration (-m) \n";
  if (o.blocking == 2)
    lines += "# Blocking Enabled: wait after each inner iteration (-m), no barrier \n";
  if (o.blocking == 3)
    lines +=
        "# Blocking Enabled: wait and barrier after each outer iteration (-n); time excludes "
        "barrier \n";
  if (o.per_iter) {
    lines += fmt::format("# Per-Iteration Report: {} timing; i_* uses max over process rows",
                         o.nccl_version > 0 ? "CUDA event" : "host clock");
    if (o.per_iter_skip > 0)
      lines += fmt::format("; summary skips first {} iterations", o.per_iter_skip);
    lines += " \n";
  }
  if (o.parallel_init)
    lines += "# Parallel Init Enabled: threads call into NcclInitRank concurrently \n";
  return lines;
}

std::string half_heading(const std::array<std::string_view, 8>& cells, bool per_iter) {
  auto half = fmt::format("  {:>7}  {:>6}  {:>6}  {:>6}", cells[0], cells[1], cells[2], cells[3]);
  if (per_iter)
    half += fmt::format("  {:>7}  {:>7}  {:>7}  {:>7}", cells[4], cells[5], cells[6], cells[7]);
  return half;
}

std::string column_lines(const TableOptions& o) {
  const int stamp_width = o.timestamps ? 19 : 0;
  const auto line = [&](const std::array<std::string, 5>& cells,
                        const std::array<std::string_view, 8>& half, std::string_view stamp) {
    const auto placement = half_heading(half, o.per_iter);
    return fmt::format("{}{}{} {:>{}}\n", preamble('#', cells), placement, placement,
                       o.timestamps ? stamp : "", stamp_width);
  };
  const std::string_view title =
      o.per_iter ? "              out-of-place (+ per-iteration)"
                   "                                in-place (+ per-iteration)"
                 : "           out-of-place                       in-place          ";
  return fmt::format("{}{}\n", preamble('#', {}), title) +
         line({"size", "count", "type", "redop", "root"},
              {o.cputime ? "cputime" : "time", "algbw", "busbw", "#wrong", "i_min", "i_max",
               "i_p99", "i_cv%"},
              "timestamp") +
         line({"(B)", "(elements)"},
              {"(us)", "(GB/s)", "(GB/s)", "", "(us)", "(us)", "(us)", "(%)"}, "%Y-%m-%d %H:%M:%S");
}

std::string per_iter_cells(const std::optional<SampleInfo>& samples) {
  constexpr double kPercent = 100;
  if (!samples) return fmt::format("  {:>7}  {:>7}  {:>7}  {:>7}", "N/A", "N/A", "N/A", "N/A");
  std::string cells;
  for (const double value :
       {samples->us.min, samples->us.max, samples->us.p99, samples->us.cv * kPercent})
    cells += "  " + fitted(value, kTimeWidth);
  return cells;
}

// `record` is null where the placement was not measured. N/A takes one character less than a
// number, as in nccl-tests.
std::string half_row(const Record* record, const TableOptions& o) {
  static const Record kNone;
  const Record& shown = record != nullptr ? *record : kNone;
  auto half =
      fmt::format("  {}  {}  {}", fitted(shown.window.shown_us(o.cputime), kTimeWidth),
                  fitted(shown.algbw_gbps, kRateWidth), fitted(shown.busbw_gbps, kRateWidth));
  half += shown.wrong ? fmt::format("  {:>6}", *shown.wrong) : "    N/A";
  if (o.per_iter) half += per_iter_cells(shown.samples);
  return half;
}

const Record* find_placement(std::span<const Record> records, Placement placement) {
  const auto at =
      std::ranges::find_if(records, [&](const Record& r) { return r.what.placement == placement; });
  return at == records.end() ? nullptr : &*at;
}

// Bandwidths of one rank of all_to_all_v: its own bytes, in the time of all.
std::string traffic_lines(const Record& record) {
  const auto& traffic = record.traffic_bytes;
  if (traffic.empty()) return {};
  const auto n = static_cast<double>(traffic.size());
  std::string text = "# NCCL_TESTS_ALLTOALLV_PRINT_SUMMARY:\n";
  for (std::size_t rank = 0; rank < traffic.size(); ++rank) {
    const auto [sent, received] = traffic[rank];
    const double gbps =
        gbps_of(static_cast<double>(std::max(sent, received)), record.window.time_us);
    text += fmt::format("#   rank={} send_bytes={} recv_bytes={} alg_bw={} bus_bw={}\n", rank, sent,
                        received, plain(gbps), plain(gbps * (n - 1) / n));
  }
  return text;
}

std::string memory_line(const EndInfo& end) {
  std::string amounts;
  std::uint64_t total = 0;
  for (const auto& [name, bytes] : end.memory_bytes) {
    amounts += fmt::format("{} {} | ", name, memory_text(bytes));
    total += bytes;
  }
  return fmt::format("# {:<20} : {}Total  {}\n", "GPU memory usage", amounts, memory_text(total));
}

// Ranks of one GPU take turns on it, which no measurement stands.
std::string sharing_line(const RunInfo& run) {
  std::set<std::pair<int, std::string>> gpus;
  std::size_t ranks = 0;
  for (const auto& rank : run.ranks) {
    if (rank.bus_id.empty() || rank.bus_id == kNoBusId) continue;
    gpus.emplace(rank.node, rank.bus_id);
    ++ranks;
  }
  if (gpus.size() == ranks) return {};
  return fmt::format(
      "# Oversubscribed: {} ranks share {} GPU{}, so that no figure is representative\n", ranks,
      gpus.size(), gpus.size() == 1 ? "" : "s");
}

// NCCL may take the call of -R and do nothing: the figures are then those of a run without it.
std::string registration_line(const TableOptions& o) {
  const int registered = o.registered_ranks.value_or(o.nranks);
  if (registered == o.nranks) return {};
  if (registered == 0)
    return fmt::format(
        "# {:<20} : no rank's buffers; NCCL took -R {} and did nothing "
        "(NCCL_DEBUG=INFO tells why)\n",
        "Registered", o.local_register);
  return fmt::format(
      "# {:<20} : the buffers of {} of {} ranks; for the rest NCCL took -R {} and did nothing "
      "(NCCL_DEBUG=INFO tells why)\n",
      "Registered", registered, o.nranks, o.local_register);
}

// A line of parsers' reserved words would be taken for a result, so such a text stays on stderr.
std::string error_line(const std::string& error) {
  constexpr std::array<std::string_view, 5> kReserved{"bandwidth", "FAILED", "out-of-place",
                                                      "in-place", "failure"};
  for (const auto word : kReserved)
    if (error.find(word) != std::string::npos) return "# error: see the messages on stderr\n";
  std::string one_line = error;
  std::ranges::replace(one_line, '\n', ' ');
  return fmt::format("# error: {}\n", one_line);
}

std::string slow_down_text(const SlowDown& slow) {
  if (!slow.low || !slow.high) return fmt::format("{:.2f}x", slow.ratio);
  return fmt::format("{:.2f}x ({:.2f} to {:.2f})", slow.ratio, *slow.low, *slow.high);
}

}  // namespace

std::string comm_times_line(const CommTimes& times) {
  auto text =
      fmt::format("# {:<20} : init {}", "Communicator times", microseconds_text(times.init_us));
  if (times.first_call_us)
    text += fmt::format(" | first call {}", microseconds_text(*times.first_call_us));
  if (times.destroy_us) text += fmt::format(" | destroy {}", microseconds_text(*times.destroy_us));
  return text + "\n";
}

std::string backend_text(const RunInfo& run) {
  std::string text;
  if (!run.backend.empty()) text += fmt::format(", {} backend", run.backend);
  if (!run.backend_version.empty()) text += fmt::format(" {}", run.backend_version);
  if (!run.transport.empty()) text += fmt::format(" over {}", run.transport);
  return text;
}

std::string device_lines(const RunInfo& run) {
  std::string lines = "# Using devices\n";
  for (const auto& rank : run.ranks)
    lines += fmt::format("#  Rank {:2} Group {:2} Pid {:6} on {:>10} device {:2} [{}] {}\n",
                         rank.rank, rank.group, rank.pid, rank.hostname, rank.device, rank.bus_id,
                         rank.device_name);
  return lines;
}

std::string table_heading(const RunInfo& run, const TableOptions& options) {
  std::string text;
  if (!options.json_path.empty())
    text += fmt::format("# Writing JSON output to {}\n", options.json_path);
  text += version_line(run);
  text += fmt::format("# Collective test starting: {}\n", run.program);
  text += parameter_line(run, options) + mode_lines(options) + "#\n" + device_lines(run);
  text += sharing_line(run);
  if (options.max_bytes_lowered)
    text +=
        fmt::format("#\n# Reducing maxBytes to {} due to memory limitation\n", options.max_bytes);
  return text + "#\n" + column_lines(options);
}

std::string table_row(std::span<const Record> records, const TableOptions& options) {
  assert(!records.empty());
  const CaseInfo& what = records.front().what;
  auto row = preamble(' ', {fmt::to_string(what.bytes), fmt::to_string(what.count), what.type,
                            what.redop.empty() ? "none" : what.redop, fmt::to_string(what.root)});
  row += half_row(find_placement(records, Placement::out_of_place), options);
  row += half_row(find_placement(records, Placement::in_place), options);
  if (options.timestamps) row += fmt::format("{:>21}", local_text_of(records.back().timestamp));
  return row + '\n' + traffic_lines(records.front());
}

std::string skew_heading(const std::string& skew) {
  return fmt::format(
      "#\n# Under --skew {}, medians of samples, in us: how far apart the ranks came, the call of "
      "the\n# rank that was in it longest, and how long it took once all had come.\n"
      "#{:>13} {:>13} {:>13} {:>13} {:>13} {:>13}\n",
      skew, "size", "placement", "apart", "longest call", "all there", "without skew");
}

std::string skew_line(const Record& record) {
  if (!record.samples || !record.samples->last_to_last_us) return {};
  const auto& samples = *record.samples;
  return fmt::format("#{:>13} {:>13} {:>13.2f} {:>13.2f} {:>13.2f} {:>13.2f}\n", record.what.bytes,
                     name_of(record.what.placement), samples.arrival_skew_us.value_or(0),
                     samples.us.median, *samples.last_to_last_us, record.window.time_us);
}

std::string beside_heading(const std::string& load, const std::string& product_type) {
  auto text = fmt::format(
      "#\n# Beside {}: medians in us of the collective's calls and of the load's units, each alone "
      "and\n# both at once, and how many times as long they took (95 % interval).",
      load);
  std::string last = "slow-down";
  if (!product_type.empty()) {
    text += fmt::format(" A unit is a product of {} matrices.", product_type);
    last = fmt::format("{:<21} {:>11} {:>11}", last, "TFLOP/s", "with calls");
  }
  return text + fmt::format("\n#{:>13} {:>13} {:>11} {:>11}  {:<21} {:>11} {:>11}  {}\n", "size",
                            "placement", "call alone", "with load", "slow-down", "load alone",
                            "with calls", last);
}

std::string beside_line(const Record& record) {
  if (!record.beside)
    return fmt::format("#{:>13} {:>13}  not measured\n", record.what.bytes,
                       name_of(record.what.placement));
  const auto &call = record.beside->call, &unit = record.beside->unit;
  auto last = slow_down_text(unit);
  if (const auto& products = record.beside->products)
    last = fmt::format("{:<21} {:>11.3f} {:>11.3f}", last, products->alone_tflops,
                       products->beside_tflops);
  return fmt::format("#{:>13} {:>13} {:>11.2f} {:>11.2f}  {:<21} {:>11.2f} {:>11.2f}  {}\n",
                     record.what.bytes, name_of(record.what.placement), call.alone_us,
                     call.beside_us, slow_down_text(call), unit.alone_us, unit.beside_us, last);
}

std::string table_footer(const EndInfo& end, const std::string& program,
                         const TableOptions& options, const std::string& verdicts) {
  const double average = end.average_busbw_gbps.value_or(0);
  std::string_view verdict;
  if (options.min_bw_gbps) verdict = fast_enough(average, *options.min_bw_gbps) ? "OK" : "FAILED";
  auto text = fmt::format("# {:<20} : {} {}\n", "Out of bounds values", end.failed_checks,
                          clean(end) ? "OK" : "FAILED");
  text += fmt::format("# {:<20} : {} {}\n", "Avg bus bandwidth", plain(average), verdict);
  text += fmt::format("#\n# Collective test concluded: {}\n", program);
  if (!end.memory_bytes.empty()) text += memory_line(end);
  if (options.report_init && end.comm_times) text += comm_times_line(*end.comm_times);
  text += registration_line(options) + verdicts + health_lines(end) + "#\n";
  return text + (end.error ? error_line(*end.error) : "\n");
}

}  // namespace linerate
