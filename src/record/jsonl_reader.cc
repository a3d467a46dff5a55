// See jsonl_reader.h.
#include "record/jsonl_reader.h"

#include "base/text.h"
#include "record/json_fields.h"

#include <fmt/format.h>

#include <charconv>

namespace linerate {
namespace {

using json::Fields;
using json::Json;

// Why the parser should not see a line, or nothing: what it would build takes memory with each
// bracket, and time with the square of an object's keys, which keep their order.
std::string_view excess_of(std::string_view line, const ReaderLimits& limits) {
  if (line.size() > limits.line_bytes) return "is longer than linerate reads";
  std::vector<std::size_t> keys;  // of each open object or array
  bool quoted = false;
  for (std::size_t i = 0; i < line.size(); ++i) {
    const char c = line[i];
    if (quoted && c == '\\') {
      ++i;
    } else if (c == '"') {
      quoted = !quoted;
    } else if (quoted) {
      continue;
    } else if (c == '{' || c == '[') {
      keys.push_back(0);
      if (keys.size() > limits.depth) return "nests deeper than linerate reads";
    } else if ((c == '}' || c == ']') && !keys.empty()) {
      keys.pop_back();
    } else if (c == ':' && !keys.empty()) {
      if (++keys.back() > limits.keys) return "has an object of more keys than linerate reads";
    }
  }
  return {};
}

void read_bits(const Fields& fields, std::string_view key, std::uint64_t& bits) {
  std::string text;
  fields.read(key, text);
  if (text.empty()) return;
  if (!text.starts_with("0x")) return fields.complain(key);
  const auto [end, code] = std::from_chars(text.data() + 2, text.data() + text.size(), bits, 16);
  if (code != std::errc{} || end != text.data() + text.size()) fields.complain(key);
}

void read_placement(const Fields& fields, Placement& placement) {
  std::string text(name_of(placement));
  fields.read("placement", text);
  if (text == name_of(Placement::out_of_place))
    placement = Placement::out_of_place;
  else if (text == name_of(Placement::in_place))
    placement = Placement::in_place;
  else
    fields.complain("placement");
}

void read_backend(const Fields& fields, auto& into) {
  fields.read("backend", into.backend);
  fields.read("backend_version", into.backend_version);
  fields.read("transport", into.transport);
}

RankInfo read_rank(const Fields& fields) {
  RankInfo rank;
  fields.read("rank", rank.rank);
  fields.read("group", rank.group);
  fields.read("pid", rank.pid);
  fields.read("hostname", rank.hostname);
  fields.read("node", rank.node);
  fields.read("device", rank.device);
  fields.read("bus_id", rank.bus_id);
  fields.read("device_name", rank.device_name);
  return rank;
}

void read_memory(const Fields& fields, std::vector<MemoryPoint>& points) {
  fields.each("memory", [&](const Fields& one) {
    auto& point = points.emplace_back();
    one.read("bytes", point.bytes);
    one.read("nranks", point.nranks);
    one.read("read_gbps", point.read_gbps);
    one.read("write_gbps", point.write_gbps);
    one.read("copy_gbps", point.copy_gbps);
    one.read("update_gbps", point.update_gbps);
  });
}

void read_network(const Fields& fields, std::vector<NetworkPoint>& points) {
  fields.each("network", [&](const Fields& one) {
    auto& point = points.emplace_back();
    one.read("node", point.node);
    one.read("send_gbps", point.send_gbps);
    one.read("receive_gbps", point.receive_gbps);
    one.read("round_trip_us", point.round_trip_us);
  });
}

void read_expected(const Fields& fields, Record& record) {
  if (fields.find("expected_busbw_gbps") == nullptr) return;
  auto& expected = record.expected.emplace();
  fields.read("expected_busbw_gbps", expected.busbw_gbps);
  fields.read("bound_by", expected.bound_by);
  fields.read("low_below", expected.low_below);
}

void read_settings(const Fields& run, std::vector<Setting>& settings) {
  const Json* object = run.find("settings");
  if (object == nullptr) return;
  if (!object->is_object()) return run.complain("settings");
  for (const auto& [name, value] : object->items()) settings.push_back({name, value.dump()});
}

void read_schema(const Fields& run) {
  int schema = kSchemaVersion;
  run.read("schema", schema);
  if (schema > kSchemaVersion) run.complain("schema");
}

void read_timing(const Fields& fields, TimingInfo& timing) {
  fields.read("clock_cost_ns", timing.clock_cost_ns);
  fields.read("clock_resolution_ns", timing.clock_resolution_ns);
  fields.read("barrier_cost_us", timing.barrier_cost_us);
  fields.read("clock_error_us", timing.clock_error_us);
}

RunInfo read_run(const Fields& fields) {
  RunInfo run;
  read_schema(fields);
  fields.read("run_id", run.run_id);
  fields.read("start_time", run.start_time);
  fields.read("version", run.version);
  fields.read("program", run.program);
  fields.read("args", run.args);
  fields.read("environment", run.environment);
  read_backend(fields, run);
  fields.read("tuning", run.tuning);
  fields.read("emulated", run.emulated);
  fields.read("launcher", run.launcher);
  fields.read("nranks", run.nranks);
  fields.read("nnodes", run.nnodes);
  fields.read("nprocs", run.nprocs);
  fields.read("nthreads", run.nthreads);
  fields.read("ngpus", run.ngpus);
  fields.read("ngroups", run.ngroups);
  read_settings(fields, run.settings);
  fields.each("ranks", [&](const Fields& rank) { run.ranks.push_back(read_rank(rank)); });
  fields.with("timing", [&](const Fields& timing) { read_timing(timing, run.timing); });
  fields.read("init_us", run.init_us);
  fields.read("registered_ranks", run.registered_ranks);
  fields.read("cpu_model", run.cpu_model);
  fields.read("ncores", run.ncores);
  read_memory(fields, run.memory);
  read_network(fields, run.network);
  return run;
}

void read_case(const Fields& fields, Record& record) {
  fields.read("collective", record.what.collective);
  fields.read("type", record.what.type);
  fields.read("redop", record.what.redop);
  fields.read("root", record.what.root);
  read_placement(fields, record.what.placement);
  fields.read("bytes", record.what.bytes);
  fields.read("count", record.what.count);
  fields.read("pair", record.pair);
}

void read_summary(const Fields& fields, SampleInfo& samples) {
  stats::Summary& us = samples.us;
  fields.read("n", us.n);
  fields.read("batch", samples.batch);
  fields.read("min", us.min);
  fields.read("median", us.median);
  fields.read("mean", us.mean);
  fields.read("p95", us.p95);
  fields.read("p99", us.p99);
  fields.read("max", us.max);
  fields.read("cv", us.cv);
  fields.read("ci95_low", us.ci95_low);
  fields.read("ci95_high", us.ci95_high);
  fields.read("skipped", samples.skipped);
  us.stdev = us.cv * us.mean;
}

RankSpread read_spread(const Fields& fields) {
  RankSpread spread;
  fields.read("worst", spread.worst);
  fields.read("median", spread.median);
  fields.read("p95", spread.p95);
  fields.read("p99", spread.p99);
  fields.read("max", spread.max);
  return spread;
}

SampleInfo read_samples(const Fields& result, const Fields& summary) {
  SampleInfo samples;
  read_summary(summary, samples);
  result.read("arrival_skew_us", samples.arrival_skew_us);
  result.read("exit_skew_us", samples.exit_skew_us);
  const Json* late = result.find("late_us");
  if (late != nullptr && late->is_object())
    samples.late_spread = read_spread(Fields(*late, result.problem()));
  else
    result.read("late_us", samples.late_us);
  result.read("raw_us", samples.raw_us);
  return samples;
}

WrongWhere read_where(const Fields& fields) {
  WrongWhere where;
  fields.read("rank", where.rank);
  fields.read("index", where.first.index);
  fields.read("expected", where.first.expected);
  fields.read("got", where.first.got);
  read_bits(fields, "expected_bits", where.first.expected_bits);
  read_bits(fields, "got_bits", where.first.got_bits);
  fields.read("wrong_ranks", where.wrong_ranks);
  fields.read("count_per_rank", where.count_per_rank);
  return where;
}

CopyInfo read_copy(const Fields& fields) {
  CopyInfo copy;
  fields.read("engine", copy.engine);
  fields.read("row", copy.row);
  fields.read("column", copy.column);
  const Json* array = fields.find("streams");
  if (array == nullptr) return copy;
  if (!array->is_array()) return fields.complain("streams"), copy;
  for (const auto& one : *array) {
    const Fields stream(one, fields.problem());
    auto& into = copy.streams.emplace_back();
    stream.read("from", into.from);
    stream.read("to", into.to);
    stream.read("by", into.by);
    stream.read("copies", into.copies);
    stream.read("gbps", into.gbps);
  }
  return copy;
}

Record read_record(const Fields& fields) {
  Record record;
  fields.read("run_id", record.run_id);
  fields.with("case", [&](const Fields& what) { read_case(what, record); });
  fields.read("group", record.group);
  fields.read("nranks", record.nranks);
  fields.read("nnodes", record.nnodes);
  read_backend(fields, record);
  fields.with("window", [&](const Fields& window) {
    window.read("iters", record.window.iters);
    window.read("agg", record.window.agg);
    window.read("time_us", record.window.time_us);
    window.read("cpu_us", record.window.cpu_us);
  });
  fields.read("algbw_gbps", record.algbw_gbps);
  fields.read("busbw_gbps", record.busbw_gbps);
  read_expected(fields, record);
  fields.with("samples_us", [&](const Fields& us) { record.samples = read_samples(fields, us); });
  fields.read("wrong", record.wrong);
  fields.with("first_wrong", [&](const Fields& where) { record.where = read_where(where); });
  fields.read("algorithm", record.call.algorithm);
  fields.read("protocol", record.call.protocol);
  fields.read("channels", record.call.channels);
  fields.read("algorithm_lost", record.call.lost);
  fields.read("traffic_bytes", record.traffic_bytes);
  fields.with("copy", [&](const Fields& copy) { record.copy = read_copy(copy); });
  fields.read("timestamp", record.timestamp);
  return record;
}

EndInfo read_end(const Fields& fields) {
  EndInfo end;
  fields.read("run_id", end.run_id);
  fields.read("end_time", end.end_time);
  fields.read("exit_code", end.exit_code);
  fields.read("failed_checks", end.failed_checks);
  fields.read("average_busbw_gbps", end.average_busbw_gbps);
  fields.read("error", end.error);
  fields.with("memory_bytes", [&](const Fields& memory) {
    const Json* object = fields.find("memory_bytes");
    for (const auto& [name, value] : object->items()) {
      memory.read(name, end.memory_bytes.emplace_back(name, 0).second);
    }
  });
  fields.with("comm_times_us", [&](const Fields& us) {
    auto& times = end.comm_times.emplace();
    us.read("init", times.init_us);
    us.read("first_call", times.first_call_us);
    us.read("destroy", times.destroy_us);
  });
  read_memory(fields, end.memory);
  read_network(fields, end.network);
  fields.each("suspects", [&](const Fields& one) {
    auto& suspect = end.suspects.emplace_back();
    one.read("subject", suspect.subject);
    one.read("reached", suspect.reached);
    one.read("pairs", suspect.pairs);
  });
  return end;
}

// Appends what one line holds; yields what is wrong with it, or nothing.
std::string read_line(const Json& line, RunFile& file) {
  std::string problem;
  const Fields fields(line, problem);
  std::string kind;
  fields.read("kind", kind);
  if (!problem.empty() || kind.empty()) return "is not an object with a kind";
  if (kind == "run")
    file.runs.push_back(read_run(fields));
  else if (kind == "result")
    file.records.push_back(read_record(fields));
  else if (kind == "end")
    file.ends.push_back(read_end(fields));
  else
    ++file.unknown_lines;
  if (problem.empty()) return {};
  if (problem == "schema") return "is of a schema that this version of linerate does not read";
  return fmt::format("holds a value for '{}' that linerate does not understand", problem);
}

}  // namespace

Result<RunFile> read_jsonl(std::string_view text, const ReaderLimits& limits) {
  RunFile file;
  for (std::size_t number = 1; !text.empty(); ++number) {
    const auto end = text.find('\n');
    const bool whole = end != std::string_view::npos;
    const auto line = trim(text.substr(0, end));
    text.remove_prefix(whole ? end + 1 : text.size());
    const auto refuse = [&](std::string_view why) {
      return Failure{fmt::format("Line {} {}.", number, why)};
    };
    if (number > limits.lines) return refuse("is one more than linerate reads");
    if (const auto excess = excess_of(line, limits); !excess.empty()) return refuse(excess);
    if (line.empty()) continue;
    const Json object = Json::parse(line, nullptr, false);
    if (object.is_discarded() && !whole) return file.torn = true, file;
    if (object.is_discarded()) return refuse("is not JSON: it was cut, or the file is another");
    if (const auto problem = read_line(object, file); !problem.empty()) return refuse(problem);
  }
  return file;
}

}  // namespace linerate
