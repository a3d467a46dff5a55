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
constexpr std::int64_t kLeastCalls = 20;  // fewer say nothing

bool takes_data_from(const CompiledSchedule::View& step, int rank) {
  return std::ranges::find(step.from, rank, &Place::rank) != step.from.end();
}

}  // namespace

Toll::Toll(Team& team, std::shared_ptr<const Network> network)
    : team_(team),
      network_(std::move(network)),
      group_(team.arena().at(team.setup().control_offset), team.nranks()),
      world_(team.arena().at(0), team.arena().layout().nranks),
      own_(group_.ledger(team.rank())) {
  for (const int peer : team.peers()) everybody_.push_back({peer, 1});
  (void)prctl(PR_SET_TIMERSLACK, 1UL, 0UL, 0UL, 0UL);
}

Toll::~Toll() {
  start_afresh();
  const bool is_first = team_.setup().control_offset == 0 && team_.rank() == 0;
  if (is_first) warn_if_behind();
}

std::int64_t Toll::begin() {
  entered_ns_ = std::max<std::int64_t>(team_.setup().clock->now_ns() - behind_ns_, 0);
  ready_ns_ = signalled_ns_ = done_ns_ = entered_ns_;
  return entered_ns_;
}

void Toll::enter() {
  ++call_;
  own_.entered_ns(call_) = begin();
}

void Toll::charge(std::uint32_t index, const CompiledSchedule::View& step,
                  std::size_t element_bytes) {
  const std::size_t bytes = step.stage.count * element_bytes;
  hear(step, bytes > 0);
  const std::int64_t start = start_ns(step);
  std::int64_t arrived = std::max(start, signalled_ns_);
  for (const Place& place : step.from)
    if (place.rank != team_.rank())
      arrived = std::max(arrived, transfer(place.rank, team_.rank(), bytes, start));
  last_until(arrived);
  for (const Place& place : step.to)
    if (place.rank != team_.rank()) last_until(transfer(team_.rank(), place.rank, bytes, arrived));
  own_.done_ns(call_, index + 1) = done_ns_;
}

// Steps go in order: what one has waited for, the next ones need not wait for.
void Toll::hear(const CompiledSchedule::View& step, bool moves) {
  for (const Wait& wait : step.waits) {
    const std::int64_t happened = group_.ledger(wait.rank).done_ns(call_, wait.steps);
    ready_ns_ = std::max(ready_ns_, happened);
    if (moves && takes_data_from(step, wait.rank)) continue;
    signalled_ns_ = std::max(signalled_ns_, happened + path(wait.rank, team_.rank()).latency_ns);
  }
}

std::int64_t Toll::start_ns(const CompiledSchedule::View& step) const {
  std::int64_t start = ready_ns_;
  for (const auto places : {step.from, step.to})
    for (const Place& place : places)
      if (place.rank != team_.rank()) start = std::max(start, entered_ns(place.rank));
  for (const Place& place : step.from)
    if (place.rank == team_.rank() && place.where != Where::send) start = std::max(start, done_ns_);
  return start;
}

void Toll::fetch(int peer, std::size_t bytes) {
  last_until(transfer(peer, team_.rank(), bytes, std::max(entered_ns_, entered_ns(peer))));
}

void Toll::receive(int peer, std::size_t bytes) {
  last_until(arrival_ns(peer, bytes, entered_ns(peer)));
}

void Toll::stamp_step() { own_.done_ns(call_, 1) = done_ns_; }

std::int64_t Toll::arrival_ns(int source, std::size_t bytes, std::int64_t start_ns) {
  return transfer(source, team_.rank(), bytes, start_ns);
}

void Toll::last_until(std::int64_t time_ns) { done_ns_ = std::max(done_ns_, time_ns); }

Path Toll::path(int from, int to) const {
  const auto& world_ranks = team_.setup().world_ranks;
  return network_->path(world_ranks[static_cast<std::size_t>(from)],
                        world_ranks[static_cast<std::size_t>(to)]);
}

std::int64_t Toll::transfer(int from, int to, std::size_t bytes, std::int64_t start_ns) {
  if (from == to) return start_ns;
  const Path way = path(from, to);
  std::int64_t end = start_ns;
  for (const std::uint32_t link : way.links()) end = std::max(end, take(link, bytes, start_ns));
  const double busy_ns = static_cast<double>(end - start_ns) * way.stretch;
  return start_ns + std::llround(std::min(busy_ns, Network::kMostBusyNs)) + way.latency_ns;
}

std::int64_t Toll::take(std::uint32_t link, std::size_t bytes, std::int64_t start_ns) {
  Timeline& timeline = world_.timeline(link);
  while (!timeline.try_lock()) {
    team_.waiting().check_aborted();
    sched_yield();
  }
  const std::int64_t end = timeline.take(start_ns, network_->busy_ns(link, bytes));
  timeline.unlock();
  return end;
}

std::int64_t Toll::end_ns(std::span<const Wait> last) const {
  std::int64_t end = done_ns_;
  for (const int peer : team_.peers())
    if (call_ >= kCells) end = std::max(end, group_.ledger(peer).entered_ns(call_ - kCells + 1));
  for (const Wait& wait : last)
    end = std::max(end, group_.ledger(wait.rank).done_ns(call_, wait.steps));
  return end;
}

void Toll::settle(std::span<const Wait> last) { end_call(end_ns(last)); }

void Toll::settle_messages() { end_call(done_ns_); }

void Toll::end_call(std::int64_t end) {
  wait_until(end);
  behind_ns_ = team_.setup().clock->now_ns() - end;
  emulated_ns_ += end - entered_ns_;
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
  tally.behind_ns.fetch_add(behind_ns_, std::memory_order_relaxed);
  tally.calls.fetch_add(calls_, std::memory_order_relaxed);
  emulated_ns_ = behind_ns_ = calls_ = 0;
}

// Ranks that are still at work are left out: it is a share that counts.
void Toll::warn_if_behind() const {
  const Tally& tally = world_.tally();
  const auto emulated = static_cast<double>(tally.emulated_ns.load());
  const auto behind = static_cast<double>(tally.behind_ns.load());
  if (tally.calls.load() < kLeastCalls || behind <= kTolerated * emulated) return;
  const int dilation = network_->plan().dilation;
  const double needed = std::ceil(2 * dilation * (1 + behind / emulated));
  const auto advice =
      needed <= NetworkPlan::kMostDilation
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
