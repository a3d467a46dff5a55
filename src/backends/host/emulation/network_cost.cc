#include "backends/host/emulation/network_cost.h"

#include "backends/host/team.h"
#include "base/log.h"
#include "base/wait.h"

#include <fmt/format.h>

#include <sched.h>
#include <sys/prctl.h>

#include <algorithm>
#include <cmath>

namespace linerate::host {
namespace {

// Sleeps end about so late; what is left is spent awake.
constexpr std::int64_t kAwakeNs = 30'000;

// Beyond this share the emulated times are the machine's own to a part that matters.
constexpr double kTolerated = 0.05;
constexpr std::int64_t kMinCalls = 20;  // fewer say nothing

bool takes_data_from(const CompiledSchedule::View& step, int rank) {
  return std::ranges::find(step.from, rank, &Place::rank) != step.from.end();
}

}  // namespace

NetworkCost::NetworkCost(Team& team, std::shared_ptr<const Network> network,
                         std::shared_ptr<ClockDebt> debt)
    : team_(team),
      network_(std::move(network)),
      group_(team.arena().at(team.setup().control_offset), team.nranks()),
      world_(team.arena().at(0), team.arena().layout().nranks),
      own_(group_.times_of(team.rank())),
      debt_(std::move(debt)) {
  for (const int peer : team.peers()) everybody_.push_back({peer, 1});
  (void)prctl(PR_SET_TIMERSLACK, 1UL, 0UL, 0UL, 0UL);
}

NetworkCost::~NetworkCost() {
  clear_debt();
  const bool is_first = team_.setup().control_offset == 0 && team_.rank() == 0;
  if (is_first) warn_if_behind();
}

ModeledTime NetworkCost::begin() {
  const auto now_ns = team_.setup().clock->now_ns() - debt_->behind_ns;
  entered_ = later({now_ns, now_ns - debt_->lag_ns}, {});
  ready_ = signalled_ = done_ = entered_;
  return entered_;
}

void NetworkCost::enter() {
  ++call_;
  own_.entered(call_) = begin();
}

void NetworkCost::add_step(std::uint32_t index, const CompiledSchedule::View& step,
                           std::size_t element_bytes) {
  const std::size_t bytes = step.stage.count * element_bytes;
  add_waits(step, bytes > 0);
  const ModeledTime start = start_of(step);
  ModeledTime arrived = later(start, signalled_);
  for (const Place& place : step.from)
    if (place.rank != team_.rank())
      arrived = later(arrived, transfer(place.rank, team_.rank(), bytes, start));
  last_until(arrived);
  for (const Place& place : step.to)
    if (place.rank != team_.rank()) last_until(transfer(team_.rank(), place.rank, bytes, arrived));
  own_.done(call_, index + 1) = done_;
}

// Steps go in order: what one has waited for, the next ones need not wait for.
void NetworkCost::add_waits(const CompiledSchedule::View& step, bool moves) {
  for (const Wait& wait : step.waits) {
    const ModeledTime happened = group_.times_of(wait.rank).done(call_, wait.steps);
    ready_ = later(ready_, happened);
    if (moves && takes_data_from(step, wait.rank)) continue;
    signalled_ = later(signalled_, happened + path(wait.rank, team_.rank()).latency);
  }
}

ModeledTime NetworkCost::start_of(const CompiledSchedule::View& step) const {
  ModeledTime start = ready_;
  for (const auto places : {step.from, step.to})
    for (const Place& place : places)
      if (place.rank != team_.rank()) start = later(start, entered_of(place.rank));
  for (const Place& place : step.from)
    if (place.rank == team_.rank() && place.buffer != BufferKind::send) start = later(start, done_);
  return start;
}

void NetworkCost::fetch(int peer, std::size_t bytes) {
  if (bytes == 0) return;
  last_until(transfer(peer, team_.rank(), bytes, later(entered_, entered_of(peer))));
}

void NetworkCost::receive(int peer, std::size_t bytes) {
  last_until(arrival(peer, bytes, entered_of(peer)));
}

void NetworkCost::post(Message& message) {
  last_until(message.arrived_at);  // of the one before
  message.posted_at = later(entered_, message.arrived_at);
}

void NetworkCost::receive(int source, Message& message, bool waits) {
  const ModeledTime start = waits ? later(message.posted_at, entered_) : message.posted_at;
  message.arrived_at = later(arrival(source, message.bytes, start), entered_);
  last_until(message.arrived_at);
}

void NetworkCost::record_step() { own_.done(call_, 1) = done_; }

ModeledTime NetworkCost::arrival(int source, std::size_t bytes, const ModeledTime& start) {
  return transfer(source, team_.rank(), bytes, start);
}

Path NetworkCost::path(int from, int to) const {
  const auto& world_ranks = team_.setup().world_ranks;
  return network_->path(world_ranks[static_cast<std::size_t>(from)],
                        world_ranks[static_cast<std::size_t>(to)]);
}

ModeledTime NetworkCost::transfer(int from, int to, std::size_t bytes, const ModeledTime& start) {
  if (from == to) return start;
  const Path way = path(from, to);
  ModeledTime end = start;
  for (const std::uint32_t link : way.links()) end = later(end, take(link, bytes, start));
  const double busy_ns = static_cast<double>(end.real_ns - start.real_ns) * way.stretch;
  end.real_ns = start.real_ns + std::llround(std::min(busy_ns, Network::kMaxBusyNs));
  return end + way.latency;
}

ModeledTime NetworkCost::take(std::uint32_t link, std::size_t bytes, const ModeledTime& start) {
  LinkUse& lines = world_.use_of(link);
  const ModeledTime busy = network_->busy(link, bytes);
  while (!lines.real.try_lock()) {
    team_.waiting().check_aborted();
    sched_yield();
  }
  ModeledTime end;
  end.real_ns = lines.real.take(start.real_ns, busy.real_ns);
  end.healthy_ns =
      network_->slowed() ? lines.healthy.take(start.healthy_ns, busy.healthy_ns) : end.real_ns;
  lines.real.unlock();
  return end;
}

ModeledTime NetworkCost::end(std::span<const Wait> last) const {
  ModeledTime end = done_;
  for (const int peer : team_.peers())
    if (call_ >= kCells) end = later(end, group_.times_of(peer).entered(call_ - kCells + 1));
  for (const Wait& wait : last)
    end = later(end, group_.times_of(wait.rank).done(call_, wait.steps));
  return end;
}

void NetworkCost::end_call(std::span<const Wait> last) { finish(end(last)); }

void NetworkCost::end_messages() { finish(done_); }

void NetworkCost::finish(const ModeledTime& end) {
  wait_until(end.real_ns);
  debt_->behind_ns = team_.setup().clock->now_ns() - end.real_ns;
  debt_->lag_ns = end.lost_ns();
  debt_->end_ns = end.real_ns;
  emulated_ns_ += end.real_ns - entered_.real_ns;
  ++calls_;
}

void NetworkCost::wait_until(std::int64_t time_ns) {
  linerate::wait_until(*team_.setup().clock, time_ns, kAwakeNs,
                       [this] { team_.waiting().check_aborted(); });
}

void NetworkCost::clear_debt() {
  EmulationStats& stats = world_.stats();
  stats.emulated_ns.fetch_add(emulated_ns_, std::memory_order_relaxed);
  stats.behind_ns.fetch_add(debt_->behind_ns, std::memory_order_relaxed);
  stats.calls.fetch_add(calls_, std::memory_order_relaxed);
  emulated_ns_ = calls_ = 0;
  debt_->past_ns += debt_->lag_ns;
  debt_->behind_ns = debt_->lag_ns = 0;
}

// Ranks that are still at work are left out: it is a share that counts.
void NetworkCost::warn_if_behind() const {
  const EmulationStats& stats = world_.stats();
  const auto emulated = static_cast<double>(stats.emulated_ns.load());
  const auto behind = static_cast<double>(stats.behind_ns.load());
  if (stats.calls.load() < kMinCalls || behind <= kTolerated * emulated) return;
  const int dilation = network_->plan().dilation;
  const double needed = std::ceil(2 * dilation * (1 + behind / emulated));
  const auto advice =
      needed <= NetworkPlan::kMaxDilation
          ? fmt::format("Set dilation: {} in the file (it is {}), or use fewer ranks", needed,
                        dilation)
          : std::string("Use fewer ranks, or a slower network in the file");
  const double ms = 1e6 * dilation;
  say(fmt::format(
      "warning: this machine was too slow for the emulated network: {} calls of all ranks took "
      "{:.4g} ms beyond the {:.4g} ms of the network. {}.",
      stats.calls.load(), behind / ms, emulated / ms, advice));
}

}  // namespace linerate::host
