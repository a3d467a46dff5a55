// A call is an eager one, a schedule, an exchange or messages, on buffers that peers can reach.
#include "backends/host/host_communicator.h"

#include "backends/host/algorithms/rows.h"
#include "backends/host/exchange.h"
#include "base/error.h"
#include "comm/split.h"

#include <fmt/format.h>

#include <algorithm>
#include <cassert>
#include <cstdint>
#include <exception>
#include <span>
#include <vector>

namespace linerate::host {
namespace {

// Of no values none.
std::vector<int> selected(const std::vector<int>& values, const std::vector<int>& ranks) {
  std::vector<int> chosen;
  if (values.empty()) return chosen;
  for (const int rank : ranks) chosen.push_back(values[static_cast<std::size_t>(rank)]);
  return chosen;
}

}  // namespace

HostCommunicator::HostCommunicator(Device& device, std::shared_ptr<Region> region,
                                   Team::Setup setup, Tuning tuning,
                                   std::shared_ptr<ClockDebt> debt)
    : device_(device),
      region_(std::move(region)),
      tuning_(std::move(tuning)),
      debt_(std::move(debt)),
      team_(std::move(setup)),
      network_cost_(tuning_.network ? std::make_unique<NetworkCost>(team_, tuning_.network, debt_)
                                    : nullptr),
      groups_(Groups::from_marks(selected(tuning_.marks, team_.setup().world_ranks))),
      selection_(*tuning_.rules, team_.nranks()),
      streaming_(tuning_.cache_bytes),
      eager_(team_),
      executor_(team_, region_, streaming_),
      point_to_point_(team_, streaming_),
      staging_(team_, region_) {
  team_.set_network(network_cost_.get());
}

std::string HostCommunicator::transport() const {
  const auto network = network_cost_
                           ? fmt::format(", emulated network of {}", tuning_.network->words())
                           : std::string();
  return fmt::format("shared memory{}{}{}", staging_.attached() ? ", cross-memory attach" : "",
                     staging_.used() ? ", staged" : "", network);
}

std::optional<ModeledTime> HostCommunicator::modeled_time() const {
  if (!network_cost_) return std::nullopt;
  const auto [real_ns, healthy_ns] = network_cost_->modeled_time();
  const std::int64_t dilation = tuning_.network->plan().dilation;
  return ModeledTime{real_ns / dilation, healthy_ns / dilation};
}

Buffer HostCommunicator::allocate(std::size_t bytes, MemoryKind kind) {
  return region_->allocate(bytes, kind);
}

// What throws has left the group: peers that wait for this rank must learn that.
template <typename Body>
auto HostCommunicator::or_give_up(Body&& body) {
  try {
    return body();
  } catch (...) {
    team_.give_up();
    throw;
  }
}

// A worker shares the rank's cores with the thread that feeds it, and on an emulated network only
// its own calls make it late.
void HostCommunicator::move_to_thread_of(const Stream& stream) {
  on_worker_ = stream.queue() != nullptr;
  team_.waiting().share_core(on_worker_);
  if (network_cost_) network_cost_->charge_to(on_worker_ ? std::make_shared<ClockDebt>() : debt_);
}

void HostCommunicator::call(const Op& op, Stream& stream) {
  begin(stream);
  or_give_up([&] { run(op); });
}

void HostCommunicator::call_batch(std::span<const Op> ops, Stream& stream) {
  begin(stream);
  or_give_up([&] { run_batch(ops); });
}

void HostCommunicator::barrier() {
  settle();
  begin_call();
  or_give_up([&] { team_.barrier(); });
  if (network_cost_) network_cost_->clear_debt();
}

void HostCommunicator::run(const Op& op) {
  assert(op.peer >= 0 && op.peer < nranks());
  assert(has_its_extent(op, rank(), nranks()));
  last_algorithm_ = {};
  switch (op.kind) {
    case OpKind::all_to_all_v:
      return run_staged(op, {.send = true},
                        [&](const Op& staged) { host::all_to_all_v(team_, staged, stores(op)); });
    case OpKind::send:
    case OpKind::recv:
    case OpKind::send_recv:
      return run_staged(op, {.send = point_to_point_.exposes(op.send.first(bytes_of_count(op)))},
                        [&](const Op& staged) { point_to_point_.run(staged); });
    default:
      break;
  }
  const Problem problem{.kind = op.kind,
                        .count = op.count,
                        .element_bytes = bytes_of(op.type),
                        .nranks = nranks(),
                        .root = op.peer,
                        .groups = &groups_};
  const Algorithm& algorithm = selection_.choose(problem);
  last_algorithm_ = algorithm.name;
  if (&algorithm == &kEager) return eager_.run(op);
  if (op.kind != OpKind::all_to_all)
    return run_scheduled(op, executor_.schedule_for(problem, algorithm));
  // A peer writes here where it or this rank is in place, and reaches private memory where it can.
  const bool in_place = op.send.data() == op.recv.data();
  run_staged(op, {.send = true, .recv = in_place || !team_.attaches()},
             [&](const Op& staged) { host::all_to_all(team_, staged, stores(op)); });
}

void HostCommunicator::run_batch(std::span<const Op> ops) {
  const auto exposure_of = [&](const Op& op) {
    return Exposure{.send = point_to_point_.reads_sender(bytes_of_count(op))};
  };
  const bool far = std::ranges::any_of(
      ops, [&](const Op& op) { return staging_.may_be_needed(op, exposure_of(op)); });
  if (!far) return point_to_point_.run_batch(ops);
  // One stand-in for each op: a batch has all of them at once.
  std::vector<Staging> stand_ins;
  std::vector<Op> staged;
  for (const Op& op : ops)
    staged.push_back(stand_ins.emplace_back(team_, region_).stage(op, exposure_of(op)));
  point_to_point_.run_batch(staged);
}

template <typename Body>
void HostCommunicator::run_staged(const Op& op, const Exposure& exposure, Body&& body) {
  if (!staging_.may_be_needed(op, exposure)) return body(op);
  const Op staged = staging_.stage(op, exposure);
  body(staged);
  staging_.unstage(op, staged);
}

void HostCommunicator::run_scheduled(const Op& op, const CompiledSchedule& schedule) {
  run_staged(op, {.send = schedule.exposes_send(), .recv = schedule.exposes_recv()},
             [&](const Op& staged) { executor_.run(staged, schedule); });
}

std::vector<std::string_view> HostCommunicator::algorithms(OpKind kind) const {
  const Problem probe{.kind = kind, .count = 1, .nranks = nranks(), .groups = &groups_};
  std::vector<std::string_view> names;
  for (const Algorithm* algorithm : all_algorithms())
    if (algorithm->defined(probe)) names.push_back(algorithm->name);
  return names;
}

std::vector<std::string_view> HostCommunicator::algorithms() const {
  std::vector<std::string_view> names;
  for (const Algorithm* algorithm : all_algorithms()) names.push_back(algorithm->name);
  return names;
}

void HostCommunicator::use_algorithm(std::string_view name) {
  assert(name.empty() || find_algorithm(name) != nullptr);
  selection_.force(find_algorithm(name));
}

// One value of every rank, over this communicator itself.
template <typename T>
std::vector<T> HostCommunicator::gather_from_all(const T& mine) {
  std::vector<T> all(static_cast<std::size_t>(nranks()));
  const Op op{.kind = OpKind::all_gather,
              .send = std::as_bytes(std::span(&mine, 1)),
              .recv = std::as_writable_bytes(std::span(all)),
              .count = sizeof(T),
              .type = DataType::uint8};
  static_assert(sizeof(T) <= kEagerBytes);
  or_give_up([&] { eager_.run(op); });
  return all;
}

std::uint64_t HostCommunicator::allocate_control(int nranks) {
  return region_->allocate_control(
      nranks, tuning_.network ? kLinePair + EmulationBlock::group_bytes(nranks) : 0);
}

std::unique_ptr<Communicator> HostCommunicator::split(int color, int key) {
  settle();
  const auto choices = gather_from_all(SplitChoice{color, key});
  const auto group = split_group(choices, rank());
  const bool leads = color >= 0 && group.front() == rank();
  std::uint64_t control = 0;   // offset 0 is the world's: here it says that there is no memory
  std::exception_ptr failure;  // kept until all know of it
  try {
    if (leads) control = allocate_control(static_cast<int>(group.size()));
  } catch (...) {
    failure = std::current_exception();
  }
  const auto controls = gather_from_all(control);
  if (failure) std::rethrow_exception(failure);
  if (color < 0) return nullptr;
  const auto offset = controls[static_cast<std::size_t>(group.front())];
  if (offset == 0)
    throw Error(fmt::format("Rank {} has no shared memory left for a new communicator.",
                            team_.setup().world_ranks[static_cast<std::size_t>(group.front())]));
  Team::Setup setup = team_.setup();
  setup.control_offset = offset;
  setup.rank = static_cast<int>(std::ranges::find(group, rank()) - group.begin());
  setup.world_ranks = selected(setup.world_ranks, group);
  setup.processes = selected(setup.processes, group);
  setup.pids = selected(setup.pids, group);
  return std::make_unique<HostCommunicator>(device_, region_, std::move(setup), tuning_, debt_);
}

}  // namespace linerate::host
