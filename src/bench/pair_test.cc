// See pair_test.h.
#include "bench/pair_test.h"

#include "bench/wait.h"
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

Buffers buffers_of(const Part& part, std::size_t bytes) {
  return {.send = part.local->send.view(0, bytes),
          .recv = part.local->recv.view(0, bytes),
          .count = bytes,
          .type = DataType::uint8};
}

enum class Way { there, back, both };

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
void transfer_all(Session& session, const std::vector<Part>& parts, const PairTest& test, Way way) {
  Group* const group = session.group();
  if (group != nullptr) group->start();
  for (const auto& part : parts) transfer(part, buffers_of(part, test.bytes), way);
  if (group != nullptr) group->end();
}

// One iteration on all of this thread's ranks in the test, and the wait for it.
void iterate(Session& session, const std::vector<Part>& parts, const PairTest& test) {
  transfer_all(session, parts, test, test.kind == PairKind::bidirectional ? Way::both : Way::there);
  if (test.kind == PairKind::latency) transfer_all(session, parts, test, Way::back);
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

void fill(Session& session, const std::vector<Part>& parts, std::size_t bytes) {
  for (const auto& part : parts) {
    part.local->device->fill(part.local->send.view(0, bytes), input_of(session, part.local->rank));
    Content poison = input_of(session, part.local->rank);
    poison.kind = Content::Kind::poison;
    part.local->device->fill(part.local->recv.view(0, bytes), poison);
  }
}

std::uint64_t wrong_bytes(Session& session, const Part& part, const PairTest& test) {
  if (test.kind == PairKind::unidirectional && part.is_source) return 0;
  const auto received = part.local->recv.view(0, test.bytes);
  return part.local->device->count_wrong(received, input_of(session, part.peer)).wrong;
}

// `iters` iterations, from the moment when both ranks are there.
PairTiming timed(Session& session, const std::vector<Part>& parts, const PairTest& test,
                 std::uint64_t iters) {
  stats::Reservoir samples(std::min(iters, kMaxSamples));
  const Clock& clock = session.clock();
  const PairTest meeting{.kind = PairKind::latency, .source = test.source, .dest = test.dest};
  iterate(session, parts, meeting);
  const auto before = session.modeled_time();
  const auto start_ns = clock.now_ns();
  auto last_ns = start_ns;
  for (std::uint64_t i = 0; i < iters; ++i) {
    iterate(session, parts, test);
    const auto now_ns = clock.now_ns();
    samples.add(static_cast<double>(now_ns - last_ns) / 1e3);
    last_ns = now_ns;
  }
  PairTiming timing{.elapsed_ns = last_ns - start_ns,
                    .start_ns = start_ns,
                    .iteration_us = {samples.kept().begin(), samples.kept().end()}};
  if (before) timing.modelled = session.modeled_time().value_or(*before) - *before;
  return timing;
}

// One more timed iteration, over poison, so that nothing of an earlier one can pass for it.
void verify(Session& session, const std::vector<Part>& parts, const PairTest& test,
            std::vector<PairTiming>& timings) {
  fill(session, parts, test.bytes);
  (void)timed(session, parts, test, 1);
  for (std::size_t i = 0; i < parts.size(); ++i)
    timings[i].wrong = wrong_bytes(session, parts[i], test);
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

PairRepeats repeats_of(const RunConfig& config) {
  return {.iters = config.iters,
          .warmup_iters = std::max<std::uint64_t>(1, config.warmup_iters),
          .check = config.check > 0};
}

void merge(PairTiming& into, PairTiming&& other) {
  into.wrong += other.wrong;
  if (other.elapsed_ns <= into.elapsed_ns) return;
  into.elapsed_ns = other.elapsed_ns;
  into.start_ns = other.start_ns;
  into.modelled = other.modelled;
  into.iteration_us = std::move(other.iteration_us);
}

void put_timing(WireWriter& out, const PairTiming& timing) {
  out.put(timing.elapsed_ns);
  out.put(timing.start_ns);
  out.put(timing.modelled);
  out.put(timing.wrong);
  out.put_all(std::span<const double>(timing.iteration_us));
}

PairTiming get_timing(WireReader& in) {
  PairTiming timing{.elapsed_ns = in.get<std::int64_t>()};
  timing.start_ns = in.get<std::int64_t>();
  timing.modelled = in.get<std::optional<ModeledTime>>();
  timing.wrong = in.get<std::uint64_t>();
  timing.iteration_us = in.get_all<double>();
  return timing;
}

std::vector<PairTiming> run_pair_test(Session& session, const PairTest& test,
                                      const PairRepeats& repeats) {
  const auto parts = parts_of(session, test);
  if (parts.empty()) return {};
  fill(session, parts, test.bytes);
  for (std::uint64_t i = 0; i < repeats.warmup_iters; ++i) iterate(session, parts, test);
  std::vector<PairTiming> timings(parts.size(), timed(session, parts, test, repeats.iters));
  if (repeats.check) verify(session, parts, test, timings);
  return timings;
}

}  // namespace linerate
