#include "bench/memcpy/copy_plan.h"

#include "base/units.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <set>

namespace linerate {
namespace {

class Planner {
 public:
  Planner(const CopyTest& test, const CopyPlace& place)
      : kind_(*test.kind), engine_(test.engine), place_(place) {
    plan_.test = &test;
  }

  CopyPlan plan();

 private:
  int count() const { return static_cast<int>(place_.gpus.size()); }
  int gpu(int index) const { return place_.gpus[static_cast<std::size_t>(index)]; }
  void label();
  void measure();
  void remark();
  void host_streams(int first, int last);
  void add_pair_stream(CopyMeasurement& into, std::pair<int, int> ends, CopyCell cell) const;
  bool reach(int a, int b);
  void pairs();
  void one_and_others(bool into);
  void threads(int count);
  void add(CopyMeasurement&& measurement) { plan_.measurements.push_back(std::move(measurement)); }

  const CopyKind& kind_;
  const CopyEngine engine_;
  const CopyPlace& place_;
  CopyPlan plan_;
  std::set<std::pair<int, int>> apart_;  // pairs without access, lower number first
};

// The name of the only row; empty where each GPU has one.
std::string only_row(CopyEnds ends) {
  switch (ends) {
    case CopyEnds::host:
    case CopyEnds::all_host:
    case CopyEnds::thread:
    case CopyEnds::threads:
      return "host";
    case CopyEnds::local:
      return "local";
    case CopyEnds::into_one:
    case CopyEnds::from_one:
      return "peers";
    case CopyEnds::pair:
      return {};
  }
  __builtin_unreachable();
}

void Planner::label() {
  for (const int gpu : place_.gpus) plan_.columns.push_back(fmt::to_string(gpu));
  plan_.rows = plan_.columns;
  if (auto row = only_row(kind_.ends); !row.empty()) plan_.rows = {std::move(row)};
  if (!kind_.needs_gpu()) plan_.columns = plan_.rows;
}

// Of the GPUs [first, last) at once.
void Planner::host_streams(int first, int last) {
  CopyMeasurement all;
  for (int column = first; column < last; ++column) {
    const int gpu = this->gpu(column);
    if (kind_.way != CopyWay::up) all.streams.push_back({kHostEnd, gpu, gpu, engine_});
    if (kind_.way != CopyWay::down) all.streams.push_back({gpu, kHostEnd, gpu, engine_});
    all.cell_of.resize(all.streams.size(), {0, column});
  }
  add(std::move(all));
}

// From the first of `ends` to the second, both indices.
void Planner::add_pair_stream(CopyMeasurement& into, std::pair<int, int> ends,
                              CopyCell cell) const {
  const int from = gpu(ends.first), to = gpu(ends.second);
  into.streams.push_back({from, to, kind_.access == CopyAccess::read ? to : from, engine_});
  into.cell_of.push_back(cell);
}

bool Planner::reach(int a, int b) {
  if (place_.reach(gpu(a), gpu(b))) return true;
  apart_.insert(std::minmax(gpu(a), gpu(b)));
  return false;
}

// Both ways are one measurement for a pair: its figure stands in both cells.
void Planner::pairs() {
  const bool both = kind_.way == CopyWay::both;
  for (int a = 0; a < count(); ++a)
    for (int b = both ? a + 1 : 0; b < count(); ++b) {
      if (a == b || !reach(a, b)) continue;
      CopyMeasurement pair{.streams = {}, .cell_of = {}, .symmetric = both};
      add_pair_stream(pair, {a, b}, {a, b});
      if (both) add_pair_stream(pair, {b, a}, {a, b});
      add(std::move(pair));
    }
}

void Planner::one_and_others(bool into) {
  for (int one = 0; one < count(); ++one) {
    CopyMeasurement all;
    for (int other = 0; other < count(); ++other) {
      if (other == one || !reach(one, other)) continue;
      add_pair_stream(all, into ? std::pair(other, one) : std::pair(one, other), {0, one});
    }
    if (!all.streams.empty()) add(std::move(all));
  }
}

void Planner::threads(int count) {
  const auto n = static_cast<std::size_t>(std::max(count, 1));
  add({.streams = std::vector<CopyStream>(n, {kHostEnd, kHostEnd, kHostEnd, engine_}),
       .cell_of = std::vector<CopyCell>(n, {0, 0})});
}

void Planner::measure() {
  switch (kind_.ends) {
    case CopyEnds::host:
      for (int g = 0; g < count(); ++g) host_streams(g, g + 1);
      return;
    case CopyEnds::all_host:
      return host_streams(0, count());
    case CopyEnds::local:
      for (int g = 0; g < count(); ++g)
        add({.streams = {{gpu(g), gpu(g), gpu(g), engine_}}, .cell_of = {{0, g}}});
      return;
    case CopyEnds::pair:
      return pairs();
    case CopyEnds::into_one:
      return one_and_others(true);
    case CopyEnds::from_one:
      return one_and_others(false);
    case CopyEnds::thread:
      return threads(1);
    case CopyEnds::threads:
      return threads(place_.threads);
  }
}

void Planner::remark() {
  if (plan_.measurements.empty() && count() < 2)
    plan_.remarks.emplace_back("N/A: this test needs two GPUs, and one takes part.");
  if (apart_.empty()) return;
  std::vector<std::string> apart;
  for (const auto& [a, b] : apart_) apart.push_back(fmt::format("{}-{}", a, b));
  plan_.remarks.push_back(
      fmt::format("N/A: GPUs {} cannot access each other's memory (nvidia-smi topo -p2p r).",
                  fmt::join(apart, ", ")));
}

CopyPlan Planner::plan() {
  label();
  measure();
  remark();
  return std::move(plan_);
}

// Parts of the free memory; the rest is for others and for contexts.
constexpr double kShareOfGpu = 0.9;
constexpr double kShareOfHost = 0.5;

double share_of(int end) { return end == kHostEnd ? kShareOfHost : kShareOfGpu; }

// Buffers at each end, the most that one measurement has.
std::map<int, std::size_t> most_buffers(std::span<const CopyPlan> plans) {
  std::map<int, std::size_t> most;
  for (const CopyPlan& plan : plans)
    for (const CopyMeasurement& measurement : plan.measurements) {
      std::map<int, std::size_t> here;
      for (const CopyStream& stream : measurement.streams) {
        ++here[stream.from];
        ++here[stream.to];
      }
      for (const auto& [end, buffers] : here) most[end] = std::max(most[end], buffers);
    }
  return most;
}

}  // namespace

CopyPlan plan_of(const CopyTest& test, const CopyPlace& place) {
  return Planner(test, place).plan();
}

CopyFit fitting_bytes(std::span<const CopyPlan> plans, std::size_t wanted,
                      const std::function<std::size_t(int)>& free_bytes) {
  CopyFit fit{.bytes = wanted};
  for (const auto& [end, buffers] : most_buffers(plans)) {
    const std::size_t free = free_bytes(end);
    const auto ours = static_cast<std::size_t>(static_cast<double>(free) * share_of(end));
    const std::size_t bytes = ours / buffers / kCopyGrain * kCopyGrain;
    if (bytes < fit.bytes)
      fit = {.bytes = bytes, .bound_by = end, .buffers = buffers, .free_bytes = free};
  }
  return fit;
}

std::string fit_text(const CopyFit& fit, std::size_t wanted) {
  constexpr double kPercent = 100;
  const auto where = fit.bound_by == kHostEnd ? "the host" : fmt::format("GPU {}", fit.bound_by);
  return fmt::format(
      "-b {} does not fit: {} has {} free, and {:.0f} % of it holds {} buffer{} of {} bytes",
      bytes_text(wanted), where, about_bytes_text(fit.free_bytes),
      kPercent * share_of(fit.bound_by), fit.buffers, fit.buffers == 1 ? "" : "s", fit.bytes);
}

}  // namespace linerate
