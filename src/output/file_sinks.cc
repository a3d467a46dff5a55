// CSV is a table of columns: name and cell.
#include "output/file_sinks.h"

#include "base/error.h"
#include "record/json_io.h"
#include "record/json_lines.h"
#include "record/verdict.h"

#include <fmt/format.h>

#include <array>
#include <cmath>

namespace linerate {
namespace {

// One column: its name, and its cell.
struct Column {
  std::string_view name;
  std::string (*cell)(const Record& record);
};

std::string number(double value) {
  return std::isfinite(value) ? fmt::to_string(json::rounded(value)) : "";
}

// A member of the samples; empty where there are none.
template <auto Value>
std::string sample(const Record& record) {
  return record.samples ? number(static_cast<double>(Value(*record.samples))) : "";
}

template <double stats::Summary::*Member>
std::string summary(const Record& record) {
  return record.samples ? number(record.samples->us.*Member) : "";
}

// What the result is held against; empty where nobody can tell.
template <auto Text>
std::string expected(const Record& record) {
  return record.expected ? Text(record) : "";
}

std::string verdict(const Record& record) {
  return std::isfinite(efficiency(record)) ? std::string(name_of(verdict_of(record))) : "";
}

using S = stats::Summary;

// The order is documented: new columns are added at the end.
constexpr std::array kColumns{
    Column{"run_id", [](const Record& r) { return r.run_id; }},
    Column{"timestamp", [](const Record& r) { return r.timestamp; }},
    Column{"collective", [](const Record& r) { return r.what.collective; }},
    Column{"type", [](const Record& r) { return r.what.type; }},
    Column{"redop", [](const Record& r) { return r.what.redop; }},
    Column{"root", [](const Record& r) { return fmt::to_string(r.what.root); }},
    Column{"placement", [](const Record& r) { return std::string(name_of(r.what.placement)); }},
    Column{"bytes", [](const Record& r) { return fmt::to_string(r.what.bytes); }},
    Column{"count", [](const Record& r) { return fmt::to_string(r.what.count); }},
    Column{"group", [](const Record& r) { return fmt::to_string(r.group); }},
    Column{"nranks", [](const Record& r) { return fmt::to_string(r.nranks); }},
    Column{"nnodes", [](const Record& r) { return fmt::to_string(r.nnodes); }},
    Column{"backend", [](const Record& r) { return r.backend; }},
    Column{"backend_version", [](const Record& r) { return r.backend_version; }},
    Column{"transport", [](const Record& r) { return r.transport; }},
    Column{"iters", [](const Record& r) { return fmt::to_string(r.window.iters); }},
    Column{"agg", [](const Record& r) { return fmt::to_string(r.window.agg); }},
    Column{"time_us", [](const Record& r) { return number(r.window.time_us); }},
    Column{"cpu_us",
           [](const Record& r) { return r.window.cpu_us ? number(*r.window.cpu_us) : ""; }},
    Column{"algbw_gbps", [](const Record& r) { return number(r.algbw_gbps); }},
    Column{"busbw_gbps", [](const Record& r) { return number(r.busbw_gbps); }},
    Column{"samples", sample<[](const SampleInfo& s) { return s.us.n; }>},
    Column{"batch", sample<[](const SampleInfo& s) { return s.batch; }>},
    Column{"min_us", summary<&S::min>},
    Column{"median_us", summary<&S::median>},
    Column{"mean_us", summary<&S::mean>},
    Column{"p95_us", summary<&S::p95>},
    Column{"p99_us", summary<&S::p99>},
    Column{"max_us", summary<&S::max>},
    Column{"cv", summary<&S::cv>},
    Column{"ci95_low_us", summary<&S::ci95_low>},
    Column{"ci95_high_us", summary<&S::ci95_high>},
    Column{"arrival_skew_us",
           sample<[](const SampleInfo& s) { return s.arrival_skew_us.value_or(NAN); }>},
    Column{"exit_skew_us",
           sample<[](const SampleInfo& s) { return s.exit_skew_us.value_or(NAN); }>},
    Column{"wrong", [](const Record& r) { return r.wrong ? fmt::to_string(*r.wrong) : ""; }},
    Column{"source", [](const Record& r) { return r.pair ? fmt::to_string(r.pair->first) : ""; }},
    Column{"dest", [](const Record& r) { return r.pair ? fmt::to_string(r.pair->second) : ""; }},
    Column{"expected_busbw_gbps",
           expected<[](const Record& r) { return number(r.expected->busbw_gbps); }>},
    Column{"bound_by", expected<[](const Record& r) { return r.expected->bound_by; }>},
    Column{"efficiency", expected<[](const Record& r) { return number(efficiency(r)); }>},
    Column{"verdict", expected<verdict>},
    Column{"algorithm", [](const Record& r) { return r.call.algorithm; }},
    Column{"protocol", [](const Record& r) { return r.call.protocol; }},
    Column{
        "channels",
        [](const Record& r) { return r.call.channels > 0 ? fmt::to_string(r.call.channels) : ""; }},
    Column{"expected_low_gbps",
           expected<[](const Record& r) { return number(r.expected->low_gbps); }>},
    Column{"expected_high_gbps",
           expected<[](const Record& r) { return number(r.expected->high_gbps); }>},
    Column{"ncclmodel_busbw_gbps", expected<[](const Record& r) {
             return number(r.expected->ncclmodel_busbw_gbps.value_or(NAN));
           }>},
    Column{"slack", expected<[](const Record& r) { return number(r.expected->slack); }>},
    Column{
        "touched_bytes",
        [](const Record& r) { return r.touched_bytes > 0 ? fmt::to_string(r.touched_bytes) : ""; }},
    Column{"last_to_last_us",
           sample<[](const SampleInfo& s) { return s.last_to_last_us.value_or(NAN); }>},
};

template <typename CellOf>
std::string line_of(CellOf cell_of) {
  std::string line;
  for (const auto& column : kColumns) {
    if (&column != kColumns.data()) line += ',';
    line += csv_cell(cell_of(column));
  }
  return line + '\n';
}

Failure foreign(const std::string& path) {
  return Failure{fmt::format(
      "'{}' holds something else than whole lines of linerate's CSV: choose another file.", path)};
}

}  // namespace

std::string csv_heading() {
  return line_of([](const Column& column) { return column.name; });
}

std::string csv_line(const Record& record) {
  return line_of([&](const Column& column) { return column.cell(record); });
}

std::string csv_cell(std::string_view text) {
  if (text.find_first_of(",\"\r\n") == std::string_view::npos) return std::string(text);
  std::string quoted = "\"";
  for (const char c : text) quoted.append(c == '"' ? 2 : 1, c);
  return quoted + '"';
}

Result<TextFile> open_json_lines(const std::string& path,
                                 const std::function<bool()>& interrupted) {
  auto file = TextFile::append(path, interrupted);
  if (!file) return file.failure();
  if (const auto first = file->beginning(1); !first.empty() && first != "{")
    return Failure{
        fmt::format("'{}' holds something else than JSON Lines: choose another file.", path)};
  if (!file->ends_with_line())
    return Failure{fmt::format(
        "'{}' ends in the middle of a line: remove that line, or choose another file.", path)};
  return file;
}

Result<std::unique_ptr<JsonlSink>> JsonlSink::open(const std::string& path,
                                                   const std::function<bool()>& interrupted) {
  auto file = open_json_lines(path, interrupted);
  if (!file) return file.failure();
  return std::make_unique<JsonlSink>(*std::move(file));
}

void JsonlSink::begin(const RunInfo& run) { out_.write(json_line(run)); }

void JsonlSink::result(const Record& record) { out_.write(json_line(record)); }

void JsonlSink::end(const EndInfo& end) {
  for (const auto& health : end.health) out_.write(json_line(health));
  for (const auto& finding : end.findings) out_.write(json_line(finding));
  out_.write(json_line(end));
}

Result<std::unique_ptr<CsvSink>> CsvSink::open(const std::string& path,
                                               const std::function<bool()>& interrupted) {
  auto file = TextFile::append(path, interrupted);
  if (!file) return file.failure();
  const auto heading = csv_heading();
  const auto beginning = file->beginning(heading.size());
  if ((!beginning.empty() && beginning != heading) || !file->ends_with_line()) return foreign(path);
  return std::make_unique<CsvSink>(*std::move(file));
}

void CsvSink::begin(const RunInfo&) {
  const auto heading = csv_heading();
  out_.exclusively([&] {
    const auto beginning = out_.beginning(heading.size());
    if (beginning.empty()) return out_.write(heading);
    // Another run has begun the file since it was opened.
    if (beginning != heading) throw Error(foreign(out_.path()).sentence, ExitCode::usage);
  });
}

void CsvSink::result(const Record& record) { out_.write(csv_line(record)); }

}  // namespace linerate
