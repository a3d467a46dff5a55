// nccl-tests' report, through nlohmann's parser: every value is looked for and checked.
#include "base/text.h"
#include "compare/import.h"
#include "compare/import_lines.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <optional>
#include <set>
#include <utility>

namespace linerate {
namespace {

using ReportJson = nlohmann::json;

constexpr std::uint64_t kMostReportRanks = 10'000'000;

// Null where the key is absent, or `from` is no object.
const ReportJson* find(const ReportJson& from, const char* key) {
  if (!from.is_object()) return nullptr;
  const auto at = from.find(key);
  return at == from.end() ? nullptr : &*at;
}

double number(const ReportJson& from, const char* key) {
  const auto* value = find(from, key);
  return value != nullptr && value->is_number() ? value->get<double>() : 0;
}

std::string text(const ReportJson& from, const char* key) {
  const auto* value = find(from, key);
  return value != nullptr && value->is_string() ? value->get<std::string>() : std::string();
}

// 0 for what is no count: negative, a fraction, or more than a double holds exactly.
std::uint64_t count(const ReportJson& from, const char* key) {
  constexpr double kMost = 9e15;
  const double value = number(from, key);
  return value > 0 && value < kMost ? static_cast<std::uint64_t>(value) : 0;
}

// nccl-tests lists one device of each process, linerate all.
int ranks_of(const ReportJson& config) {
  std::set<std::string> processes;
  if (const auto* devices = find(config, "devices"); devices != nullptr && devices->is_array())
    for (const auto& device : *devices)
      processes.insert(fmt::format("{} {}", text(device, "hostname"), count(device, "pid")));
  const auto nranks = count(config, "nthreads") * count(config, "ngpus") * processes.size();
  return static_cast<int>(std::min(nranks, kMostReportRanks));
}

void add_setting(RunInfo& info, const ReportJson& config, const char* key, const char* name) {
  if (find(config, key) != nullptr)
    info.settings.push_back({name, fmt::to_string(count(config, key))});
}

std::optional<Record> result_of(const ReportJson& row, Placement placement) {
  const bool in_place = placement == Placement::in_place;
  const auto* half = find(row, in_place ? "in_place" : "out_of_place");
  if (half == nullptr || !half->is_object()) return std::nullopt;
  Record record;
  record.what = {.type = text(row, "type"),
                 .redop = text(row, "redop"),
                 .placement = placement,
                 .bytes = count(row, "size"),
                 .count = count(row, "count")};
  if (const auto root = parse_integer("root", trim(text(row, "root"))); root && *root >= -1)
    record.what.root = static_cast<int>(*root % 1'000'000);
  const bool of_cpu = find(*half, "time") == nullptr;
  record.window.time_us = number(*half, of_cpu ? "cpu_time" : "time");
  if (of_cpu) record.window.cpu_us = record.window.time_us;
  record.algbw_gbps = number(*half, "alg_bw");
  record.busbw_gbps = number(*half, "bus_bw");
  if (const auto* wrong = find(*half, "nwrong"); wrong != nullptr && wrong->is_number())
    record.wrong = wrong->get<double>() > 0 ? 1 : 0;
  const auto* samples = find(row, in_place ? "in_place_per_iter" : "out_of_place_per_iter");
  if (samples != nullptr && number(*samples, "min_us") > 0 && number(*samples, "p50_us") > 0) {
    record.samples.emplace();
    record.samples->us.min = number(*samples, "min_us");
    record.samples->us.median = number(*samples, "p50_us");
  }
  return record;
}

EndInfo end_of(const ReportJson& report) {
  EndInfo end{.end_time = text(report, "end_time")};
  if (const auto* checks = find(report, "out_of_bounds"))
    end.failed_checks = count(*checks, "count");
  if (const auto* average = find(report, "average_bus_bandwidth"))
    end.average_busbw_gbps = number(*average, "bandwidth");
  const auto* errors = find(report, "errors");
  if (errors == nullptr || !errors->is_array()) return end;
  for (const auto& error : *errors)
    if (error.is_string() && !error.get<std::string>().empty()) end.error = error;
  return end;
}

// One device of each process, or all.
std::vector<RankInfo> devices_of(const ReportJson& config) {
  std::vector<RankInfo> ranks;
  if (const auto* devices = find(config, "devices"); devices != nullptr && devices->is_array())
    for (const auto& device : *devices)
      ranks.push_back({.rank = static_cast<int>(count(device, "rank") % kMostReportRanks),
                       .group = static_cast<int>(count(device, "group") % kMostReportRanks),
                       .hostname = text(device, "hostname"),
                       .device_name = text(device, "device_info")});
  return ranks;
}

RunInfo info_of(const ReportJson& report) {
  RunInfo info{.run_id = "1", .start_time = text(report, "start_time")};
  if (const auto* args = find(report, "args"); args != nullptr && args->is_array())
    for (const auto& word : *args)
      if (word.is_string()) info.args.push_back(word.get<std::string>());
  if (!info.args.empty()) info.program = info.args.front();
  const auto* config = find(report, "config");
  if (config == nullptr) return info;
  info.nranks = ranks_of(*config);
  info.ranks = devices_of(*config);
  add_setting(info, *config, "minimum_bytes", "min_bytes");
  add_setting(info, *config, "maximum_bytes", "max_bytes");
  add_setting(info, *config, "iterations", "iters");
  add_setting(info, *config, "aggregated_iterations", "agg_iters");
  return info;
}

}  // namespace

Result<RunFile> read_nccl_tests_json(std::string_view text) {
  const ReportJson report = ReportJson::parse(text, nullptr, false);
  if (report.is_discarded())
    return Failure{"It is not JSON: it was cut, or holds inf, which nccl-tests prints bare."};
  const auto* rows = find(report, "results");
  if (rows == nullptr || !rows->is_array())
    return Failure{"It is JSON, but neither linerate's JSON Lines nor nccl-tests' report (-J)."};
  RunFile file;
  file.runs.push_back(info_of(report));
  const auto& info = file.runs.front();
  file.ends.push_back(end_of(report));
  file.ends.back().run_id = info.run_id;
  for (const auto& row : *rows)
    for (const auto placement : {Placement::out_of_place, Placement::in_place})
      if (auto record = result_of(row, placement)) {
        record->run_id = info.run_id;
        record->nranks = info.nranks;
        record->what.collective = collective_of(info.program);
        file.records.push_back(*std::move(record));
      }
  return file;
}

}  // namespace linerate
