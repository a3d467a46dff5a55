// The files are opened before the run, the table when its heading is known.
#include "commands/outputs.h"

#include "base/error.h"
#include "base/log.h"
#include "base/units.h"
#include "commands/describe.h"
#include "commands/watched_health.h"
#include "output/console_table.h"
#include "output/file_sinks.h"
#include "output/nccl_tests_json.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <system_error>
#include <utility>

namespace linerate {
namespace {

// Opens `path` unless it is empty and adds the sink; what is wrong with it otherwise.
template <typename SinkType>
std::optional<Failure> add_file(const std::string& path, const std::function<bool()>& interrupted,
                                SinkList& sinks) {
  if (path.empty()) return std::nullopt;
  auto sink = SinkType::open(path, interrupted);
  if (!sink) return sink.failure();
  sinks.add(std::move(sink).value());
  return std::nullopt;
}

// Times of ranks that share cores show the scheduler.
std::optional<std::string> crowding_note(const RunInfo& run) {
  const int on_first_node = ranks_on_first_node(run.ranks);
  const bool on_cores = run.backend != "fake" && run.backend != "nccl";
  if (!on_cores || !shares_cores(run, run.ranks)) return std::nullopt;
  return fmt::format("note: {} ranks share {} cores: times show the scheduler too", on_first_node,
                     run.ncores);
}

// Other runs than those without the table are compared with these.
std::optional<std::string> tuning_note(const RunInfo& run) {
  if (!run.tuning.starts_with("measured")) return std::nullopt;
  return fmt::format(
      "note: algorithms are chosen by the table that `linerate tune host` has kept ({}); "
      "--forget removes it",
      run.tuning);
}

}  // namespace

TableOptions table_options(const RunConfig& c) {
  return {.min_bytes = c.min_bytes,
          .max_bytes = c.max_bytes,
          .step_bytes = c.step_bytes,
          .step_factor = c.step_factor,
          .iters = c.iters,
          .warmup_iters = c.warmup_iters,
          .per_iter_skip = c.per_iter_skip,
          .agg_iters = c.agg_iters,
          .check = c.check,
          .graph = c.gpu.cudagraph,
          .unalign = c.unalign,
          .blocking = static_cast<int>(c.blocking),
          .per_iter = c.per_iter_timing,
          .parallel_init = c.gpu.parallel_init,
          .cputime = c.report_cputime,
          .timestamps = c.report_timestamps,
          .report_init = c.report_init,
          .show_algorithms = c.show_algorithms,
          .lists_verdicts = c.lists_verdicts,
          .skew = skew_text(c.skew),
          .beside = c.beside.text,
          .min_bw_gbps = c.min_bw_gbps,
          .local_register = c.gpu.local_register};
}

std::optional<Failure> add_record_files(const RunConfig& config,
                                        const std::function<bool()>& interrupted, SinkList& sinks) {
  const auto& jsonl = config.jsonl_file;
  const auto& csv = config.csv_file;
  if (auto failure = add_file<JsonlSink>(jsonl, interrupted, sinks)) return failure;
  if (auto failure = add_file<CsvSink>(csv, interrupted, sinks)) return failure;
  std::error_code unknown;  // also through links
  if (jsonl.empty() || csv.empty() || !std::filesystem::equivalent(jsonl, csv, unknown))
    return std::nullopt;
  return Failure{
      fmt::format("--jsonl '{}' and --csv '{}' are the same file: give each its own.", jsonl, csv)};
}

Outputs::Outputs(const RunConfig& config, const CommandInput& input, const SharedOutputs& shared)
    : config_(config),
      input_(input),
      shared_(shared),
      options_(table_options(config)),
      all_(sinks_, shared.progress) {}

Result<std::unique_ptr<Outputs>> Outputs::open(const RunConfig& config, const CommandInput& input,
                                               const SharedOutputs& shared) {
  std::unique_ptr<Outputs> outputs(new Outputs(config, input, shared));
  if (const auto failure = outputs->open_files()) return *failure;
  return outputs;
}

std::optional<Failure> Outputs::open_files() {
  if (shared_.table != nullptr) sinks_.add(std::make_unique<PassedOn>(*shared_.table));
  if (auto failure = add_record_files(config_, input_.interrupted, sinks_)) return failure;
  if (config_.json_file.empty()) return std::nullopt;
  auto report = NcclTestsJson::open(config_.json_file);
  if (!report) return report.failure();
  options_.json_path = (*report)->path();
  report_ = report->get();
  sinks_.add(std::move(report).value());
  return std::nullopt;
}

// The table's heading tells the -e that was lowered, so the table is made only now.
void Outputs::begin(const RunStart& start) {
  const std::lock_guard lock(writing_);
  if (ended_) return;
  const auto& run = start.info;
  options_.nccl_version = run.nccl_version;
  options_.nranks = run.nranks;
  options_.registered_ranks = run.registered_ranks;
  options_.max_bytes_lowered = run.lowered_max_bytes.has_value();
  options_.max_bytes = run.lowered_max_bytes.value_or(options_.max_bytes);
  if (report_ != nullptr) report_->set_options(options_);
  if (config_.collective == nullptr)
    sinks_.add(std::make_unique<P2pTable>(TextFile::standard_output(), options_));
  else
    sinks_.add(std::make_unique<ConsoleTable>(TextFile::standard_output(), options_));
  const bool first = shared_.table == nullptr || shared_.table->empty();  // of a suite
  for (const auto& note : {crowding_note(run), tuning_note(run)})
    if (note && first) say(*note);
  run_id_ = run.run_id;
  all_.begin(run);
}

void Outputs::results(std::span<const Record> groups, const RunTotals& so_far) {
  const std::lock_guard lock(writing_);
  if (ended_) return;
  so_far_ = so_far;
  for (const auto& record : groups) {
    if (record.where) say(wrong_sentence(record));
    all_.result(record);
  }
}

void Outputs::row(std::span<const Record> table) {
  const std::lock_guard lock(writing_);
  if (!ended_) all_.row(table);
}

void Outputs::end(const RunTotals& totals, const Ending& ending) {
  const std::lock_guard lock(writing_);
  write_end(totals, ending);
}

void Outputs::end_hung(ExitCode exit_code, const std::string& error) noexcept {
  write_hung([&] { write_end(so_far_, {.exit_code = exit_code, .error = error}); });
}

void Outputs::end_unbegun(const std::string& why) noexcept {
  write_hung([&] { write_unbegun(why); });
}

void Outputs::write_hung(const std::function<void()>& write) noexcept {
  constexpr auto kMaxWait = std::chrono::seconds(1);
  try {
    const std::unique_lock lock(writing_, kMaxWait);
    if (lock.owns_lock()) write();
  } catch (const std::exception& failure) {
    say(failure.what());
  }
}

void Outputs::write_unbegun(const std::string& why) {
  if (!run_id_.empty() || std::exchange(ended_, true) || report_ == nullptr) return;
  report_->set_options(options_);
  report_->begin(describe_program(config_, input_.environment));
  report_->end({.end_time = utc_text(std::chrono::system_clock::now()), .error = why});
}

void Outputs::write_end(const RunTotals& totals, const Ending& ending) {
  if (std::exchange(ended_, true)) return;
  if (run_id_.empty()) {  // it failed before the table's heading
    const auto run = describe_program(config_, input_.environment);
    run_id_ = run.run_id;
    if (report_ != nullptr) report_->set_options(options_);
    sinks_.begin(run);
  }
  EndInfo info{.run_id = run_id_,
               .end_time = utc_text(std::chrono::system_clock::now()),
               .exit_code = static_cast<int>(ending.exit_code),
               .failed_checks = totals.failed_checks,
               .error = ending.error,
               .verdict = ending.judgement.verdict,
               .slack = ending.judgement.slack,
               .findings = ending.judgement.findings};
  add_health(ending.health, info);
  if (totals.busbw_rows > 0) info.average_busbw_gbps = totals.average_busbw_gbps();
  info.comm_times = totals.comm_times;
  info.memory = totals.memory;
  info.network = totals.network;
  if (config_.report_memory) info.memory_bytes = totals.memory_bytes;
  all_.end(info);
}

namespace {

// What tells this result from others of its size and type.
std::string place_text(const Record& record) {
  if (!record.pair) return std::string(name_of(record.what.placement));
  return fmt::format("ranks {} and {}", record.pair->first, record.pair->second);
}

}  // namespace

std::string wrong_sentence(const Record& record) {
  const auto& where = *record.where;
  const auto& first = where.first;
  auto sentence = fmt::format(
      "wrong data in {}, {} bytes, {}, {}: rank {} is the first, at element {}: expected {:g} "
      "({:#x}), got {:g} ({:#x}). Wrong elements:",
      record.what.collective, record.what.bytes, record.what.type, place_text(record), where.rank,
      first.index, first.expected, first.expected_bits, first.got, first.got_bits);
  for (const auto& [rank, count] : where.count_per_rank)
    sentence += fmt::format(" rank {}: {}", rank, count);
  return sentence + ".";
}

}  // namespace linerate
