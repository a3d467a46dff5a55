// See node_probe.h.
#include "bench/expect/node_probe.h"

#include "base/clock.h"
#include "base/log.h"
#include "base/units.h"
#include "base/wire.h"
#include "bench/expect/thread_probe.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <string>
#include <string_view>

namespace linerate {
namespace {

// Threads wait for each other at each size. A size takes less than the floor also where many ranks
// share a core.
void enter_stage(Session& session) {
  constexpr double kMemoryFloorS = 2;
  session.enter_probe("probe of the memory", kMemoryFloorS);
}

// The spans of every thread of one node; all threads of a node share a clock.
using ThreadSpans = std::vector<std::vector<ClockSpan>>;
using NodeSpans = std::map<int, ThreadSpans>;

NodeSpans gather(Session& session, const std::vector<ClockSpan>& mine) {
  WireWriter out;
  out.put(session.members().place().node);
  out.put_all(std::span<const ClockSpan>(mine));
  NodeSpans nodes;
  for (const auto& bytes : session.members().all_gather(out.bytes(), session.init_deadline())) {
    WireReader in(bytes);
    auto& threads = nodes[in.get<int>()];
    threads.push_back(in.get_all<ClockSpan>());
  }
  return nodes;
}

// Of all threads together.
ClockSpan span_of(const ThreadSpans& threads, std::size_t pass) {
  std::vector<ClockSpan> spans;
  for (const auto& of_thread : threads) spans.push_back(of_thread[pass]);
  return joined(spans);
}

// The most that was reached: what memory can do is not what others left of it.
MemoryPoint point_of(const ThreadSpans& threads, std::size_t bytes) {
  MemoryPoint point{.bytes = bytes};
  const double touched = static_cast<double>(ThreadProbe::touched_bytes(bytes / threads.size())) *
                         static_cast<double>(threads.size());
  std::size_t next = 1;  // the first only tells when it began
  for (const auto& pass : kProbePasses) {
    // A copy reads one half and writes the other; in place, all is read and written.
    const bool in_place = pass.gbps == &MemoryPoint::update_gbps;
    const double moved = in_place ? 2 * touched : touched;
    for (int repeat = 0; repeat < kProbeRepeats; ++repeat, ++next) {
      const auto span = span_of(threads, next);
      const auto elapsed_ns = std::max<std::int64_t>(span.end_ns - span.start_ns, 1);
      point.*pass.gbps = std::max(point.*pass.gbps, moved / static_cast<double>(elapsed_ns));
    }
  }
  return point;
}

// What a size took, and when its first thread began, of the node that took longest.
struct Taken {
  MemoryPoint point{};
  double took_us = 0;
};

Taken slowest_of(const NodeSpans& nodes, std::size_t bytes) {
  Taken taken;
  for (const auto& [node, threads] : nodes) {
    const auto point = point_of(threads, bytes);
    if (taken.point.bytes == 0) taken.point = point;
    for (const auto gbps : kMemoryBandwidths)
      taken.point.*gbps = std::min(taken.point.*gbps, point.*gbps);
    const auto last = span_of(threads, threads.front().size() - 1);
    const auto took_ns = last.end_ns - span_of(threads, 0).start_ns;
    taken.took_us = std::max(taken.took_us, static_cast<double>(took_ns) / kNsPerUs);
  }
  return taken;
}

// What this thread finds alone.
std::vector<MemoryPoint> measured_alone(Session& session, std::span<const std::size_t> sizes,
                                        double budget_us) {
  ThreadProbe probe(session, sizes.back());
  ProbePlan plan(sizes, {.budget_us = budget_us, .stops_when_alike = false});
  while (const auto size = plan.next()) {
    probe.measure(*size, ProbeCompany::alone);
    const ThreadSpans spans{probe.spans()};
    auto point = point_of(spans, *size);
    point.nranks = 1;
    plan.add(point,
             static_cast<double>(spans.front().back().end_ns - spans.front().front().start_ns) /
                 kNsPerUs);
  }
  return plan.curve().points();
}

// The best of all threads at each size.
MemoryCurve best_of(Session& session, const std::vector<MemoryPoint>& mine) {
  WireWriter out;
  out.put_all(std::span<const MemoryPoint>(mine));
  std::map<std::uint64_t, MemoryPoint> best;
  for (const auto& bytes : session.members().all_gather(out.bytes(), session.init_deadline()))
    for (const auto& point : WireReader(bytes).get_all<MemoryPoint>()) {
      auto& most = best.try_emplace(point.bytes, point).first->second;
      for (const auto gbps : kMemoryBandwidths) most.*gbps = std::max(most.*gbps, point.*gbps);
    }
  std::vector<MemoryPoint> points;
  for (const auto& [bytes, point] : best) points.push_back(point);
  return MemoryCurve(points);
}

}  // namespace

ProbedMemory probe_memory(Session& session, std::span<const std::size_t> sizes,
                          const ProbePlan::Rules& rules) {
  if (sizes.empty()) return {};
  enter_stage(session);
  const auto threads = static_cast<std::size_t>(session.members().place().local_nranks);
  ThreadProbe probe(session, sizes.back() / threads);
  ProbePlan plan(sizes, rules);
  while (const auto size = plan.next()) {
    enter_stage(session);
    probe.measure(*size / threads);
    const auto taken = slowest_of(gather(session, probe.spans()), *size);
    plan.add(taken.point, taken.took_us);
  }
  return {.curve = plan.curve(), .left_out = plan.left_out()};
}

ProbedMemory probe_lone_memory(Session& session, std::span<const std::size_t> sizes,
                               double budget_us) {
  constexpr int kMaxAsked = 4;  // cores differ, but by few kinds
  const int nthreads = session.members().nranks();
  const int nasked = std::min(nthreads, kMaxAsked);
  std::vector<MemoryPoint> mine;
  for (int i = 0; i < nasked; ++i) {
    enter_stage(session);
    if (session.members().rank() == i * nthreads / nasked)
      mine = measured_alone(session, sizes, budget_us / nasked);
    session.members().barrier(session.init_deadline());
  }
  ProbedMemory probed{.curve = best_of(session, mine)};
  for (const auto size : sizes)
    if (std::ranges::find(probed.curve.points(), size, &MemoryPoint::bytes) ==
        probed.curve.points().end())
      probed.left_out.push_back(size);
  return probed;
}

void tell_left_out(std::span<const std::size_t> sizes, double budget_us) {
  std::vector<std::string> texts;
  for (const auto bytes : sizes) texts.push_back(bytes_text(bytes));
  say(
      fmt::format("note: the memory could not be probed at {} within {} s, which is all that it "
                  "may take: results whose buffers take so much get no verdict",
                  fmt::join(texts, ", "), budget_us / 1e6));
}

}  // namespace linerate
