// See json_lines.h.
#include "record/json_lines.h"

#include "record/verdict.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>

namespace linerate {
namespace {

using Json = nlohmann::ordered_json;

// Absent unless finite.
void put(Json& object, const char* key, double value) {
  if (std::isfinite(value)) object[key] = value;
}

void put(Json& object, const char* key, const std::optional<double>& value) {
  if (value) put(object, key, *value);
}

// Absent when empty.
void put(Json& object, const char* key, const std::string& text) {
  if (!text.empty()) object[key] = text;
}

void put(Json& object, const char* key, const std::vector<double>& values) {
  if (!values.empty()) object[key] = values;
}

// In arrays nlohmann writes null for a number that is not finite.
std::string line_of(const Json& object) {
  return object.dump(-1, ' ', false, Json::error_handler_t::replace) + '\n';
}

Json settings_json(const std::vector<Setting>& settings) {
  Json object = Json::object();
  for (const auto& setting : settings) {
    Json value = Json::parse(setting.json, nullptr, false);
    object[setting.name] = value.is_discarded() ? Json(setting.json) : std::move(value);
  }
  return object;
}

Json rank_json(const RankInfo& rank) {
  Json object{{"rank", rank.rank}, {"group", rank.group}, {"pid", rank.pid}};
  put(object, "hostname", rank.hostname);
  object["node"] = rank.node;
  object["device"] = rank.device;
  put(object, "bus_id", rank.bus_id);
  put(object, "device_name", rank.device_name);
  return object;
}

Json timing_json(const TimingInfo& timing) {
  Json object = Json::object();
  put(object, "clock_cost_ns", timing.clock_cost_ns);
  put(object, "clock_resolution_ns", timing.clock_resolution_ns);
  put(object, "barrier_cost_us", timing.barrier_cost_us);
  put(object, "clock_error_us", timing.clock_error_us);
  return object;
}

void put_memory(Json& object, const std::vector<MemoryPoint>& points) {
  for (const auto& point : points) {
    Json& entry = object["memory"].emplace_back(Json{{"bytes", point.bytes}});
    if (point.nranks > 0) entry["nranks"] = point.nranks;
    put(entry, "read_gbps", point.read_gbps);
    put(entry, "write_gbps", point.write_gbps);
    put(entry, "copy_gbps", point.copy_gbps);
    put(entry, "update_gbps", point.update_gbps);
  }
}

// Of many nodes those that are slowest in either direction.
void put_network(Json& object, std::vector<NetworkPoint> points) {
  if (points.size() > kMaxRanksListed) {
    const auto slower = [](const NetworkPoint& p) { return std::min(p.send_gbps, p.receive_gbps); };
    std::ranges::stable_sort(points, {}, slower);
    points.resize(kWorstRanks);
  }
  for (const auto& point : points) {
    Json& entry = object["network"].emplace_back(Json{{"node", point.node}});
    put(entry, "send_gbps", point.send_gbps);
    put(entry, "receive_gbps", point.receive_gbps);
    put(entry, "round_trip_us", point.round_trip_us);
  }
}

void put_backend(Json& object, const auto& from) {
  put(object, "backend", from.backend);
  put(object, "backend_version", from.backend_version);
  put(object, "transport", from.transport);
}

Json case_json(const Record& record) {
  const CaseInfo& what = record.what;
  Json object{{"collective", what.collective},
              {"type", what.type},
              {"redop", what.redop},
              {"root", what.root},
              {"placement", name_of(what.placement)},
              {"bytes", what.bytes},
              {"count", what.count}};
  if (record.pair) object["pair"] = *record.pair;
  return object;
}

Json window_json(const WindowInfo& window) {
  Json object{{"iters", window.iters}, {"agg", window.agg}};
  put(object, "time_us", window.time_us);
  put(object, "cpu_us", window.cpu_us);
  return object;
}

Json samples_json(const SampleInfo& samples) {
  const stats::Summary& us = samples.us;
  Json object{{"n", us.n}, {"batch", samples.batch}};
  put(object, "min", us.min);
  put(object, "median", us.median);
  put(object, "mean", us.mean);
  put(object, "p95", us.p95);
  put(object, "p99", us.p99);
  put(object, "max", us.max);
  put(object, "cv", us.cv);
  put(object, "ci95_low", us.ci95_low);
  put(object, "ci95_high", us.ci95_high);
  if (samples.skipped > 0) object["skipped"] = samples.skipped;
  return object;
}

Json spread_json(const RankSpread& spread) {
  Json object{{"worst", spread.worst}};
  put(object, "median", spread.median);
  put(object, "p95", spread.p95);
  put(object, "p99", spread.p99);
  put(object, "max", spread.max);
  return object;
}

void put_late(Json& object, const SampleInfo& samples) {
  if (samples.late_us.size() > kMaxRanksListed)
    object["late_us"] = spread_json(condense(samples.late_us));
  else if (!samples.late_us.empty())
    put(object, "late_us", samples.late_us);
  else if (samples.late_spread)
    object["late_us"] = spread_json(*samples.late_spread);
}

// Bits are text: many readers hold numbers as doubles, which would round them.
Json wrong_json(const WrongWhere& where) {
  Json object{{"rank", where.rank}, {"index", where.first.index}};
  put(object, "expected", where.first.expected);
  put(object, "got", where.first.got);
  object["expected_bits"] = fmt::format("{:#x}", where.first.expected_bits);
  object["got_bits"] = fmt::format("{:#x}", where.first.got_bits);
  auto counts = where.count_per_rank;
  if (counts.size() > kMaxRanksListed) {
    object["wrong_ranks"] = counts.size();
    std::ranges::stable_sort(counts,
                             [](const auto& a, const auto& b) { return a.second > b.second; });
    counts.resize(kWorstRanks);
  } else if (where.wrong_ranks) {
    object["wrong_ranks"] = *where.wrong_ranks;
  }
  object["count_per_rank"] = counts;
  return object;
}

Json comm_times_json(const CommTimes& times) {
  Json object = Json::object();
  put(object, "init", times.init_us);
  put(object, "first_call", times.first_call_us);
  put(object, "destroy", times.destroy_us);
  return object;
}

Json copy_json(const CopyInfo& copy) {
  Json object{{"engine", copy.engine}, {"row", copy.row}, {"column", copy.column}};
  object["streams"] = Json::array();
  for (const auto& stream : copy.streams) {
    Json one{{"from", stream.from}, {"to", stream.to}, {"by", stream.by}};
    one["copies"] = stream.copies;
    put(one, "gbps", stream.gbps);
    object["streams"].push_back(std::move(one));
  }
  return object;
}

}  // namespace

std::string json_line(const RunInfo& run) {
  Json line{{"kind", "run"}, {"schema", kSchemaVersion}, {"run_id", run.run_id}};
  put(line, "start_time", run.start_time);
  put(line, "version", run.version);
  put(line, "program", run.program);
  line["args"] = run.args;
  line["environment"] = run.environment;
  put_backend(line, run);
  put(line, "tuning", run.tuning);
  put(line, "emulated", run.emulated);
  put(line, "launcher", run.launcher);
  line["nranks"] = run.nranks;
  line["nnodes"] = run.nnodes;
  line["nprocs"] = run.nprocs;
  line["nthreads"] = run.nthreads;
  line["ngpus"] = run.ngpus;
  line["ngroups"] = run.ngroups;
  line["settings"] = settings_json(run.settings);
  line["ranks"] = Json::array();
  for (const auto& rank : run.ranks) line["ranks"].push_back(rank_json(rank));
  if (run.timing != TimingInfo{}) line["timing"] = timing_json(run.timing);
  if (run.init_us > 0) put(line, "init_us", run.init_us);
  if (run.registered_ranks) line["registered_ranks"] = *run.registered_ranks;
  put(line, "cpu_model", run.cpu_model);
  line["ncores"] = run.ncores;
  put_memory(line, run.memory);
  put_network(line, run.network);
  return line_of(line);
}

std::string json_line(const Record& record) {
  Json line{{"kind", "result"}, {"run_id", record.run_id}, {"case", case_json(record)}};
  line["group"] = record.group;
  line["nranks"] = record.nranks;
  line["nnodes"] = record.nnodes;
  put_backend(line, record);
  line["window"] = window_json(record.window);
  put(line, "algbw_gbps", record.algbw_gbps);
  put(line, "busbw_gbps", record.busbw_gbps);
  if (record.expected) {
    put(line, "expected_busbw_gbps", record.expected->busbw_gbps);
    put(line, "bound_by", record.expected->bound_by);
    put(line, "low_below", record.expected->low_below);
    put(line, "efficiency", efficiency(record));
    if (std::isfinite(efficiency(record))) line["verdict"] = name_of(verdict_of(record));
  }
  if (record.samples) {
    line["samples_us"] = samples_json(*record.samples);
    put(line, "arrival_skew_us", record.samples->arrival_skew_us);
    put(line, "exit_skew_us", record.samples->exit_skew_us);
  }
  if (record.wrong) line["wrong"] = *record.wrong;
  if (record.where) line["first_wrong"] = wrong_json(*record.where);
  put(line, "algorithm", record.call.algorithm);
  put(line, "protocol", record.call.protocol);
  if (record.call.channels > 0) line["channels"] = record.call.channels;
  if (record.call.lost) line["algorithm_lost"] = true;
  if (!record.traffic_bytes.empty()) line["traffic_bytes"] = record.traffic_bytes;
  if (record.copy) line["copy"] = copy_json(*record.copy);
  put(line, "timestamp", record.timestamp);
  if (record.samples) {
    put_late(line, *record.samples);
    put(line, "raw_us", record.samples->raw_us);
  }
  return line_of(line);
}

std::string json_line(const EndInfo& end) {
  Json line{{"kind", "end"}, {"run_id", end.run_id}};
  put(line, "end_time", end.end_time);
  line["exit_code"] = end.exit_code;
  line["failed_checks"] = end.failed_checks;
  put(line, "average_busbw_gbps", end.average_busbw_gbps);
  if (end.error) line["error"] = *end.error;
  if (!end.memory_bytes.empty()) {
    Json& memory = line["memory_bytes"] = Json::object();
    for (const auto& [name, bytes] : end.memory_bytes) memory[name] = bytes;
  }
  if (end.comm_times) line["comm_times_us"] = comm_times_json(*end.comm_times);
  put_memory(line, end.memory);
  put_network(line, end.network);
  for (const auto& suspect : end.suspects) {
    Json& entry = line["suspects"].emplace_back(Json{{"subject", suspect.subject}});
    put(entry, "reached", suspect.reached);
    entry["pairs"] = suspect.pairs;
  }
  return line_of(line);
}

}  // namespace linerate
