// The keys of JSON Lines: each type's members, once, for the writer and the reader.
//
// `io` is a json::Writer or a json::Reader (record/json_io.h). Its verbs:
//   field     a key that is always there; a number that is not finite and an optional without a
//             value are absent
//   sparse    a key that is absent while its value is empty, zero or false
//   exact     a number with all its digits; all others are rounded to those that mean something
//   hex       bits, as text
//   group     an object that is no type of its own
//   members   an object whose keys are data
//   either    a list, or what is left of a long one
//   present   lets an optional exist where a key does
//   derived   written for readers, not read back
// The order here is the order in a line, and the unit is in the key.
#pragma once

#include "record/record.h"
#include "record/verdict.h"

#include <cmath>
#include <concepts>
#include <string>
#include <type_traits>

namespace linerate {

// T is `Of`, constant for a writer.
template <typename T, typename Of>
concept Is = std::same_as<std::remove_const_t<T>, Of>;

void fields(auto& io, Is<RankInfo> auto& rank) {
  io.field("rank", rank.rank);
  io.field("group", rank.group);
  io.field("pid", rank.pid);
  io.sparse("hostname", rank.hostname);
  io.field("node", rank.node);
  io.field("device", rank.device);
  io.sparse("bus_id", rank.bus_id);
  io.sparse("device_name", rank.device_name);
  io.sparse("affinity", rank.affinity);
}

void fields(auto& io, Is<TimingInfo> auto& timing) {
  io.field("clock_cost_ns", timing.clock_cost_ns);
  io.field("clock_resolution_ns", timing.clock_resolution_ns);
  io.field("barrier_cost_us", timing.barrier_cost_us);
  io.field("barrier_least_us", timing.barrier_least_us);
  io.field("clock_error_us", timing.clock_error_us);
}

void fields(auto& io, Is<MemoryPoint> auto& point) {
  io.field("bytes", point.bytes);
  io.field("read_gbps", point.read_gbps);
  io.field("write_gbps", point.write_gbps);
  io.field("copy_gbps", point.copy_gbps);
  io.field("update_gbps", point.update_gbps);
  io.field("noise", point.noise);
}

void fields(auto& io, Is<NetworkPoint> auto& point) {
  io.field("node", point.node);
  io.field("send_gbps", point.send_gbps);
  io.field("receive_gbps", point.receive_gbps);
  io.field("round_trip_us", point.round_trip_us);
}

// The version stands in the run itself.
void fields(auto& io, Is<BuildInfo> auto& build) {
  io.sparse("commit", build.commit);
  io.sparse("compiler", build.compiler);
  io.sparse("build_type", build.build_type);
  io.sparse("modules", build.modules);
}

void fields(auto& io, Is<HostFacts> auto& host) {
  io.sparse("kernel", host.kernel);
  io.sparse("system", host.system);
  io.sparse("governor", host.governor);
  io.sparse("huge_pages", host.huge_pages);
  io.field("load", host.load);
}

// Of a run, and of each of its results.
void backend_fields(auto& io, auto& of) {
  io.sparse("backend", of.backend);
  io.sparse("backend_version", of.backend_version);
  io.sparse("transport", of.transport);
}

void fields(auto& io, Is<RunInfo> auto& run) {
  io.field("run_id", run.run_id);
  io.sparse("study", run.study);
  io.sparse("repeat", run.repeat);
  io.sparse("turns", run.turns);
  io.sparse("start_time", run.start_time);
  io.sparse("version", run.version);
  io.sparse("program", run.program);
  io.field("args", run.args);
  io.field("environment", run.environment);
  backend_fields(io, run);
  io.sparse("tuning", run.tuning);
  io.sparse("emulated", run.emulated);
  io.sparse("launcher", run.launcher);
  io.field("nranks", run.nranks);
  io.field("nnodes", run.nnodes);
  io.field("nprocs", run.nprocs);
  io.field("nthreads", run.nthreads);
  io.field("ngpus", run.ngpus);
  io.field("ngroups", run.ngroups);
  io.members("settings", run.settings);
  io.field("ranks", run.ranks);
  io.sparse("timing", run.timing);
  io.sparse("init_us", run.init_us);
  io.field("registered_ranks", run.registered_ranks);
  io.sparse("build", run.build);
  io.sparse("host", run.host);
  io.sparse("cpu_model", run.cpu_model);
  io.field("ncores", run.ncores);
  io.sparse("memory", run.memory);
  io.sparse("network", run.network);
}

void fields(auto& io, Is<CaseInfo> auto& what) {
  io.field("collective", what.collective);
  io.field("type", what.type);
  io.field("redop", what.redop);
  io.field("root", what.root);
  io.field("placement", what.placement);
  io.field("bytes", what.bytes);
  io.field("count", what.count);
}

void fields(auto& io, Is<RankSpread> auto& spread) {
  io.field("worst", spread.worst);
  io.field("median", spread.median);
  io.field("p95", spread.p95);
  io.field("p99", spread.p99);
  io.field("max", spread.max);
}

void fields(auto& io, Is<WindowInfo> auto& window) {
  io.field("iters", window.iters);
  io.field("agg", window.agg);
  io.field("time_us", window.time_us);
  io.sparse("slowest_us", window.slowest_us);
  io.field("cpu_us", window.cpu_us);
  io.field("fault_free_us", window.fault_free_us);
  io.either("core_wait_us", window.core_wait_us, window.core_wait_spread);
}

void summary_fields(auto& io, auto& samples) {
  auto& us = samples.us;
  io.field("n", us.n);
  io.field("batch", samples.batch);
  io.field("min", us.min);
  io.field("median", us.median);
  io.field("mean", us.mean);
  io.field("p95", us.p95);
  io.field("p99", us.p99);
  io.field("max", us.max);
  io.field("cv", us.cv);
  io.field("ci95_low", us.ci95_low);
  io.field("ci95_high", us.ci95_high);
  io.sparse("skipped", samples.skipped);
}

void fields(auto& io, Is<WrongWhere> auto& where) {
  io.field("rank", where.rank);
  io.field("index", where.first.index);
  io.exact("expected", where.first.expected);
  io.exact("got", where.first.got);
  io.hex("expected_bits", where.first.expected_bits);
  io.hex("got_bits", where.first.got_bits);
  io.field("wrong_ranks", where.wrong_ranks);
  io.field("count_per_rank", where.count_per_rank);
}

void fields(auto& io, Is<CopyStreamInfo> auto& stream) {
  io.field("from", stream.from);
  io.field("to", stream.to);
  io.field("by", stream.by);
  io.field("copies", stream.copies);
  io.field("gbps", stream.gbps);
}

void fields(auto& io, Is<CopyInfo> auto& copy) {
  io.field("engine", copy.engine);
  io.field("row", copy.row);
  io.field("column", copy.column);
  io.field("streams", copy.streams);
}

void fields(auto& io, Is<SlowDown> auto& slow) {
  io.field("alone_us", slow.alone_us);
  io.field("beside_us", slow.beside_us);
  io.field("slowdown", slow.ratio);
  io.field("ci95_low", slow.low);
  io.field("ci95_high", slow.high);
}

void fields(auto& io, Is<ProductInfo> auto& products) {
  io.field("type", products.type);
  io.field("alone_tflops", products.alone_tflops);
  io.field("beside_tflops", products.beside_tflops);
}

void fields(auto& io, Is<BesideInfo> auto& beside) {
  io.field("load", beside.load);
  io.field("blocks", beside.blocks);
  io.field("call", beside.call);
  io.field("unit", beside.unit);
  io.field("products", beside.products);
}

void expectation_fields(auto& io, auto& record) {
  io.present("expected_busbw_gbps", record.expected);
  if (!record.expected) return;
  auto& expected = *record.expected;
  io.field("ncclmodel_busbw_gbps", expected.ncclmodel_busbw_gbps);
  io.field("expected_busbw_gbps", expected.busbw_gbps);
  io.field("expected_low_gbps", expected.low_gbps);
  io.field("expected_high_gbps", expected.high_gbps);
  io.field("slack", expected.slack);
  io.sparse("bound_by", expected.bound_by);
  const double reached = efficiency(record);
  io.derived("efficiency", reached);
  if (std::isfinite(reached)) io.derived("verdict", std::string(name_of(verdict_of(record))));
}

void fields(auto& io, Is<Record> auto& record) {
  io.field("run_id", record.run_id);
  io.group("case", [&](auto& of_case) {
    fields(of_case, record.what);
    of_case.field("pair", record.pair);
  });
  io.field("group", record.group);
  io.field("nranks", record.nranks);
  io.field("nnodes", record.nnodes);
  backend_fields(io, record);
  io.field("window", record.window);
  io.sparse("touched_bytes", record.touched_bytes);
  io.field("algbw_gbps", record.algbw_gbps);
  io.field("busbw_gbps", record.busbw_gbps);
  expectation_fields(io, record);
  io.present("samples_us", record.samples);
  if (record.samples) {
    io.group("samples_us", [&](auto& us) { summary_fields(us, *record.samples); });
    io.field("arrival_skew_us", record.samples->arrival_skew_us);
    io.field("exit_skew_us", record.samples->exit_skew_us);
    io.field("last_to_last_us", record.samples->last_to_last_us);
  }
  io.field("beside", record.beside);
  io.field("wrong", record.wrong);
  io.field("first_wrong", record.where);
  io.sparse("algorithm", record.call.algorithm);
  io.sparse("protocol", record.call.protocol);
  io.sparse("channels", record.call.channels);
  io.sparse("algorithm_lost", record.call.lost);
  io.sparse("traffic_bytes", record.traffic_bytes);
  io.field("copy", record.copy);
  io.sparse("timestamp", record.timestamp);
  if (record.samples) {
    io.either("late_us", record.samples->late_us, record.samples->late_spread);
    io.either("wait_us", record.samples->wait_us, record.samples->wait_spread);
    io.either("transfer_us", record.samples->transfer_us, record.samples->transfer_spread);
    io.sparse("raw_us", record.samples->raw_us);
  }
}

void fields(auto& io, Is<CommTimes> auto& times) {
  io.field("init", times.init_us);
  io.field("first_call", times.first_call_us);
  io.field("destroy", times.destroy_us);
}

void fields(auto& io, Is<Finding> auto& finding) {
  io.field("run_id", finding.run_id);
  io.field("rule", finding.rule);
  io.field("severity", finding.severity);
  io.sparse("subject", finding.subject);
  io.sparse("evidence", finding.evidence);
  io.sparse("advice", finding.advice);
  io.field("confidence", finding.confidence);
}

void fields(auto& io, Is<HealthValue> auto& value) {
  io.field("subject", value.subject);
  io.field("what", value.what);
  io.field("before", value.before);
  io.field("after", value.after);
  io.field("min", value.min);
  io.field("mean", value.mean);
  io.field("max", value.max);
  io.field("limit", value.limit);
}

void fields(auto& io, Is<NodeHealth> auto& health) {
  io.field("run_id", health.run_id);
  io.field("node", health.node);
  io.sparse("hostname", health.hostname);
  io.field("samples", health.samples);
  io.field("counters", health.counters);
  io.field("gpus", health.gpus);
  io.field("values", health.values);
  io.sparse("unread", health.unread);
}

void fields(auto& io, Is<EndInfo> auto& end) {
  io.field("run_id", end.run_id);
  io.sparse("end_time", end.end_time);
  io.field("exit_code", end.exit_code);
  io.field("failed_checks", end.failed_checks);
  io.field("average_busbw_gbps", end.average_busbw_gbps);
  io.field("error", end.error);
  io.members("memory_bytes", end.memory_bytes);
  io.field("comm_times_us", end.comm_times);
  io.sparse("memory", end.memory);
  io.sparse("network", end.network);
  io.sparse("verdict", end.verdict);
  if (!end.verdict.empty()) io.field("slack", end.slack);
}

}  // namespace linerate
