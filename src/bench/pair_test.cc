// Both ranks take the same steps; the last timed iteration receives into the spare buffer.
#include "bench/pair_test.h"

#include "base/clock.h"
#include "base/units.h"
#include "stats/reservoir.h"

#include <algorithm>
#include <span>
#include <utility>

namespace linerate {
namespace {

constexpr std::uint64_t kMaxSamples = 100'000;  // kept of a test, and sent to rank 0

// One of this thread's ranks in the test.
struct Part {
  LocalRank* local;
  bool is_source;
  int peer;
};

std::vector<Part> parts_of(Session& session, const PairTest& test) {
  std::vector<Part> parts;
  for (auto& local : session.ranks()) {
    if (local.rank == test.source) parts.push_back({&local, true, test.dest});
    if (local.rank == test.dest) parts.push_back({&local, false, test.source});
  }
  return parts;
}

// Where an iteration receives: the last one, which is verified, where no other one does.
enum class Into { recv, spare };

View received(const Part& part, std::size_t bytes, Into into) {
  return (into == Into::spare ? part.local->spare : part.local->recv).view(0, bytes);
}

Buffers buffers_of(const Part& part, std::size_t bytes, Into into) {
  return {.send = part.local->send.view(0, bytes),
          .recv = received(part, bytes, into),
          .count = bytes,
          .type = DataType::uint8};
}

enum class Way { there, back, both };

struct Iteration {
  const PairTest& test;
  Into into = Into::recv;
};

void transfer(const Part& part, const Buffers& b, Way way) {
  Communicator& comm = *part.local->world;
  Stream& stream = *part.local->stream;
  if (way == Way::both) return comm.send_recv(b, part.peer, part.peer, stream);
  if (part.is_source == (way == Way::there))
    comm.send(b, part.peer, stream);
  else
    comm.recv(b, part.peer, stream);
}

// What a group fuses runs at once, so that the two ways of a round trip are groups of their own.
void transfer_all(Session& session, const std::vector<Part>& parts, const Iteration& iteration,
                  Way way) {
  Group* const group = session.group();
  if (group != nullptr) group->start();
  for (const auto& part : parts)
    transfer(part, buffers_of(part, iteration.test.bytes, iteration.into), way);
  if (group != nullptr) group->end();
}

// One iteration on all of this thread's ranks in the test, and the wait for it.
void iterate(Session& session, const std::vector<Part>& parts, const Iteration& iteration) {
  const auto kind = iteration.test.kind;
  transfer_all(session, parts, iteration, kind == PairKind::bidirectional ? Way::both : Way::there);
  if (kind == PairKind::latency) transfer_all(session, parts, iteration, Way::back);
  std::vector<Stream*> streams;
  streams.reserve(parts.size());
  for (const auto& part : parts) streams.push_back(part.local->stream.get());
  if (!streams.empty()) wait_for_all(streams);
}

Content input_of(const Session& session, int rank) {
  return {.type = DataType::uint8,
          .op = RedOp::max,  // data that is only moved: see pattern.h
          .rank = rank,
          .nranks = session.nranks(),
          .seed = session.config().seed};
}

void fill_inputs(Session& session, const std::vector<Part>& parts, std::size_t bytes) {
  for (const auto& part : parts)
    part.local->device->fill(part.local->send.view(0, bytes), input_of(session, part.local->rank));
}

void fill_poison(Session& session, const std::vector<Part>& parts, const Iteration& iteration) {
  for (const auto& part : parts) {
    Content poison = input_of(session, part.local->rank);
    poison.kind = Content::Kind::poison;
    part.local->device->fill(received(part, iteration.test.bytes, iteration.into), poison);
  }
}

// The ranks of a thread have buffers of one size.
bool has_spare(const std::vector<Part>& parts, const PairTest& test) {
  return parts.front().local->spare.bytes() >= test.bytes;
}

RankCheck check_of(Session& session, const Part& part, const Iteration& iteration) {
  const auto& test = iteration.test;
  RankCheck check{.rank = part.local->rank};
  if (test.kind == PairKind::unidirectional && part.is_source) return check;
  const auto found = part.local->device->count_wrong(received(part, test.bytes, iteration.into),
                                                     input_of(session, part.peer));
  check.wrong = found.wrong;
  if (found.first) check.first = *found.first;
  return check;
}

// `iters` iterations, from the moment when both ranks are there; the last of them is
// `last`.
PairTiming timed(Session& session, const std::vector<Part>& parts, const Iteration& last,
                 std::uint64_t iters) {
  const auto& test = last.test;
  stats::Reservoir samples(std::min(iters, kMaxSamples));
  const Clock& clock = session.clock();
  const PairTest start_together{
      .kind = PairKind::latency, .source = test.source, .dest = test.dest};
  iterate(session, parts, {start_together});
  const auto before = session.modeled_time();
  const auto start_ns = clock.now_ns();
  auto last_ns = start_ns;
  for (std::uint64_t i = 1; i <= iters; ++i) {
    iterate(session, parts, i == iters ? last : Iteration{test});
    const auto now_ns = clock.now_ns();
    samples.add(static_cast<double>(now_ns - last_ns) / kNsPerUs);
    last_ns = now_ns;
  }
  PairTiming timing{.elapsed_ns = last_ns - start_ns,
                    .iteration_us = {samples.kept().begin(), samples.kept().end()}};
  if (before) timing.modelled = session.modeled_time().value_or(*before) - *before;
  return timing;
}

}  // namespace

std::string_view name_of(PairKind kind) {
  switch (kind) {
    case PairKind::latency:
      return "p2p_latency";
    case PairKind::unidirectional:
      return "p2p_unidirectional";
    case PairKind::bidirectional:
      return "p2p_bidirectional";
  }
  __builtin_unreachable();
}

PairRepeats repeats_of(const BenchConfig& config) {
  return {.iters = config.iters,
          .warmup_iters = std::max<std::uint64_t>(1, config.warmup_iters),
          .check = config.check > 0};
}

void merge(PairTiming& into, PairTiming&& other) {
  into.checks.insert(into.checks.end(), other.checks.begin(), other.checks.end());
  if (other.elapsed_ns <= into.elapsed_ns) return;
  into.elapsed_ns = other.elapsed_ns;
  into.modelled = other.modelled;
  into.iteration_us = std::move(other.iteration_us);
}

void put_timing(WireWriter& out, const PairTiming& timing) {
  out.put(timing.elapsed_ns);
  out.put(timing.modelled);
  out.put_all(std::span<const double>(timing.iteration_us));
  out.put_all(std::span<const RankCheck>(timing.checks));
}

PairTiming get_timing(WireReader& in) {
  PairTiming timing{.elapsed_ns = in.get<std::int64_t>()};
  timing.modelled = in.get<std::optional<ModeledTime>>();
  timing.iteration_us = in.get_all<double>();
  timing.checks = in.get_all<RankCheck>();
  return timing;
}

std::vector<PairTiming> run_pair_test(Session& session, const PairTest& test,
                                      const PairRepeats& repeats) {
  const auto parts = parts_of(session, test);
  if (parts.empty()) return {};
  fill_inputs(session, parts, test.bytes);
  for (std::uint64_t i = 0; i < repeats.warmup_iters; ++i) iterate(session, parts, {test});
  const bool spare = has_spare(parts, test);
  const Iteration last{test, spare ? Into::spare : Into::recv};
  fill_poison(session, parts, last);
  std::vector<PairTiming> timings(parts.size(), timed(session, parts, last, repeats.iters));
  if (!repeats.check) return timings;
  if (!spare) {
    fill_poison(session, parts, last);
    (void)timed(session, parts, last, 1);
  }
  for (std::size_t i = 0; i < parts.size(); ++i)
    timings[i].checks.push_back(check_of(session, parts[i], last));
  return timings;
}

std::vector<PairTiming> time_at_once(Session& session, std::span<const PairTest> tests,
                                     const PairRepeats& repeats) {
  session.bootstrap().barrier(Deadline::never());
  WireWriter out;
  for (std::size_t t = 0; t < tests.size(); ++t)
    for (const auto& timing : run_pair_test(session, tests[t], repeats)) {
      out.put(t);
      put_timing(out, timing);
    }
  const auto gathered = session.bootstrap().gather(out.bytes(), Deadline::never());
  if (!session.is_first()) return {};
  std::vector<PairTiming> timings(tests.size());
  for (const auto& bytes : gathered)
    for (WireReader in(bytes); !in.empty();) {
      const auto t = in.get<std::size_t>();
      merge(timings.at(t), get_timing(in));
    }
  return timings;
}

std::vector<PairRate> rates_at_once(Session& session, const Round& round, std::size_t bytes,
                                    const PairRepeats& repeats) {
  std::vector<PairRate> rates;
  for (const auto& pair : round) rates.push_back({.ranks = pair});
  for (const bool forward : {true, false}) {
    std::vector<PairTest> tests;
    for (const auto& [a, b] : round)
      tests.push_back({PairKind::unidirectional, forward ? a : b, forward ? b : a, bytes});
    session.enter(
        {.what = "timed loop", .collective = name_of(PairKind::unidirectional), .bytes = bytes});
    const auto timings = time_at_once(session, tests, repeats);
    if (timings.empty()) continue;
    for (std::size_t i = 0; i < rates.size(); ++i) {
      const double us = static_cast<double>(timings[i].elapsed_ns) / kNsPerUs;
      const double gbps = gbps_of(static_cast<double>(bytes * repeats.iters), us);
      (forward ? rates[i].forward_gbps : rates[i].backward_gbps) = gbps;
      for (const auto& check : timings[i].checks) rates[i].wrong |= check.wrong > 0;
    }
  }
  return session.is_first() ? rates : std::vector<PairRate>();
}

}  // namespace linerate
