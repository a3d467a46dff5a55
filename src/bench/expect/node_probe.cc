// See node_probe.h.
#include "bench/expect/node_probe.h"

#include "base/clock.h"
#include "base/pages.h"
#include "base/wire.h"
#include "bench/probe/kernels.h"

#include <algorithm>
#include <limits>
#include <map>
#include <span>
#include <string_view>

namespace linerate {
namespace {

constexpr std::size_t kLeastSize = std::size_t{64} << 10;
constexpr std::size_t kStep = 4;
constexpr std::size_t kCaches = 2;  // a footprint so many times the last cache hardly profits of it
constexpr std::size_t kMostBytes = std::size_t{512} << 20;  // to touch more takes too long
constexpr std::size_t kPassBytes = std::size_t{4} << 20;    // of a timed pass, at least
constexpr std::size_t kLargeBytes = std::size_t{128} << 20;
constexpr int kRepeats = 3, kRepeatsOfLarge = 1;

// What is timed, and which bandwidth its best pass tells.
struct Pass {
  std::string_view kernel;
  double MemoryPoint::*gbps;
};
constexpr Pass kPasses[] = {
    {"read", &MemoryPoint::read_gbps},      {"write", &MemoryPoint::write_gbps},
    {"nt_write", &MemoryPoint::write_gbps}, {"copy", &MemoryPoint::copy_gbps},
    {"nt_copy", &MemoryPoint::copy_gbps},   {"update", &MemoryPoint::update_gbps}};

struct Span {
  std::int64_t start_ns = 0, end_ns = 0;
};

// One lane's part: its slice of each size, and the times of all passes in order.
class LaneProbe {
 public:
  LaneProbe(Session& session, std::size_t largest_bytes)
      : session_(session),
        memory_(session.ranks().front().device->allocate(round_up(largest_bytes, page_bytes()),
                                                         MemoryKind::host)) {
    touch(memory_.view());
  }

  // `bytes` of this lane's slice, of `total` over the lanes of the node.
  void measure(std::size_t bytes, std::size_t total);
  const std::vector<Span>& spans() const { return spans_; }

 private:
  void time_pass(const probe::Kernel& kernel, std::size_t bytes);

  Session& session_;
  Buffer memory_;
  std::vector<Span> spans_;
};

// The same on nodes with different numbers of lanes, because each pass starts with a barrier.
int repeats_of(std::size_t bytes) { return bytes > kLargeBytes ? kRepeatsOfLarge : kRepeats; }

// Small slices are gone through several times, so that a pass is longer than its start.
std::size_t loops_of(std::size_t bytes) { return std::max<std::size_t>(1, kPassBytes / bytes); }

void LaneProbe::time_pass(const probe::Kernel& kernel, std::size_t bytes) {
  constexpr std::size_t kLine = 64;
  const auto half = round_down(bytes / 2, kLine);
  const bool copies = kernel.name.ends_with("copy");
  const probe::Arrays arrays{.a = memory_.view(0, copies ? half : round_down(bytes, kLine)),
                             .b = memory_.view(half, half),
                             .c = {}};
  session_.align();
  Span span{.start_ns = session_.clock().now_ns()};
  for (std::size_t loop = 0; loop < loops_of(bytes); ++loop) kernel.run(arrays);
  span.end_ns = session_.clock().now_ns();
  spans_.push_back(span);
}

// The first pass brings the slice into the caches and is not kept.
void LaneProbe::measure(std::size_t bytes, std::size_t total) {
  time_pass(*probe::find_kernel("read"), bytes);
  spans_.pop_back();
  for (const auto& pass : kPasses)
    for (int repeat = 0; repeat < repeats_of(total); ++repeat)
      time_pass(*probe::find_kernel(pass.kernel), bytes);
}

// The spans of every lane of one node; all lanes of a node share a clock.
using NodeSpans = std::map<int, std::vector<std::vector<Span>>>;

NodeSpans gather(Session& session, const std::vector<Span>& mine) {
  WireWriter out;
  out.put(session.members().place().node);
  for (const auto& span : mine) out.put(span);
  NodeSpans nodes;
  for (const auto& bytes : session.members().all_gather(out.bytes(), session.init_deadline())) {
    WireReader in(bytes);
    auto& lanes = nodes[in.get<int>()];
    lanes.emplace_back();
    while (!in.empty()) lanes.back().push_back(in.get<Span>());
  }
  return nodes;
}

// From the first lane that starts to the last that ends.
double elapsed_ns(const std::vector<std::vector<Span>>& lanes, std::size_t pass) {
  Span all{.start_ns = std::numeric_limits<std::int64_t>::max()};
  for (const auto& spans : lanes) {
    all.start_ns = std::min(all.start_ns, spans[pass].start_ns);
    all.end_ns = std::max(all.end_ns, spans[pass].end_ns);
  }
  return static_cast<double>(std::max<std::int64_t>(all.end_ns - all.start_ns, 1));
}

// The most that was reached: what memory can do is not what others left of it.
MemoryPoint point_of(const std::vector<std::vector<Span>>& lanes, std::size_t bytes,
                     std::size_t first_pass) {
  MemoryPoint point{.bytes = bytes};
  const auto slice = bytes / lanes.size();
  const double touched = static_cast<double>(slice * lanes.size() * loops_of(slice));
  for (const auto& pass : kPasses) {
    // A copy reads one half and writes the other.
    const double moved = pass.kernel == "update" ? 2 * touched : touched;
    for (int repeat = 0; repeat < repeats_of(bytes); ++repeat, ++first_pass)
      point.*pass.gbps = std::max(point.*pass.gbps, moved / elapsed_ns(lanes, first_pass));
  }
  return point;
}

void keep_slower(MemoryPoint& point, const MemoryPoint& other) {
  point.read_gbps = std::min(point.read_gbps, other.read_gbps);
  point.write_gbps = std::min(point.write_gbps, other.write_gbps);
  point.copy_gbps = std::min(point.copy_gbps, other.copy_gbps);
  point.update_gbps = std::min(point.update_gbps, other.update_gbps);
}

}  // namespace

std::vector<std::size_t> probe_sizes(std::span<const double> footprints, std::size_t l3_bytes,
                                     std::size_t free_bytes) {
  if (footprints.empty()) return {};
  const auto beyond_caches = std::min(kCaches * l3_bytes, kMostBytes);
  const auto most = std::max(std::min(beyond_caches, free_bytes / 8), kLeastSize);
  const auto [least_wanted, most_wanted] = std::ranges::minmax(footprints);
  std::vector<std::size_t> sizes;
  for (std::size_t size = kLeastSize; size < most; size *= kStep) {
    if (static_cast<double>(size * kStep) <= least_wanted) continue;
    sizes.push_back(size);
    if (static_cast<double>(size) >= most_wanted) return sizes;
  }
  sizes.push_back(most);
  return sizes;
}

MemoryCurve probe_memory(Session& session, std::span<const std::size_t> sizes) {
  if (sizes.empty()) return {};
  session.enter_local({.what = "probe of the memory"});
  const auto lanes = static_cast<std::size_t>(session.members().place().local_nranks);
  LaneProbe probe(session, std::ranges::max(sizes) / lanes);
  for (const auto size : sizes) probe.measure(size / lanes, size);
  std::vector<MemoryPoint> points;
  for (const auto& [node, spans] : gather(session, probe.spans())) {
    std::size_t pass = 0;
    for (std::size_t i = 0; i < sizes.size(); ++i) {
      const auto point = point_of(spans, sizes[i], pass);
      pass += std::size(kPasses) * static_cast<std::size_t>(repeats_of(sizes[i]));
      if (i == points.size())
        points.push_back(point);
      else
        keep_slower(points[i], point);
    }
  }
  return MemoryCurve(std::move(points));
}

}  // namespace linerate
