// What perftest's tools (ib_write_bw, ib_send_lat, …) write with --out_json: one result of one
// size. Its keys are those of linux-rdma/perftest, src/perftest_parameters.c.
#include "base/text.h"
#include "base/units.h"
#include "compare/import.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <cmath>
#include <optional>
#include <string>
#include <utility>

namespace linerate {
namespace {

using PerftestJson = nlohmann::json;

constexpr double kMostPerftest = 9e15;  // that a double holds exactly

double number_in(const PerftestJson& from, const char* key) {
  const auto at = from.find(key);
  return at != from.end() && at->is_number() ? at->get<double>() : 0;
}

// "RDMA_Write_BW_Test" -> "ib_write_bw", "Send_Bidirectional_Latency_Test" -> "ib_send_lat".
std::string tool_of(std::string_view test, bool bandwidth) {
  constexpr std::string_view kRdma = "RDMA_";
  if (test.starts_with(kRdma)) test.remove_prefix(kRdma.size());
  return fmt::format("ib_{}_{}", lower(plain_text(test.substr(0, test.find('_')))),
                     bandwidth ? "bw" : "lat");
}

// The unit stands nowhere: MiB/s, or with --report_gbits Gbit/s. Which one it is follows from the
// rate of messages, because the two are a factor of 119 apart.
double gbps_in(const PerftestJson& results, double bytes) {
  constexpr double kMiB = 1024.0 * 1024, kGbit = 1e9 / 8, kGb = 1e9;
  const double average = number_in(results, "BW_average");
  const double told = number_in(results, "MsgRate") * 1e6 * bytes;  // bytes per second
  const auto off = [&](double unit) { return std::abs(std::log(average * unit / told)); };
  const bool gbits = told > 0 && average > 0 && off(kGbit) < off(kMiB);
  return average * (gbits ? kGbit : kMiB) / kGb;
}

void add_samples(const PerftestJson& results, Record& record) {
  if (number_in(results, "t_typical") <= 0) return;
  record.samples.emplace();
  auto& us = record.samples->us;
  us.n = record.window.iters;
  us.min = number_in(results, "t_min");
  us.median = number_in(results, "t_typical");
  us.mean = number_in(results, "t_avg");
  us.p99 = number_in(results, "percentile_99");
  us.max = number_in(results, "t_max");
}

// The rest of what it says, as options are kept.
void add_settings(const PerftestJson& test_info, RunInfo& info) {
  for (const auto& [key, value] : test_info.items())
    if (value.is_primitive() && key != "test")
      info.settings.push_back(
          {key, value.dump(-1, ' ', false, PerftestJson::error_handler_t::replace)});
}

// Nothing where there is no size, or no time.
std::optional<Record> result_in(const PerftestJson& results, bool bandwidth) {
  const double bytes = number_in(results, "MsgSize"), iters = number_in(results, "n_iterations");
  if (bytes < 1 || bytes > kMostPerftest || iters < 0 || iters > kMostPerftest) return std::nullopt;
  Record record{.what = {.bytes = static_cast<std::uint64_t>(bytes)}, .nranks = 2, .nnodes = 2};
  record.window.iters = static_cast<std::uint64_t>(iters);
  const double gbps = gbps_in(results, bytes);
  record.window.time_us = bandwidth ? transfer_us(bytes, gbps) : number_in(results, "t_avg");
  if (!std::isfinite(record.window.time_us) || record.window.time_us <= 0) return std::nullopt;
  record.algbw_gbps = record.busbw_gbps = gbps_of(bytes, record.window.time_us);
  add_samples(results, record);
  return record;
}

// Null where `from` has no such object.
const PerftestJson* object_in(const PerftestJson& from, const char* key) {
  const auto at = from.is_object() ? from.find(key) : from.end();
  return at != from.end() && at->is_object() ? &*at : nullptr;
}

}  // namespace

Result<RunFile> read_perftest_json(std::string_view text) {
  const auto json = PerftestJson::parse(text, nullptr, false);
  const auto* test_info = object_in(json, "test_info");
  const auto* results = object_in(json, "results");
  if (test_info == nullptr || results == nullptr)
    return Failure{"It is no JSON of perftest (--out_json) with test_info and results."};
  const auto test = test_info->find("test");
  const bool bandwidth = results->contains("BW_average");
  RunInfo info{.run_id = "1", .nranks = 2, .nnodes = 2};
  const bool named = test != test_info->end() && test->is_string();
  info.program = tool_of(named ? test->get<std::string>() : "", bandwidth);
  add_settings(*test_info, info);
  RunFile file;
  if (auto record = result_in(*results, bandwidth)) {
    record->run_id = info.run_id;
    record->what.collective = info.program;
    file.records.push_back(*std::move(record));
  }
  file.ends.push_back({.run_id = info.run_id});
  file.runs.push_back(std::move(info));
  return file;
}

}  // namespace linerate
