// Each thread times passes over a slice of its rank's buffers; a node's pass lasts from its first
// thread's beginning to its last one's end.
#include "bench/limits/memory_probe.h"

#include "base/clock.h"
#include "base/log.h"
#include "base/pages.h"
#include "base/units.h"
#include "base/wire.h"
#include "bench/probe/bandwidth.h"
#include "bench/probe/kernels.h"
#include "stats/summary.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <map>
#include <string>
#include <string_view>

namespace linerate {
namespace {

// Threads wait for each other at each size. A size takes less than the floor also where many ranks
// share a core.
void enter_stage(Session& session) {
  constexpr double kMemoryFloorS = 2;
  session.rank().enter_probe("probe of the memory", kMemoryFloorS);
}

// Of one buffer in a pass: with its fellow at 5 GB/s most of a millisecond, so that its beginning
// and its end do not count.
constexpr std::size_t kPartBytes = std::size_t{2} << 20;

// More than caches hold, of which it does not matter which core read or wrote it last.
constexpr std::size_t kBeyondCachesBytes = std::size_t{64} << 20;

probe::Parts parts_of_slice(std::size_t bytes) { return probe::parts_of(bytes / 2, kPartBytes); }

// What is timed, and the bandwidth that its best pass tells: kernels that read as much as they
// write are of one kind, from one place to another or in place.
struct ProbePass {
  std::string_view kernel;
  double MemoryPoint::*gbps;
};
constexpr ProbePass kProbePasses[] = {
    {"read", &MemoryPoint::read_gbps},     {"read_both", &MemoryPoint::read_gbps},
    {"write", &MemoryPoint::write_gbps},   {"nt_write", &MemoryPoint::write_gbps},
    {"copy", &MemoryPoint::copy_gbps},     {"nt_copy", &MemoryPoint::copy_gbps},
    {"combine", &MemoryPoint::copy_gbps},  {"nt_combine", &MemoryPoint::copy_gbps},
    {"update", &MemoryPoint::update_gbps}, {"merge", &MemoryPoint::update_gbps}};
constexpr int kProbeRepeats = 5;  // of each

// A thread's slice: half of it in send, half in recv, which need not be touched anew. A pass goes
// over the next part of it, so that a part comes back only after all others: a large slice is
// probed by a few parts of it.
class ThreadProbe {
 public:
  // The first rank's buffers are overwritten, by values that are normal numbers in each type; where
  // they are smaller than a slice of `most_bytes`, others are used.
  ThreadProbe(Session& session, std::size_t most_bytes);

  // All passes over a slice of `bytes`, which is gone through once before, unless it is large and
  // all that the buffers hold, and so what was touched last; where caches may hold it, it is
  // written too, since lines that another core has read are slower to write. Each pass begins when
  // all threads are there, which do the same.
  void measure(std::size_t bytes);
  // In the order of kProbePasses, each so many times; before them the first moment of measure().
  const std::vector<probe::Span>& spans() const { return spans_; }

  // Bytes of a slice that a pass reads or writes, over and over where the slice is small.
  static std::size_t touched_bytes(std::size_t bytes);

 private:
  void time_pass(const probe::Kernel& kernel, std::size_t bytes);
  void run_once(const probe::Kernel& kernel, std::size_t offset, std::size_t bytes);

  Session& session_;
  Buffer own_;  // empty: the rank's are used
  View send_, recv_;
  std::size_t next_part_ = 0;
  std::vector<probe::Span> spans_;
};

ThreadProbe::ThreadProbe(Session& session, std::size_t most_bytes) : session_(session) {
  auto& local = session.ranks().front();
  send_ = local.send.view();
  recv_ = local.recv.view();
  const auto half = round_up(most_bytes / 2, kLineBytes);
  if (half <= round_up(send_.size(), kLineBytes) && send_.size() >= kLineBytes) return;
  own_ = local.device->allocate(2 * half, MemoryKind::host);
  send_ = own_.view(0, half);
  recv_ = own_.view(half, half);
}

std::size_t ThreadProbe::touched_bytes(std::size_t bytes) {
  const auto parts = parts_of_slice(bytes);
  return 2 * parts.bytes * parts.loops;
}

// All of the part, whichever kernel: its send half in b and c, its recv half in a and d.
void ThreadProbe::run_once(const probe::Kernel& kernel, std::size_t offset, std::size_t bytes) {
  const auto send = send_.subspan(offset, bytes), recv = recv_.subspan(offset, bytes);
  if (kernel.name.ends_with("combine"))
    return kernel.run({.a = recv.first(bytes / 2),
                       .b = send.first(bytes / 2),
                       .c = send.last(bytes / 2),
                       .d = recv.last(bytes / 2)});
  kernel.run({.a = recv, .b = send, .c = {}});
  const bool takes_both =
      kernel.name.ends_with("copy") || kernel.name == "merge" || kernel.name == "read_both";
  if (!takes_both) kernel.run({.a = send, .b = {}, .c = {}});
}

void ThreadProbe::time_pass(const probe::Kernel& kernel, std::size_t bytes) {
  const auto parts = parts_of_slice(bytes);
  const auto offset = next_part_++ % parts.count * parts.bytes;
  session_.ranks().front().world->barrier();
  const auto waited_ns = session_.core_wait_ns().value_or(0);
  probe::Span span{.start_ns = session_.clock().now_ns()};
  for (std::size_t loop = 0; loop < parts.loops; ++loop) run_once(kernel, offset, parts.bytes);
  span.end_ns = session_.clock().now_ns();
  span.wait_ns = session_.core_wait_ns().value_or(0) - waited_ns;
  spans_.push_back(span);
  // What went past the caches must take its room there, or the next part would still be in them.
  if (kernel.name.starts_with("nt_")) run_once(*probe::find_kernel("read"), offset, parts.bytes);
}

void ThreadProbe::measure(std::size_t bytes) {
  const auto now_ns = session_.clock().now_ns();
  spans_ = {{.start_ns = now_ns, .end_ns = now_ns}};
  next_part_ = 0;
  const auto parts = parts_of_slice(bytes);
  const bool is_all = parts.bytes * (parts.count + 1) > send_.size();
  const bool fits_caches = bytes < kBeyondCachesBytes;
  const std::string_view touch = fits_caches ? "update" : "read";
  if (fits_caches || !is_all) run_once(*probe::find_kernel(touch), 0, parts.bytes * parts.count);
  for (const auto& pass : kProbePasses)
    for (int repeat = 0; repeat < kProbeRepeats; ++repeat)
      time_pass(*probe::find_kernel(pass.kernel), bytes);
}

// The spans of every thread of each node; all threads of a node share a clock.
using NodeSpans = std::map<int, probe::ThreadSpans>;

NodeSpans gather(Session& session, const std::vector<probe::Span>& mine) {
  WireWriter out;
  out.put(session.bootstrap().place().node);
  out.put_all(std::span<const probe::Span>(mine));
  NodeSpans nodes;
  for (const auto& bytes : session.bootstrap().all_gather(out.bytes(), session.init_deadline())) {
    WireReader in(bytes);
    auto& threads = nodes[in.get<int>()];
    threads.push_back(in.get_all<probe::Span>());
  }
  return nodes;
}

// The most that was reached: what memory can do is not what others left of it. Where they had a
// core during the best pass too, memory may do more: that is noise.
MemoryPoint point_of(const probe::ThreadSpans& threads, std::size_t bytes, bool shared_cores) {
  MemoryPoint point{.bytes = bytes}, undisturbed;
  std::vector<double> noise;  // of each pass: the best of its kernel over it
  const double touched = static_cast<double>(ThreadProbe::touched_bytes(bytes / threads.size())) *
                         static_cast<double>(threads.size());
  std::size_t next = 1;  // the first only tells when it began
  for (const auto& pass : kProbePasses) {
    // A copy reads one half and writes the other; in place, all is read and written.
    const bool in_place = pass.gbps == &MemoryPoint::update_gbps;
    std::array<double, kProbeRepeats> gbps{};
    const auto first = next;
    for (auto& of_pass : gbps)
      of_pass = probe::pass_gbps(threads, next++, in_place ? 2 * touched : touched);
    const double best = std::ranges::max(gbps);
    if (best > point.*pass.gbps) {
      const auto at = static_cast<std::size_t>(std::ranges::find(gbps, best) - gbps.begin());
      point.*pass.gbps = best;
      undisturbed.*pass.gbps = best * probe::pass_slack(threads, first + at);
    }
    for (const double of_pass : gbps)
      if (of_pass > 0) noise.push_back(best / of_pass);
  }
  if (!noise.empty()) point.noise = stats::summarize(noise).median;
  if (shared_cores) return point;
  for (const auto gbps : kMemoryBandwidths)
    if (point.*gbps > 0) point.noise = std::max(point.noise, undisturbed.*gbps / point.*gbps);
  return point;
}

// What a size took, and when its first thread began, of the node that took longest.
struct Taken {
  MemoryPoint point{};
  double took_us = 0;
};

Taken slowest_of(const NodeSpans& nodes, std::size_t bytes, bool shared_cores) {
  Taken taken;
  for (const auto& [node, threads] : nodes) {
    const auto point = point_of(threads, bytes, shared_cores);
    if (taken.point.bytes == 0) taken.point = point;
    for (const auto gbps : kMemoryBandwidths)
      taken.point.*gbps = std::min(taken.point.*gbps, point.*gbps);
    taken.point.noise = std::max(taken.point.noise, point.noise);
    const auto last = probe::joined(threads, threads.front().size() - 1);
    const auto took_ns = last.end_ns - probe::joined(threads, 0).start_ns;
    taken.took_us = std::max(taken.took_us, static_cast<double>(took_ns) / kNsPerUs);
  }
  return taken;
}

}  // namespace

ProbedMemory probe_memory(Session& session, std::span<const std::size_t> sizes,
                          const MemoryProbeRules& rules) {
  if (sizes.empty()) return {};
  enter_stage(session);
  const auto threads = static_cast<std::size_t>(session.bootstrap().place().local_nranks);
  ThreadProbe probe(session, sizes.back() / threads);
  ProbePlan plan(sizes, rules);
  while (const auto size = plan.next()) {
    enter_stage(session);
    probe.measure(*size / threads);
    const auto taken = slowest_of(gather(session, probe.spans()), *size, rules.shared_cores);
    plan.add(taken.point, taken.took_us);
  }
  return {.curve = plan.curve(), .unprobed = plan.unprobed()};
}

void say_unprobed(std::span<const std::size_t> sizes, double budget_us) {
  std::vector<std::string> texts;
  for (const auto bytes : sizes) texts.push_back(bytes_text(bytes));
  say(
      fmt::format("note: the memory could not be probed at {} within {} s, which is all that it "
                  "may take: results whose buffers take so much get no verdict",
                  fmt::join(texts, ", "), budget_us / 1e6));
}

}  // namespace linerate
