// What calls of other ranks may touch is freed last.
#include "job/rank_context.h"

#include "base/error.h"
#include "base/wire.h"
#include "launch/common_start.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <sched.h>
#include <unistd.h>

#include <algorithm>
#include <iterator>
#include <limits>
#include <set>
#include <span>
#include <string>
#include <tuple>
#include <utility>

namespace linerate {
namespace {

struct WantedDevice {
  int rank = 0;
  int index = 0;  // as Backend::open_device() counts
};

// One rank's device as all ranks hear of it.
struct Opened {
  WantedDevice wanted{};
  std::string hostname{};
  std::string problem{};  // empty: it is here

  static auto members(auto& opened) {
    return std::tie(opened.wanted, opened.hostname, opened.problem);
  }
};

// Of the calling thread: "0-3,8". Empty where it cannot be read.
std::string affinity_text() {
  cpu_set_t set;
  if (sched_getaffinity(0, sizeof set, &set) != 0) return {};
  std::string text;
  for (int first = 0; first < CPU_SETSIZE; ++first) {
    if (!CPU_ISSET(first, &set)) continue;
    int last = first;
    while (last + 1 < CPU_SETSIZE && CPU_ISSET(last + 1, &set)) ++last;
    text += fmt::format("{}{}", text.empty() ? "" : ",", first);
    if (last > first) text += fmt::format("-{}", last);
    first = last;
  }
  return text;
}

std::string map_text(std::span<const Opened> all) {
  constexpr std::size_t kMaxListed = 64;
  std::vector<std::string> words;
  for (const auto& one : all.first(std::min(all.size(), kMaxListed)))
    words.push_back(fmt::format("rank {}: {} device {}{}", one.wanted.rank, one.hostname,
                                one.wanted.index, one.problem.empty() ? "" : " (missing)"));
  if (all.size() > kMaxListed) words.emplace_back("…");
  return fmt::format(" Ranks and their devices: {}.", fmt::join(words, ", "));
}

void throw_where_missing(std::span<const Opened> all) {
  const auto is_missing = [](const Opened& one) { return !one.problem.empty(); };
  const auto first = std::ranges::find_if(all, is_missing);
  if (first == all.end()) return;
  const bool none_is_here = std::ranges::all_of(all, is_missing);
  throw Unavailable(first->problem + (none_is_here ? "" : map_text(all)));
}

// The lists of all members, one after the other. Collective.
template <typename T>
std::vector<T> all_lists(Bootstrap& members, const std::vector<T>& mine, const Deadline& deadline) {
  std::vector<T> all;
  for (auto& list : all_values(members, mine, deadline))
    std::ranges::move(list, std::back_inserter(all));
  return all;
}

// Collective over all members. Where a device is not here all of them throw Unavailable: with what
// the backend says, and, unless it has no device at all, which rank wants which device.
std::vector<std::unique_ptr<Device>> open_devices(Backend& backend,
                                                  std::span<const WantedDevice> wanted,
                                                  Bootstrap& members, const Deadline& deadline) {
  std::vector<std::unique_ptr<Device>> devices;
  std::vector<Opened> mine;
  for (const auto& one : wanted) {
    Opened& opened = mine.emplace_back(Opened{.wanted = one, .hostname = members.place().hostname});
    try {
      devices.push_back(backend.open_device(one.index));
    } catch (const Unavailable& error) {
      opened.problem = error.what();
    }
  }
  throw_where_missing(all_lists(members, mine, deadline));
  return devices;
}

}  // namespace

RankContext::RankContext(const RankInput& input)
    : input_(input), capabilities_(input.backend.capabilities()) {
  const int ranks_per_thread = config().ranks_per_thread(capabilities_);
  thread_index_ = input.bootstrap.rank() % (config().ranks_per_process() / ranks_per_thread);
  ranks_.resize(static_cast<std::size_t>(ranks_per_thread));
  enter({.what = "initialisation", .timeout_s = config().init_timeout_s()});
  input_.watch.add_aborter({.stop = [watched = watched_] { return watched->stop_all(); },
                            .abort = [watched = watched_] { watched->abort_all(); }});
  input_.watch.count_calls(thread_index_, [watched = watched_] { return watched->calls_begun(); });
  forget_.queues_work = capabilities_.device_memory;
  connect();
  std::vector<RankInfo> mine;
  for (const auto& local : ranks_) mine.push_back(info_of(local));
  infos_ = all_lists(bootstrap(), mine, init_deadline());
  if (infos_.size() != static_cast<std::size_t>(bootstrap().nranks()) * ranks_.size())
    throw PeerFailure("The threads of this job have different numbers of ranks.");
  gather_node_leaders();
  group_ = input_.backend.group();
  if (capabilities_.loose_barrier) prepare_starts();
}

void RankContext::enter(Stage stage) {
  stage.calls = watched_->calls_begun();
  input_.watch.enter(thread_index_, stage);
  if (listener_) listener_(stage);
}

void RankContext::enter_local(Stage stage) {
  stage.timeout_s = std::numeric_limits<double>::infinity();
  enter(stage);
}

void RankContext::enter_probe(const char* what, double floor_s) {
  enter({.what = what, .timeout_s = std::max(config().init_timeout_s(), floor_s)});
}

Deadline RankContext::init_deadline() const {
  return Deadline::after(input_.start_clock, config().init_timeout_s());
}

// NCCL_TESTS_DEVICE counts from its device in each process, else all processes of a node count on.
int RankContext::device_index(int local) const {
  const int per_thread = static_cast<int>(ranks_.size());
  if (config().base_device) return *config().base_device + thread_index_ * per_thread + local;
  return input_.bootstrap.place().local_rank * per_thread + local;
}

void RankContext::connect() {
  const int per_thread = static_cast<int>(ranks_.size());
  std::vector<WantedDevice> wanted;
  for (int i = 0; i < per_thread; ++i)
    wanted.push_back({.rank = bootstrap().rank() * per_thread + i, .index = device_index(i)});
  auto opened = open_devices(input_.backend, wanted, bootstrap(), init_deadline());
  std::vector<Device*> devices;
  for (std::size_t i = 0; i < ranks_.size(); ++i) {
    auto& local = ranks_[i];
    local.rank = wanted[i].rank;
    local.device = std::move(opened[i]);
    local.stream =
        local.device->open_stream(config().gpu.stream_null ? StreamKind::null : StreamKind::own);
    devices.push_back(local.device.get());
  }
  free_before_init_ = devices.front()->free_bytes();
  bootstrap().barrier(init_deadline());
  const auto start_ns = input_.clock.now_ns();
  auto comms = input_.backend.connect(bootstrap(), devices, {.deadline = init_deadline()});
  init_us_ = static_cast<double>(input_.clock.now_ns() - start_ns) / kNsPerUs;
  for (std::size_t i = 0; i < ranks_.size(); ++i) {
    ranks_[i].world = std::move(comms[i]);
    watched_->add(ranks_[i].world.get());
  }
}

void RankContext::split(const std::function<int(int rank)>& color) {
  std::vector<SplitRequest> requests;
  for (auto& local : ranks_) {
    local.group = color(local.rank);
    requests.push_back({.comm = *local.world, .color = local.group, .key = local.rank});
  }
  auto parts = input_.backend.split(requests);
  for (std::size_t i = 0; i < ranks_.size(); ++i) {
    ranks_[i].part = std::move(parts[i]);
    watched_->add(ranks_[i].part.get());
  }
  std::set<int> groups;
  for (auto& info : infos_) groups.insert(info.group = color(info.rank));
  ngroups_ = static_cast<int>(groups.size());
}

Communicator& RankContext::add_axis(int color, int key) {
  auto axis = world().split(color, key);
  axes_.push_back(decorate_ ? decorate_(std::move(axis)) : std::move(axis));
  watched_->add(axes_.back().get());
  return *axes_.back();
}

View RankContext::allocate(std::size_t bytes) {
  buffers_.push_back(world().allocate(bytes, MemoryKind::device));
  return buffers_.back().view();
}

RankInfo RankContext::info_of(const LocalRank& local) const {
  const NodePlace& place = input_.bootstrap.place();
  const auto node =
      input_.backend.node_of(local.rank).value_or(NodeName{place.node, place.hostname});
  return {.rank = local.rank,
          .group = local.group,
          .pid = static_cast<int>(getpid()),
          .hostname = node.hostname,
          .node = node.node,
          .device = local.device->index(),
          .bus_id = local.device->bus_id(),
          .device_name = local.device->name(),
          .affinity = affinity_text()};
}

void RankContext::gather_node_leaders() {
  const auto& place = bootstrap().place();
  if (place.nnodes > 1)
    node_leaders_ = bootstrap().split(place.local_rank == 0 ? 0 : -1, 0, init_deadline());
}

ClockOffset RankContext::clock_offset(const Deadline& deadline) {
  const auto offset = measured_offset(deadline);
  common_clock_.set(offset);
  return offset;
}

ClockOffset RankContext::measured_offset(const Deadline& deadline) {
  const int node = bootstrap().place().node;
  if (bootstrap().place().nnodes == 1) return {.at_ns = clock().now_ns()};
  WireWriter mine;
  mine.put(node);
  if (node_leaders_) mine.put(measure_offset(*node_leaders_, clock(), deadline));
  for (const auto& bytes : bootstrap().all_gather(mine.bytes(), deadline)) {
    WireReader in(bytes);
    if (in.get<int>() == node && !in.empty()) return in.get<ClockOffset>();
  }
  throw PeerFailure(fmt::format("No rank has measured the clock of node {}.", node));
}

void RankContext::release_buffers() {
  bootstrap().barrier(Deadline::never());
  for (auto& local : ranks_) {
    local.registrations.clear();
    for (auto* buffer : {&local.send, &local.recv, &local.spare}) *buffer = {};
  }
}

double RankContext::close() {
  if (std::exchange(closed_, true)) return 0;
  enter({.what = "end of the communicators", .timeout_s = config().init_timeout_s()});
  bootstrap().barrier(init_deadline());
  const auto start_ns = input_.clock.now_ns();
  for (auto& local : ranks_) local.registrations.clear();
  watched_->clear();
  forget_.queues_work = false;
  axes_.clear();
  for (auto& local : ranks_) local.part.reset();
  for (auto& local : ranks_) local.world.reset();
  return static_cast<double>(input_.clock.now_ns() - start_ns) / kNsPerUs;
}

double RankContext::max_of_threads(double mine) {
  return std::ranges::max(all_values(bootstrap(), mine, init_deadline()));
}

int RankContext::sum_of_threads(int mine) {
  int sum = 0;
  for (const int value : all_values(bootstrap(), mine, init_deadline())) sum += value;
  return sum;
}

bool RankContext::any_thread(bool says) {
  bool any = false;
  for (const auto& bytes : bootstrap().gather(WireWriter().put(says).bytes(), Deadline::never()))
    any |= WireReader(bytes).get<bool>();
  return value_of_rank_0(bootstrap(), any, Deadline::never());
}

void RankContext::prepare_starts() {
  (void)clock_offset(init_deadline());
  lead_ns_ = measure_lead_ns(bootstrap(), common_clock_, init_deadline());
}

// Thread 0 decides, all follow.
void RankContext::refresh_common_clock() {
  constexpr std::int64_t kFreshNs = 100'000'000;  // in which clocks 10 ppm apart part by 1 us
  if (lead_ns_ == 0 || bootstrap().place().nnodes == 1) return;
  const bool stale = common_clock_.age_ns() > kFreshNs;
  if (value_of_rank_0(bootstrap(), stale, Deadline::never())) (void)clock_offset(Deadline::never());
}

void RankContext::barrier() {
  world().barrier();
  start_together(bootstrap(), common_clock_, lead_ns_);
}

void RankContext::align() {
  bootstrap().barrier(Deadline::never());
  refresh_common_clock();
  barrier();
}

}  // namespace linerate
