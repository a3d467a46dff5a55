// How a process whose threads wait too long asks all others what they do.
#include "launch/watch/process.h"
#include "launch/watch/protocol.h"

#include <algorithm>

namespace linerate {
namespace {

constexpr std::int64_t kAnswersNs = 1'000'000'000;
// Another's inquiry that has led to nothing by then was given up.
constexpr std::int64_t kOthersInquiryNs = 2 * kAnswersNs;

}  // namespace

std::int64_t ControlProtocol::pending_end_ns() const {
  return pending_->began_ns + (pending_->via < 0 ? kAnswersNs : kOthersInquiryNs);
}

void ControlProtocol::take(Neighbour& from, const InquiryMessage& message) {
  // Links form circles: what has been seen comes again.
  if (message.origin == parts_.self || seen_[message.origin] >= message.serial) return;
  seen_[message.origin] = message.serial;
  const auto now_ns = SteadyClock().now_ns();
  // One inquiry at a time, of the lowest process that asks: n of them would be n * n messages.
  const bool given_up = pending_ && now_ns >= pending_end_ns();
  if (pending_ && !given_up && pending_->origin < message.origin) return;
  pending_ = {.origin = message.origin,
              .serial = message.serial,
              .via = from.link.peer(),
              .began_ns = now_ns};
  auto mine = own_status(now_ns);
  from.link.send(
      StatusMessage{.origin = message.origin,
                    .serial = message.serial,
                    .process = parts_.self,
                    .threads = left_ ? std::vector<ThreadStatus>{} : std::move(mine.threads),
                    .unlinked = std::move(mine.unlinked)});
  send_to_others(message, from.link.peer());
}

void ControlProtocol::take(Neighbour&, const StatusMessage& message) {
  if (!pending_ || pending_->origin != message.origin || pending_->serial != message.serial) return;
  if (pending_->via >= 0) {
    for (auto& neighbour : neighbours_)
      if (neighbour.link.peer() == pending_->via) neighbour.link.send(message);
    return;
  }
  if (message.process < 0 || message.process >= static_cast<int>(statuses_.size())) return;
  statuses_[static_cast<std::size_t>(message.process)] = {.answered = true,
                                                          .left = message.threads.empty(),
                                                          .threads = message.threads,
                                                          .unlinked = message.unlinked};
}

void ControlProtocol::look_at_threads(std::int64_t now_ns) {
  if (pending_) return;
  for (int thread = 0; thread < parts_.mine().nthreads; ++thread) {
    const auto& headway = look_at(thread, now_ns);
    if (headway.limit_ns > 0 && now_ns - standing_since_ns(headway) >= headway.limit_ns)
      return inquire(thread, now_ns);
  }
}

std::int64_t ControlProtocol::standing_since_ns(const Headway& headway) const {
  return std::max({headway.since_ns, others_since_ns_, resumed_ns_});
}

std::optional<std::int64_t> ControlProtocol::first_limit_ns() const {
  std::optional<std::int64_t> first;
  for (const auto& headway : headways_) {
    if (headway.limit_ns <= 0) continue;
    const auto at_ns = standing_since_ns(headway) + headway.limit_ns;
    first = std::min(first.value_or(at_ns), at_ns);
  }
  return first;
}

// A thread makes headway while it enters stages or, in a long one, begins calls.
const ControlProtocol::Headway& ControlProtocol::look_at(int thread, std::int64_t now_ns) {
  const auto status =
      parts_.page.thread(parts_.slot_of(parts_.self), static_cast<std::size_t>(thread));
  const auto calls = calls_of_(thread);
  auto& headway = headways_[static_cast<std::size_t>(thread)];
  if (headway.counter != status.counter)
    headway = {status.counter, calls, status.entered_ns, status.limit_ns};
  else if (headway.calls != calls)
    headway = {status.counter, calls, now_ns, status.limit_ns};
  return headway;
}

void ControlProtocol::inquire(int thread, std::int64_t now_ns) {
  pending_ = {.origin = parts_.self,
              .serial = ++serial_,
              .began_ns = now_ns,
              .thread = thread,
              .headway = look_at(thread, now_ns)};
  statuses_.assign(parts_.processes.size(), {});
  statuses_[static_cast<std::size_t>(parts_.self)] = own_status(now_ns);
  send_to_others(InquiryMessage{.origin = parts_.self, .serial = serial_});
  look_at_inquiry(now_ns);
}

void ControlProtocol::look_at_inquiry(std::int64_t now_ns) {
  if (!pending_) return;
  if (pending_->via >= 0) {
    if (now_ns >= pending_end_ns()) pending_.reset();
    return;
  }
  const bool complete = std::ranges::all_of(statuses_, &ProcessStatus::answered);
  if (!complete && now_ns < pending_end_ns()) return;
  const bool stands_still =
      look_at(pending_->thread, now_ns).since_ns == pending_->headway.since_ns;
  const auto shortest_ns = shortest_standstill_ns();
  others_since_ns_ = pending_->began_ns - shortest_ns;
  if (stands_still && shortest_ns >= pending_->headway.limit_ns) conclude(now_ns);
  pending_.reset();
}

// Of the threads that answered and have not left. While one of them gets on, the others may wait
// for it, as pairs and groups do, and nobody is missing.
std::int64_t ControlProtocol::shortest_standstill_ns() const {
  auto shortest = pending_->began_ns;
  for (const auto& status : statuses_)
    if (status.answered && !status.left)
      for (const auto& thread : status.threads) shortest = std::min(shortest, thread.entered_ns);
  return shortest;
}

void ControlProtocol::conclude(std::int64_t now_ns) {
  for (const auto& other : parts_.processes) {
    auto& status = statuses_[static_cast<std::size_t>(other.process)];
    if (status.answered || !parts_.shares(other.process)) continue;
    status.left = presence_of(other.process) != Presence::running;
    status.threads = threads_of(other.process, now_ns);
  }
  lose(
      missing_ranks({.origin = parts_.self, .processes = parts_.processes, .statuses = statuses_}));
}

ProcessStatus ControlProtocol::own_status(std::int64_t now_ns) {
  ProcessStatus status{
      .answered = true, .left = left_, .threads = threads_of(parts_.self, now_ns), .unlinked = {}};
  for (int thread = 0; thread < parts_.mine().nthreads; ++thread) {
    auto& mine = status.threads[static_cast<std::size_t>(thread)];
    const auto& headway = look_at(thread, now_ns);
    mine.entered_ns = std::min(mine.entered_ns, now_ns - std::max(headway.since_ns, resumed_ns_));
    // A thread whose communicators are gone counts none.
    mine.calls = headway.calls - std::min(headway.calls, mine.calls);
  }
  const auto linked = [&](int process) {
    return std::ranges::any_of(neighbours_,
                               [&](const auto& other) { return other.link.peer() == process; });
  };
  const auto nprocesses = static_cast<int>(parts_.processes.size());
  for (const int process : control_neighbours(parts_.self, nprocesses))
    if (!linked(process)) status.unlinked.push_back(process);
  return status;
}

}  // namespace linerate
