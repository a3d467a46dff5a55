// Each result takes the place of the file's end, and brings a new end with it.
#include "output/nccl_tests_json.h"

#include "base/error.h"
#include "base/units.h"
#include "record/json_io.h"
#include "record/verdict.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <cstdio>
#include <utility>

namespace linerate {
namespace {

using Json = nlohmann::ordered_json;

constexpr int kReportVersion = 3;
constexpr double kPercent = 100;

Json truth(bool value) { return value ? "true" : "false"; }

// nlohmann writes null for a number that is not finite.
std::string text_of(Json json) {
  json::round_numbers(json);
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

Json devices_json(const RunInfo& run) {
  Json devices = Json::array();
  for (const auto& rank : run.ranks)
    devices.push_back({{"rank", rank.rank},
                       {"group", rank.group},
                       {"pid", rank.pid},
                       {"hostname", rank.hostname},
                       {"device", rank.device},
                       {"device_hex", rank.bus_id},
                       {"device_info", rank.device_name}});
  return devices;
}

Json config_json(const RunInfo& run, const TableOptions& o) {
  Json config{{"nthreads", run.nthreads},
              {"ngpus", run.ngpus},
              {"minimum_bytes", o.min_bytes},
              {"maximum_bytes", o.max_bytes}};
  if (o.step_factor > 1)
    config["step_factor"] = o.step_factor;
  else
    config["step_bytes"] = o.step_bytes;
  config["warmup_iters"] = o.warmup_iters;
  config["iterations"] = o.iters;
  config["aggregated_iterations"] = o.agg_iters;
  config["validation"] = o.check;
  config["graph"] = o.graph;
  config["blocking_collectives"] = truth(o.blocking != 0);
  config["per_iter_timing"] = truth(o.per_iter);
  config["per_iter_skip"] = o.per_iter_skip;
  config["parallel_init"] = truth(o.parallel_init);
  config["devices"] = devices_json(run);
  return config;
}

Json placement_json(const Record& record, bool cputime) {
  Json placement{{cputime ? "cpu_time" : "time", record.window.shown_us(cputime)},
                 {"alg_bw", record.algbw_gbps},
                 {"bus_bw", record.busbw_gbps},
                 {"nwrong", record.wrong ? Json(*record.wrong) : Json()}};
  if (!record.expected) return placement;
  placement["expected_bus_bw"] = record.expected->busbw_gbps;
  placement["expected_low_bus_bw"] = record.expected->low_gbps;
  placement["expected_high_bus_bw"] = record.expected->high_gbps;  // null: there is no limit
  placement["verdict"] = name_of(verdict_of(record));
  return placement;
}

// Of the run: absent where no result was judged.
Json verdict_json(const EndInfo& end) {
  Json findings = Json::array();
  for (const auto& finding : end.findings)
    findings.push_back({{"rule", finding.rule},
                        {"severity", name_of(finding.severity)},
                        {"subject", finding.subject},
                        {"evidence", finding.evidence},
                        {"advice", finding.advice},
                        {"confidence", finding.confidence}});
  return {{"verdict", end.verdict}, {"slack", end.slack}, {"findings", std::move(findings)}};
}

Json per_iter_json(const SampleInfo& samples) {
  const stats::Summary& us = samples.us;
  Json report{{"skipped_iterations", samples.skipped},
              {"min_us", us.min},
              {"max_us", us.max},
              {"avg_us", us.mean},
              {"p50_us", us.median},
              {"p95_us", us.p95},
              {"p99_us", us.p99},
              {"stdev_us", us.stdev},
              {"cv_pct", us.cv * kPercent},
              {"times_us", samples.raw_us}};
  if (samples.per_process_us.size() > 1) {
    Json& rows = report["per_process_max_times_us"] = Json::array();
    for (const auto& process : samples.per_process_us) rows.push_back(process);
  }
  return report;
}

Json result_json(std::span<const Record> records, const TableOptions& options) {
  const CaseInfo& what = records.front().what;
  Json result{{"size", what.bytes},
              {"count", what.count},
              {"type", what.type},
              {"redop", what.redop},
              {"root", fmt::format("{:6}", what.root)}};
  for (const auto& record : records) {
    const std::string key(name_of(record.what.placement));
    result[key] = placement_json(record, options.cputime);
    if (options.per_iter && record.samples)
      result[key + "_per_iter"] = per_iter_json(*record.samples);
  }
  for (const auto placement : {Placement::out_of_place, Placement::in_place})
    result.emplace(name_of(placement), Json());  // null where it was not measured
  result["actual_iterations"] = records.front().window.iters;
  result["experiment_name"] = "";
  return result;
}

Json limit_json(double average, const std::optional<double>& min_bw_gbps) {
  return min_bw_gbps ? truth(fast_enough(average, *min_bw_gbps)) : Json("unchecked");
}

// Up to the first result.
std::string head_text(const RunInfo& run, const TableOptions& options) {
  auto head = text_of(Json{{"version", kReportVersion},
                           {"start_time", local_text_of(run.start_time)},
                           {"args", run.args},
                           {"env", run.environment},
                           {"nccl_version", options.nccl_version},
                           {"config", config_json(run, options)}});
  head.pop_back();  // the closing brace: results follow
  return head + ",\"results\":[";
}

// What follows the last result.
std::string tail_text(const EndInfo& end, const TableOptions& options) {
  const double average = end.average_busbw_gbps.value_or(0);
  Json tail{{"out_of_bounds", {{"count", end.failed_checks}, {"okay", truth(clean(end))}}},
            {"average_bus_bandwidth",
             {{"bandwidth", average}, {"okay", limit_json(average, options.min_bw_gbps)}}},
            {"errors", Json::array({end.error.value_or("")})},
            {"end_time", local_text_of(end.end_time)}};
  if (!end.verdict.empty()) tail["linerate"] = verdict_json(end);
  return "],\n" + text_of(tail).substr(1) + '\n';
}

// Of a run that has not begun, and of one that goes on: what remains where it is killed.
EndInfo no_begin() { return {.error = "The run has not begun: it waits, or it was killed."}; }
EndInfo no_end() { return {.error = "The run has not ended: it goes on, or it was killed."}; }

}  // namespace

Result<std::unique_ptr<NcclTestsJson>> NcclTestsJson::open(const std::string& path) {
  auto file = TextFile::create_new(path);
  if (!file) return file.failure();
  const std::string created = file->path();
  try {
    return std::make_unique<NcclTestsJson>(*std::move(file));
  } catch (const SystemError&) {  // no room: no file, rather than an empty one
    (void)std::remove(created.c_str());
    throw;
  }
}

NcclTestsJson::NcclTestsJson(TextFile out) : out_(std::move(out)) {
  tail_ = head_text({}, options_) + tail_text(no_begin(), options_);
  out_.replace_end("", tail_);
}

void NcclTestsJson::begin(const RunInfo& run) {
  begun_ = true;
  put(head_text(run, options_), no_end());
}

void NcclTestsJson::row(std::span<const Record> table) {
  if (table.empty()) return;
  const auto* separator = std::exchange(any_result_, true) ? ",\n" : "\n";
  put(separator + text_of(result_json(table, options_)), no_end());
}

void NcclTestsJson::end(const EndInfo& end) {
  if (!begun_) begin({});
  put("", end);
}

// Puts `text`, and the end behind it, in the place of the end. Blanks keep the file from becoming
// shorter.
void NcclTestsJson::put(std::string_view text, const EndInfo& end) {
  auto tail = tail_text(end, options_);
  if (text.size() + tail.size() < tail_.size())
    tail.insert(tail.size() - 1, tail_.size() - text.size() - tail.size(), ' ');
  out_.replace_end(tail_, std::string(text) + tail);
  tail_ = std::move(tail);
}

}  // namespace linerate
