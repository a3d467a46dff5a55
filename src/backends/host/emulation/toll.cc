// See toll.h.
#include "backends/host/emulation/toll.h"

#include "base/log.h"

#include <fmt/format.h>

#include <sched.h>
#include <sys/prctl.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <thread>

namespace linerate::host {
namespace {

// Naps end about so late; what is left is spent awake.
constexpr std::int64_t kAwakeNs = 30'000;
constexpr std::int64_t kLongestNapNs = 1'000'000;  // aborts are seen in between

// Beyond this share the emulated times are the machine's own to a part that matters.
constexpr double kTolerated = 0.05;
constexpr std::int64_t kMinCalls = 20;  // fewer say nothing

bool takes_data_from(const CompiledSchedule::View& step, int rank) {
  return std::ranges::find(step.from, rank, &Place::rank) != step.from.end();
}

}  // namespace

Toll::Toll(Team& team, std::shared_ptr<const Network> network, std::shared_ptr<Arrears> arrears)
    : team_(team),
      network_(std::move(network)),
      group_(team.arena().at(team.setup().control_offset), team.nranks()),
      world_(team.arena().at(0), team.arena().layout().nranks),
      own_(group_.ledger(team.rank())),
      arrears_(std::move(arrears)) {
  for (const int peer : team.peers()) everybody_.push_back({peer, 1});
  (void)prctl(PR_SET_TIMERSLACK, 1UL, 0UL, 0UL, 0UL);
}

Toll::~Toll() {
  start_afresh();
  const bool is_first = team_.setup().control_offset == 0 && team_.rank() == 0;
  if (is_first) warn_if_behind();
}

ModeledTime Toll::begin() {
  const auto now_ns = team_.setup().clock->now_ns() - arrears_->behind_ns;
  entered_ = later({now_ns, now_ns - arrears_->lag_ns}, {});
  ready_ = signalled_ = done_ = entered_;
  return entered_;
}

void Toll::enter() {
  ++call_;
  own_.entered(call_) = begin();
}

void Toll::charge(std::uint32_t index, const CompiledSchedule::View& step,
                  std::size_t element_bytes) {
  const std::size_t bytes = step.stage.count * element_bytes;
  hear(step, bytes > 0);
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
void Toll::hear(const CompiledSchedule::View& step, bool moves) {
  for (const Wait& wait : step.waits) {
    const ModeledTime happened = group_.ledger(wait.rank).done(call_, wait.steps);
    ready_ = later(ready_, happened);
    if (moves && takes_data_from(step, wait.rank)) continue;
    signalled_ = later(signalled_, happened + path(wait.rank, team_.rank()).latency);
  }
}

ModeledTime Toll::start_of(const CompiledSchedule::View& step) const {
  ModeledTime start = ready_;
  for (const auto places : {step.from, step.to})
    for (const Place& place : places)
      if (place.rank != team_.rank()) start = later(start, entered_of(place.rank));
  for (const Place& place : step.from)
    if (place.rank == team_.rank() && place.where != Where::send) start = later(start, done_);
  return start;
}

void Toll::fetch(int peer, std::size_t bytes) {
  last_until(transfer(peer, team_.rank(), bytes, later(entered_, entered_of(peer))));
}

void Toll::receive(int peer, std::size_t bytes) {
  last_until(arrival(peer, bytes, entered_of(peer)));
}

void Toll::stamp_step() { own_.done(call_, 1) = done_; }

ModeledTime Toll::arrival(int source, std::size_t bytes, const ModeledTime& start) {
  return transfer(source, team_.rank(), bytes, start);
}

Path Toll::path(int from, int to) const {
  const auto& world_ranks = team_.setup().world_ranks;
  return network_->path(world_ranks[static_cast<std::size_t>(from)],
                        world_ranks[static_cast<std::size_t>(to)]);
}

ModeledTime Toll::transfer(int from, int to, std::size_t bytes, const ModeledTime& start) {
  if (from == to) return start;
  const Path way = path(from, to);
  ModeledTime end = start;
  for (const std::uint32_t link : way.links()) end = later(end, take(link, bytes, start));
  const double busy_ns = static_cast<double>(end.real_ns - start.real_ns) * way.stretch;
  end.real_ns = start.real_ns + std::llround(std::min(busy_ns, Network::kMaxBusyNs));
  return end + way.latency;
}

ModeledTime Toll::take(std::uint32_t link, std::size_t bytes, const ModeledTime& start) {
  ModeledLine& lines = world_.timelines(link);
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

ModeledTime Toll::end(std::span<const Wait> last) const {
  ModeledTime end = done_;
  for (const int peer : team_.peers())
    if (call_ >= kCells) end = later(end, group_.ledger(peer).entered(call_ - kCells + 1));
  for (const Wait& wait : last) end = later(end, group_.ledger(wait.rank).done(call_, wait.steps));
  return end;
}

void Toll::settle(std::span<const Wait> last) { end_call(end(last)); }

void Toll::settle_messages() { end_call(done_); }

void Toll::end_call(const ModeledTime& end) {
  wait_until(end.real_ns);
  arrears_->behind_ns = team_.setup().clock->now_ns() - end.real_ns;
  arrears_->lag_ns = end.lost_ns();
  arrears_->end_ns = end.real_ns;
  emulated_ns_ += end.real_ns - entered_.real_ns;
  ++calls_;
}

void Toll::wait_until(std::int64_t time_ns) {
  const Clock& clock = *team_.setup().clock;
  for (auto left = time_ns - clock.now_ns(); left > 0; left = time_ns - clock.now_ns()) {
    team_.waiting().check_aborted();
    if (left > kAwakeNs)
      std::this_thread::sleep_for(
          std::chrono::nanoseconds(std::min(left - kAwakeNs, kLongestNapNs)));
  }
}

void Toll::start_afresh() {
  Tally& tally = world_.tally();
  tally.emulated_ns.fetch_add(emulated_ns_, std::memory_order_relaxed);
  tally.behind_ns.fetch_add(arrears_->behind_ns, std::memory_order_relaxed);
  tally.calls.fetch_add(calls_, std::memory_order_relaxed);
  emulated_ns_ = calls_ = 0;
  arrears_->past_ns += arrears_->lag_ns;
  arrears_->behind_ns = arrears_->lag_ns = 0;
}

// Ranks that are still at work are left out: it is a share that counts.
void Toll::warn_if_behind() const {
  const Tally& tally = world_.tally();
  const auto emulated = static_cast<double>(tally.emulated_ns.load());
  const auto behind = static_cast<double>(tally.behind_ns.load());
  if (tally.calls.load() < kMinCalls || behind <= kTolerated * emulated) return;
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
      tally.calls.load(), behind / ms, emulated / ms, advice));
}

}  // namespace linerate::host
