// The caches by size, the memory by cores, and cache lines between pairs of cores. Each thread goes
// over pieces of memory in turn, so that each piece comes back after all others.
#include "bench/survey/survey.h"

#include "base/log.h"
#include "base/pages.h"
#include "bench/probe/bandwidth.h"
#include "bench/probe/cores.h"
#include "model/memory_bound.h"
#include "stats/summary.h"

#include <fmt/format.h>

#include <algorithm>
#include <future>
#include <map>
#include <ranges>
#include <set>

namespace linerate {
namespace {

constexpr std::size_t kPassBytes = std::size_t{4} << 20;  // of a thread
constexpr std::size_t kPasses = 7;
constexpr std::size_t kMaxArrays = 3;

// As many equal parts of `piece` as the kernel names arrays.
probe::Arrays arrays_in(View piece, std::size_t narrays) {
  const auto bytes = round_down(piece.size() / narrays, kLineBytes);
  const auto part = [&](std::size_t i) {
    return i < narrays ? piece.subspan(i * bytes, bytes) : View();
  };
  return {.a = part(0), .b = part(1), .c = part(2)};
}

std::size_t narrays_of(const probe::Kernel& kernel) {
  if (kernel.name == "update") return 1;  // counts what it reads and what it writes
  return std::min(kernel.moved, kMaxArrays);
}

// The first `bytes` of `block` in pieces of a pass at most.
std::vector<View> pieces_of(View block, std::size_t bytes) {
  const auto parts = probe::parts_of(bytes, kPassBytes);
  std::vector<View> pieces;
  for (std::size_t i = 0; i < parts.count; ++i)
    pieces.push_back(block.subspan(i * parts.bytes, parts.bytes));
  return pieces;
}

// What one thread does; yields the bytes of one pass, the same in each.
class Worker {
 public:
  Worker(const probe::Kernel& kernel, const std::vector<View>& pieces)
      : kernel_(kernel), pieces_(pieces) {}

  // So that each piece comes back after all others.
  void go_through_once() const {
    const auto& read = *probe::find_kernel("read");
    for (const auto piece : pieces_) read.run({.a = piece, .b = {}, .c = {}});
  }
  void pass() {
    const auto arrays = arrays_in(pieces_[next_++ % pieces_.size()], narrays_of(kernel_));
    for (std::size_t loop = 0; loop < loops(); ++loop) kernel_.run(arrays);
  }
  double bytes() const {
    const auto arrays = arrays_in(pieces_.front(), narrays_of(kernel_));
    return static_cast<double>(arrays.a.size() * loops() * kernel_.moved);
  }

 private:
  std::size_t loops() const { return kPassBytes / pieces_.front().size(); }

  const probe::Kernel& kernel_;
  const std::vector<View>& pieces_;
  std::size_t next_ = 0;
};

constexpr std::size_t kMinBytes = std::size_t{16} << 10;  // of a thread: in every L1 cache
constexpr int kFlagWindows = 15;

struct Measured {
  std::string_view kernel;
  double Bandwidths::*gbps;
};
// With the caches and past them: the better one counts.
constexpr Measured kSurveyed[] = {
    {"read", &Bandwidths::read_gbps},      {"write", &Bandwidths::write_gbps},
    {"nt_write", &Bandwidths::write_gbps}, {"copy", &Bandwidths::copy_gbps},
    {"nt_copy", &Bandwidths::copy_gbps},   {"triad", &Bandwidths::triad_gbps}};

template <typename Measure>
Bandwidths bandwidths_of(const Measure& measure) {
  Bandwidths of;
  for (const auto& [kernel, gbps] : kSurveyed)
    of.*gbps = std::max(of.*gbps, measure(*probe::find_kernel(kernel)));
  return of;
}

int memory_nodes_of(const std::vector<HardwareThread>& threads, std::size_t nthreads) {
  std::set<int> nodes;
  for (std::size_t i = 0; i < nthreads; ++i) nodes.insert(threads[i].numa_node);
  return static_cast<int>(nodes.size());
}

std::string_view shared_by(const HardwareThread& one, const HardwareThread& other) {
  if (one.core >= 0 && one.core == other.core) return "one core";
  if (one.l3 >= 0 && one.l3 == other.l3) return "one L3 cache";
  if (one.numa_node == other.numa_node) return "one memory node";
  if (one.package == other.package) return "one package";
  return "two packages";
}

void say_unbound(const PinnedTeam& team) {
  if (team.unbound() == 0) return;
  say(
      fmt::format("note: {} of {} threads could not be bound to their cores: what is said of cores "
                  "and of the ways between them may be that of others",
                  team.unbound(), team.size()));
}

}  // namespace

std::vector<std::vector<std::size_t>> shared_out(const std::vector<HardwareThread>& threads,
                                                 std::size_t nworkers) {
  std::map<int, std::vector<std::size_t>> workers_of;  // memory node
  for (std::size_t worker = 0; worker < nworkers; ++worker)
    workers_of[threads[worker].numa_node].push_back(worker);
  std::vector<std::vector<std::size_t>> shares(nworkers);
  std::map<int, std::size_t> dealt;
  for (std::size_t block = 0; block < threads.size(); ++block) {
    const auto workers = workers_of.find(threads[block].numa_node);
    if (workers == workers_of.end()) continue;
    const auto turn = dealt[threads[block].numa_node]++;
    shares[workers->second[turn % workers->second.size()]].push_back(block);
  }
  return shares;
}

PinnedTeam::PinnedTeam(std::vector<HardwareThread> threads, std::size_t block_bytes, Device& host,
                       const Clock& clock)
    : threads_(std::move(threads)), clock_(clock), blocks_(threads_.size()) {
  std::vector<std::future<Buffer>> touched;
  for (const auto& thread : threads_)
    touched.push_back(std::async(std::launch::async, [this, &thread, block_bytes, &host] {
      if (!probe::pin_to(thread.os_index)) ++unbound_;
      return host.allocate(block_bytes, MemoryKind::host);
    }));
  for (std::size_t i = 0; i < touched.size(); ++i) blocks_[i] = touched[i].get();
}

double PinnedTeam::own_gbps(const probe::Kernel& kernel, std::size_t bytes) {
  std::vector<Pieces> pieces;
  for (const auto& block : blocks_)
    pieces.push_back(pieces_of(block.view(), std::min(bytes, block.bytes())));
  return gbps(kernel, pieces);
}

double PinnedTeam::shared_gbps(const probe::Kernel& kernel, std::size_t nworkers) {
  std::vector<Pieces> pieces;
  for (const auto& share : shared_out(threads_, nworkers)) {
    pieces.emplace_back();
    for (const auto block : share)
      for (const auto piece : pieces_of(blocks_[block].view(), blocks_[block].bytes()))
        pieces.back().push_back(piece);
  }
  return gbps(kernel, pieces);
}

double PinnedTeam::gbps(const probe::Kernel& kernel, const std::vector<Pieces>& pieces) {
  std::vector<Worker> workers;
  for (const auto& of_thread : pieces) workers.emplace_back(kernel, of_thread);
  const auto spans =
      probe::timed_passes({.nthreads = pieces.size(),
                           .npasses = kPasses,
                           .prepare =
                               [&](std::size_t thread) {
                                 // Whether it can be was counted when its memory was touched.
                                 (void)probe::pin_to(threads_[thread].os_index);
                                 workers[thread].go_through_once();
                               },
                           .pass = [&](std::size_t thread) { workers[thread].pass(); }},
                          clock_);
  double bytes = 0, best = 0;
  for (const auto& worker : workers) bytes += worker.bytes();
  for (std::size_t pass = 0; pass < kPasses; ++pass)
    best = std::max(best, probe::pass_gbps(spans, pass, bytes));
  return best;
}

SurveyPlan survey_plan(std::vector<HardwareThread> threads, std::size_t l3_bytes,
                       std::size_t free_bytes) {
  constexpr std::size_t kMin = std::size_t{256} << 20, kMax = std::size_t{2} << 30;
  constexpr std::size_t kCaches = 2, kShareOfFree = 8;
  const auto wanted = std::clamp(kCaches * l3_bytes, kMin, kMax);
  const auto least = kMinBytes * threads.size();
  return {.threads = std::move(threads),
          .largest_bytes = std::max(std::min(wanted, free_bytes / kShareOfFree), least)};
}

std::vector<std::size_t> survey_sizes(const SurveyPlan& plan) {
  const auto block =
      std::max(round_up(plan.largest_bytes / plan.threads.size(), kLineBytes), kMinBytes);
  std::vector<std::size_t> sizes{kMinBytes};
  while (sizes.back() < block) sizes.push_back(std::min(2 * sizes.back(), block));
  return sizes;
}

std::vector<std::size_t> thread_counts(const std::vector<HardwareThread>& threads) {
  std::set<int> cores, first_node;
  for (const auto& thread : threads) {
    cores.insert(thread.core < 0 ? thread.os_index : thread.core);
    if (thread.numa_node == threads.front().numa_node)
      first_node.insert(thread.core < 0 ? thread.os_index : thread.core);
  }
  std::set<std::size_t> counts{first_node.size(), cores.size(), threads.size()};
  for (std::size_t count = 1; count < cores.size(); count *= 2) counts.insert(count);
  return {counts.begin(), counts.end()};
}

std::vector<LinePair> line_pairs(const std::vector<HardwareThread>& threads) {
  std::vector<LinePair> pairs;
  for (const std::string_view between :
       {"one core", "one L3 cache", "one memory node", "one package", "two packages"}) {
    const auto other = std::ranges::find_if(threads, [&](const auto& thread) {
      return thread.os_index != threads.front().os_index &&
             shared_by(threads.front(), thread) == between;
    });
    if (other != threads.end())
      pairs.push_back({between, threads.front().os_index, other->os_index});
  }
  return pairs;
}

Survey survey_machine(const SurveyPlan& plan, Device& host, const Clock& clock,
                      const SayProgress& progress) {
  const auto nthreads = plan.threads.size();
  Survey survey{.nthreads = static_cast<int>(nthreads)};
  progress("the way of a cache line between cores");
  for (const auto& pair : line_pairs(plan.threads)) {
    auto times_ns = probe::flag_round_trips_ns(clock, kFlagWindows, pair.first, pair.second);
    if (times_ns.empty()) continue;
    survey.lines.push_back(
        {std::string(pair.between), pair.first, pair.second, stats::summarize(times_ns).median});
  }
  progress("touching memory");
  const auto sizes = survey_sizes(plan);
  PinnedTeam team(plan.threads, sizes.back(), host, clock);
  say_unbound(team);
  for (const auto bytes : sizes) {
    progress("bandwidth of all cores by size");
    survey.by_size.push_back(
        {.bytes = bytes * nthreads,
         .of = bandwidths_of([&](const auto& kernel) { return team.own_gbps(kernel, bytes); })});
  }
  for (const auto count : thread_counts(plan.threads)) {
    progress("bandwidth of memory by cores");
    survey.by_cores.push_back(
        {.nthreads = static_cast<int>(count),
         .nmemory_nodes = memory_nodes_of(plan.threads, count),
         .of = bandwidths_of([&](const auto& kernel) { return team.shared_gbps(kernel, count); })});
  }
  return survey;
}

std::size_t cache_end(const Survey& survey) {
  if (survey.by_size.empty()) return 0;
  const auto& memory = survey.by_size.back().of;
  std::size_t end = survey.by_size.back().bytes;
  for (const auto& [bytes, of] : std::views::reverse(survey.by_size)) {
    if (of.copy_gbps > kLikeMemory * memory.copy_gbps ||
        of.read_gbps > kLikeMemory * memory.read_gbps)
      break;
    end = bytes;
  }
  return end == survey.by_size.back().bytes ? 0 : end;
}

}  // namespace linerate
