// See session.h.
#include "bench/session.h"

#include "base/error.h"
#include "base/text.h"
#include "base/wire.h"
#include "bench/open_devices.h"

#include <fmt/format.h>

#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <set>
#include <string>

namespace linerate {
namespace {

void put_info(WireWriter& out, const RankInfo& info) {
  for (const int value : {info.rank, info.group, info.pid, info.node, info.device}) out.put(value);
  for (const auto& text : {info.hostname, info.bus_id, info.device_name}) out.put_text(text);
}

RankInfo get_info(WireReader& in) {
  RankInfo info;
  for (int* value : {&info.rank, &info.group, &info.pid, &info.node, &info.device})
    *value = in.get<int>();
  for (std::string* text : {&info.hostname, &info.bus_id, &info.device_name}) *text = in.get_text();
  return info;
}

}  // namespace

Session::Session(const SessionInput& input)
    : input_(input), capabilities_(input.backend.capabilities()) {
  thread_index_ = input.members.rank() % std::max(1, input.config.nthreads * input.config.ngpus);
  const bool shared_thread = capabilities_.ranks_share_thread;
  if (shared_thread) thread_index_ = input.members.rank() % input.config.nthreads;
  ranks_.resize(shared_thread ? static_cast<std::size_t>(input.config.ngpus) : 1);
  enter({.what = "initialisation", .timeout_s = config().init_timeout_s()});
  input_.watch.add_aborter({.stop = [watched = watched_] { return watched->stop_all(); },
                            .abort = [watched = watched_] { watched->abort_all(); }});
  input_.watch.count_calls(thread_index_, [watched = watched_] { return watched->calls_begun(); });
  forget_.queues_work = capabilities_.device_memory;
  connect();
  split();
  force_algorithm();
  exchange_infos();
  gather_node_leaders();
  group_ = input_.backend.group();
  if (input.set_up) input.set_up();
}

void Session::enter(Stage stage) {
  stage.calls = watched_->calls_begun();
  input_.watch.enter(thread_index_, stage);
}

void Session::enter_local(Stage stage) {
  stage.timeout_s = std::numeric_limits<double>::infinity();
  enter(stage);
}

void Session::enter_probe(const char* what, double floor_s) {
  enter({.what = what, .timeout_s = std::max(config().init_timeout_s(), floor_s)});
}

Deadline Session::init_deadline() const {
  return Deadline::after(input_.clock, config().init_timeout_s());
}

// NCCL_TESTS_DEVICE counts from its device in each process, else all processes of a node count on.
int Session::device_index(int local) const {
  const int per_thread = static_cast<int>(ranks_.size());
  if (config().base_device) return *config().base_device + thread_index_ * per_thread + local;
  return input_.members.place().local_rank * per_thread + local;
}

void Session::connect() {
  const int per_thread = static_cast<int>(ranks_.size());
  std::vector<WantedDevice> wanted;
  for (int i = 0; i < per_thread; ++i)
    wanted.push_back({.rank = members().rank() * per_thread + i, .index = device_index(i)});
  auto opened = open_devices(input_.backend, wanted, members(), init_deadline());
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
  members().barrier(init_deadline());
  const auto start_ns = input_.clock.now_ns();
  auto comms = input_.backend.connect(members(), devices, {.deadline = init_deadline()});
  init_us_ = static_cast<double>(input_.clock.now_ns() - start_ns) / 1e3;
  for (std::size_t i = 0; i < ranks_.size(); ++i) {
    ranks_[i].world = std::move(comms[i]);
    watched_->add(ranks_[i].world.get());
  }
}

void Session::split() {
  if (config().split.kind == SplitRule::Kind::none) return;
  std::vector<SplitRequest> requests;
  for (auto& local : ranks_) {
    local.group = config().split.color(local.rank);
    requests.push_back({.comm = *local.world, .color = local.group, .key = local.rank});
  }
  auto parts = input_.backend.split(requests);
  for (std::size_t i = 0; i < ranks_.size(); ++i) {
    ranks_[i].part = std::move(parts[i]);
    watched_->add(ranks_[i].part.get());
  }
}

// Refused where no collective has it; where one has not, the backend's own choice stays.
void Session::force_algorithm() {
  const std::string_view wanted = config().algorithm;
  if (wanted.empty()) return;
  for (auto& local : ranks_) {
    const auto known = local.comm().inspector().algorithms();
    if (known.empty())
      throw Error(fmt::format("--algo: the {} backend chooses its algorithms alone; leave it out.",
                              input_.backend.name()),
                  ExitCode::usage);
    if (std::ranges::find(known, wanted) == known.end())
      throw Error(unknown_choice("algorithm", wanted, known), ExitCode::usage);
    local.comm().inspector().use_algorithm(wanted);
  }
}

RankInfo Session::info_of(const LocalRank& local) const {
  const NodePlace& place = input_.members.place();
  const auto node =
      input_.backend.node_of(local.rank).value_or(NodeName{place.node, place.hostname});
  return {.rank = local.rank,
          .group = local.group,
          .pid = static_cast<int>(getpid()),
          .hostname = node.hostname,
          .node = node.node,
          .device = local.device->index(),
          .bus_id = local.device->bus_id(),
          .device_name = local.device->name()};
}

void Session::exchange_infos() {
  WireWriter mine;
  for (const auto& local : ranks_) put_info(mine, info_of(local));
  std::set<int> groups;
  for (const auto& bytes : members().all_gather(mine.bytes(), init_deadline())) {
    WireReader reader(bytes);
    for (std::size_t i = 0; i < ranks_.size(); ++i) {
      infos_.push_back(get_info(reader));
      groups.insert(infos_.back().group);
    }
  }
  ngroups_ = static_cast<int>(groups.size());
}

void Session::gather_node_leaders() {
  const auto& place = members().place();
  if (place.nnodes > 1)
    node_leaders_ = members().split(place.local_rank == 0 ? 0 : -1, 0, init_deadline());
}

ClockOffset Session::clock_offset(const Deadline& deadline) {
  const int node = members().place().node;
  if (members().place().nnodes == 1) return {.at_ns = clock().now_ns()};
  WireWriter mine;
  mine.put(node);
  if (node_leaders_) mine.put(measure_offset(*node_leaders_, clock(), deadline));
  for (const auto& bytes : members().all_gather(mine.bytes(), deadline)) {
    WireReader in(bytes);
    if (in.get<int>() == node && !in.empty()) return in.get<ClockOffset>();
  }
  throw PeerFailure(fmt::format("No rank has measured the clock of node {}.", node));
}

// Ranks that share the free memory which their device tells: all of a node its host memory, and
// those on one GPU that GPU's.
std::size_t Session::sharers_of(const LocalRank& local) const {
  const auto on_node =
      static_cast<std::size_t>(input_.members.place().local_nranks) * ranks_.size();
  if (local.device->kind() != DeviceKind::cuda) return on_node;
  const auto& own = infos_[static_cast<std::size_t>(local.rank)];
  const auto shares = [&](const RankInfo& other) {
    return other.node == own.node && other.bus_id == own.bus_id;
  };
  return static_cast<std::size_t>(std::ranges::count_if(infos_, shares));
}

std::size_t Session::rank_memory() {
  constexpr double kShareOfFree = 0.8;  // leaves room for the backend's own memory and for others
  std::size_t least = config().limit_memory.value_or(SIZE_MAX);
  for (const auto& local : ranks_) {
    if (config().limit_memory) break;  // the user knows better
    const auto free = static_cast<double>(local.device->free_bytes());
    const auto sharers = static_cast<double>(sharers_of(local));
    least = std::min(least, static_cast<std::size_t>(free * kShareOfFree / sharers));
  }
  WireWriter mine;
  mine.put(least);
  for (const auto& bytes : members().all_gather(mine.bytes(), init_deadline()))
    least = std::min(least, WireReader(bytes).get<std::size_t>());
  return least;
}

void Session::allocate(const BufferSizes& sizes, std::size_t lead) {
  enter_local({.what = "allocation", .bytes = sizes.bytes + lead});
  const auto buffer_of = [lead](LocalRank& local, std::size_t bytes) {
    const auto elements = (bytes + lead + kWidestBytes - 1) / kWidestBytes;  // fill() wants whole
    return local.comm().allocate(elements * kWidestBytes, MemoryKind::device);
  };
  for (auto& local : ranks_) {
    local.send = buffer_of(local, sizes.bytes);
    local.recv = buffer_of(local, sizes.bytes);
    if (sizes.spare_bytes > 0) local.spare = buffer_of(local, sizes.spare_bytes);
    const Content inputs{.type = DataType::float32, .rank = local.rank, .nranks = nranks()};
    local.device->fill(local.send.view(), inputs);
    local.device->fill(local.recv.view(), inputs);
  }
  register_buffers();
  enter({.what = "preparation"});  // what follows waits for the other threads
}

void Session::register_buffers() {
  const int how = config().gpu.local_register;
  if (how == 0) return;
  enter({.what = "registration", .timeout_s = config().init_timeout_s()});
  const auto kind = how == 1 ? RegistrationKind::local : RegistrationKind::symmetric;
  for (const auto buffer : {&LocalRank::send, &LocalRank::recv, &LocalRank::spare}) {
    if (group_) group_->start();
    for (auto& local : ranks_) {
      if (buffer == &LocalRank::spare && local.spare.bytes() == 0) continue;
      local.registrations.push_back(local.comm().register_buffer(local.*buffer, kind));
    }
    if (group_) group_->end();
  }
  registered_ranks_ = sum_of_threads(std::ranges::count_if(ranks_, [](const LocalRank& local) {
    return std::ranges::all_of(local.registrations, [](const auto& r) { return r->effective(); });
  }));
}

double Session::close() {
  enter({.what = "end of the communicators", .timeout_s = config().init_timeout_s()});
  members().barrier(init_deadline());
  const auto start_ns = input_.clock.now_ns();
  for (auto& local : ranks_) local.registrations.clear();
  watched_->clear();
  forget_.queues_work = false;
  for (auto& local : ranks_) local.part.reset();
  for (auto& local : ranks_) local.world.reset();
  return static_cast<double>(input_.clock.now_ns() - start_ns) / 1e3;
}

double Session::most_of_threads(double mine) {
  WireWriter out;
  out.put(mine);
  double most = mine;
  for (const auto& bytes : members().all_gather(out.bytes(), init_deadline()))
    most = std::max(most, WireReader(bytes).get<double>());
  return most;
}

int Session::sum_of_threads(std::ptrdiff_t mine) {
  WireWriter out;
  out.put(static_cast<int>(mine));
  int sum = 0;
  for (const auto& bytes : members().all_gather(out.bytes(), init_deadline()))
    sum += WireReader(bytes).get<int>();
  return sum;
}

bool Session::any_thread(bool says) {
  WireWriter mine;
  mine.put(says);
  bool any = false;
  for (const auto& bytes : members().gather(mine.bytes(), Deadline::never()))
    any |= WireReader(bytes).get<bool>();
  WireWriter answer;
  answer.put(any);
  return WireReader(members().broadcast(answer.bytes(), 0, Deadline::never())).get<bool>();
}

void Session::describe(RunInfo& info) const {
  info.transport = ranks_.front().world->inspector().transport();
  info.tuning = input_.backend.tuning();
  info.nranks = nranks();
  std::set<int> nodes;
  for (const RankInfo& rank : infos_) nodes.insert(rank.node);
  info.nnodes = static_cast<int>(nodes.size());
  info.nthreads = config().nthreads;
  info.ngpus = config().ngpus;
  info.nprocs = nprocesses();
  info.ngroups = ngroups_;
  info.ranks = infos_;
  info.init_us = init_us_;
  info.registered_ranks = registered_ranks_;
}

void Session::align() {
  members().barrier(Deadline::never());
  ranks_.front().world->barrier();
}

}  // namespace linerate
