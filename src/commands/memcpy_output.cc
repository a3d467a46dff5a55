// Files get a line per cell, stdout a matrix per test.
#include "commands/memcpy_output.h"

#include "base/log.h"
#include "base/units.h"
#include "commands/outputs.h"
#include "commands/watched_health.h"
#include "output/console_table.h"
#include "output/health_text.h"

#include <fmt/format.h>

#include <chrono>
#include <cmath>
#include <set>
#include <utility>

namespace linerate {
namespace {

std::string heading(const RunInfo& run) {
  const auto version =
      run.backend_version.empty() ? std::string() : fmt::format(", {}", run.backend_version);
  auto text = fmt::format("# linerate {}: {}, {} backend{}\n", run.version, run.program,
                          run.backend, version);
  for (const auto& gpu : run.ranks)
    text += fmt::format("#  GPU {:>2} [{}] {}\n", gpu.device, gpu.bus_id, gpu.device_name);
  if (run.ranks.empty()) text += fmt::format("#  host memory ({})\n", run.cpu_model);
  return text;
}

}  // namespace

std::string memcpy_matrix_text(const CopyPlan& plan, const std::map<CopyCell, double>& cells,
                               const CopyRepeat& repeat) {
  const CopyTest& test = *plan.test;
  const Matrix matrix{.title = fmt::format("{}: {}, {} bytes, median of {} (GB/s)", test.name,
                                           summary_of(test), repeat.bytes, repeat.iters),
                      .corner = test.kind->needs_gpu() ? "GPU" : "",
                      .unit = "GB/s",
                      .joint = ", ",
                      .rows = plan.rows,
                      .columns = plan.columns,
                      .cells = cells};
  auto text =
      plan.measurements.empty() ? fmt::format("#\n# {}\n", matrix.title) : matrix_text(matrix);
  text += sum_text(matrix) + extremes_text(matrix);
  for (const auto& remark : plan.remarks) text += fmt::format("# {}\n", remark);
  return text;
}

Result<std::unique_ptr<MemcpyOutput>> MemcpyOutput::open(const RunConfig& config,
                                                         const std::function<bool()>& interrupted) {
  std::unique_ptr<MemcpyOutput> output(new MemcpyOutput(config));
  if (auto failure = add_record_files(config, interrupted, output->files_)) return *failure;
  return output;
}

// Streams at once take the time of one where each has a way of its own, and that of all one after
// the other where they share it: what is planned lies in the middle.
std::vector<Piece> pieces_of(std::span<const CopyPlan> plans, const CopyRepeat& repeat) {
  constexpr double kBuffers = 2, kPasses = 3;  // both are filled, and the target is compared
  std::vector<Piece> pieces;
  for (std::size_t kind = 0; kind < plans.size(); ++kind)
    for (const auto& measurement : plans[kind].measurements) {
      const auto& streams = measurement.streams;
      const std::set<CopyCell> cells(measurement.cell_of.begin(), measurement.cell_of.end());
      const double bytes =
          static_cast<double>(repeat.bytes) * std::sqrt(static_cast<double>(streams.size()));
      pieces.push_back({.kind = static_cast<int>(kind),
                        .calls = static_cast<double>(repeat.iters + repeat.warmup_iters),
                        .bytes = bytes * static_cast<double>(rounds_for(repeat.bytes, streams)),
                        .data_bytes = bytes * (repeat.check ? kPasses : kBuffers),
                        .results = static_cast<int>(cells.size())});
    }
  return pieces;
}

void tell_stage(CopyStage stage, Progress& line) {
  line.now(stage == CopyStage::sample ? Doing::calls : Doing::data, 1);
}

void MemcpyOutput::begin(const RunInfo& run, const std::optional<std::string>& note,
                         std::span<const CopyPlan> plans, const CopyRepeat& repeat) {
  run_id_ = run.run_id;
  files_.begin(run);
  out_.write(heading(run) + (note ? fmt::format("# {}\n", *note) : std::string()));
  progress_.line().plan(0, {{.pieces = pieces_of(plans, repeat)}});
  progress_.start();
}

MemcpyEvents MemcpyOutput::events(const CopyRepeat& repeat, std::function<bool()> interrupted) {
  return {.stage = [this](CopyStage stage) { tell_stage(stage, progress_.line()); },
          .result =
              [this](Record record) {
                failed_checks_ += record.wrong.value_or(0) > 0 ? 1 : 0;
                record.timestamp = utc_text(std::chrono::system_clock::now());
                files_.result(record);
                progress_.line().done();
              },
          .matrix =
              [this, &repeat](const CopyPlan& plan, const auto& cells) {
                const auto text = memcpy_matrix_text(plan, cells, repeat);
                progress_.aside([&] { out_.write(text); });
              },
          .warn = [this](const std::string& sentence) { progress_.aside([&] { say(sentence); }); },
          .interrupted = std::move(interrupted)};
}

EndInfo MemcpyOutput::end_info(ExitCode exit_code, const std::optional<std::string>& error) const {
  return {.run_id = run_id_,
          .end_time = utc_text(std::chrono::system_clock::now()),
          .exit_code = static_cast<int>(exit_code),
          .failed_checks = failed_checks_,
          .error = error};
}

void MemcpyOutput::end_unbegun(const RunInfo& program, const Error& error) {
  if (!run_id_.empty()) return;
  run_id_ = program.run_id;
  files_.begin(program);
  files_.end(end_info(error.exit_code(), error.what()));
}

void MemcpyOutput::end(ExitCode exit_code, const std::optional<std::string>& error,
                       std::vector<NodeHealth> health) {
  progress_.end();
  auto end = end_info(exit_code, error);
  add_health(std::move(health), end);
  files_.end(end);
  auto text = fmt::format("#\n# Out of bounds values : {} {}\n", end.failed_checks,
                          clean(end) ? "OK" : "FAILED");
  if (error) text += fmt::format("# error: {}\n", *error);
  out_.write(text + health_lines(end));
}

}  // namespace linerate
