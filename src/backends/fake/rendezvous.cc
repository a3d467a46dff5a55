// The last rank to come does the work under the lock; the others wait until something changes.
#include "backends/fake/rendezvous.h"

#include "backends/fake/reference.h"
#include "backends/fake/time_model.h"
#include "base/clock.h"
#include "base/error.h"
#include "comm/split.h"

#include <fmt/format.h>

#include <sched.h>

#include <algorithm>
#include <cmath>
#include <cstring>

namespace linerate::fake {
namespace {

// Most waits are short: a thread that sleeps and is woken again takes longer than a small call.
constexpr int kYields = 50;

}  // namespace

Rendezvous::Rendezvous(const FakeOptions& options, std::vector<int> ranks, std::uint64_t stream)
    : options_(options),
      ranks_(std::move(ranks)),
      stream_(stream),
      time_(options_, ranks_),
      healthy_time_(options_.healthy(), ranks_),
      visits_(ranks_.size()) {}

void Rendezvous::throw_if_over() const {
  if (misuse_) throw Error(*misuse_);
  if (aborted_) throw Aborted("The communicator was aborted.");
}

template <typename Condition>
void Rendezvous::wait(std::unique_lock<std::mutex>& lock, Condition condition) {
  const auto over = [&] { return condition() || aborted_ || misuse_; };
  for (int i = 0; i < kYields && !over();) {
    const auto seen = nchanges_.load(std::memory_order_relaxed);
    lock.unlock();
    for (; i < kYields && nchanges_.load(std::memory_order_relaxed) == seen; ++i) sched_yield();
    lock.lock();
  }
  changed_.wait(lock, over);
}

void Rendezvous::notify() {
  nchanges_.fetch_add(1, std::memory_order_relaxed);
  changed_.notify_all();
}

void Rendezvous::meet(int rank, Visit& visit) {
  std::unique_lock lock(mutex_);
  throw_if_over();
  visits_[static_cast<std::size_t>(rank)] = &visit;
  ++nvisits_;
  const auto meeting = nmeetings_;
  if (nvisits_ == nranks()) {
    try {
      complete();
    } catch (const std::exception& error) {
      misuse_ = error.what();
    }
    nvisits_ = 0;
    ++nmeetings_;
    notify();
    throw_if_over();
    return;
  }
  wait(lock, [&] { return nmeetings_ != meeting; });
  // Given up: the visit stays behind, but no later one can complete the meeting.
  if (nmeetings_ == meeting || misuse_) throw_if_over();
}

ModeledTime Rendezvous::latest_entry() const {
  ModeledTime latest = visits_[0]->entry;
  for (const Visit* visit : visits_) latest = later(latest, visit->entry);
  return latest;
}

ModeledTime Rendezvous::exit(const ModeledTime& start, const CallTime& time, int rank) const {
  return start + ModeledTime{std::llround((time.us + time_.lateness_us(rank)) * kNsPerUs),
                             std::llround(time.healthy_us * kNsPerUs)};
}

void Rendezvous::complete() {
  const auto kind = visits_[0]->kind;
  for (const Visit* visit : visits_)
    if (visit->kind != kind)
      throw Error("The ranks called different things: some a barrier or split, some a collective.");
  switch (kind) {
    case Visit::Kind::call:
      complete_calls();
      break;
    case Visit::Kind::split:
      complete_split();
      break;
    case Visit::Kind::barrier: {
      const auto start = latest_entry();
      for (int rank = 0; rank < nranks(); ++rank)
        visits_[static_cast<std::size_t>(rank)]->exit = exit(start, {kBarrierUs, kBarrierUs}, rank);
    }
  }
}

void Rendezvous::complete_calls() {
  std::vector<const Op*> calls;
  for (const Visit* visit : visits_) calls.push_back(visit->op);
  move_data(calls, scratch_);
  const auto start = latest_entry();
  const double exact_us = time_.collective_us(calls) * time_.mode(stream_, nmeetings_);
  const double healthy_us = healthy_time_.collective_us(calls);
  for (int rank = 0; rank < nranks(); ++rank) {
    Visit& visit = *visits_[static_cast<std::size_t>(rank)];
    visit.exit = exit(start, {time_.noisy_us(exact_us, rank, visit.call), healthy_us}, rank);
  }
}

// The first rank of each new group makes what its members share.
void Rendezvous::complete_split() {
  std::vector<SplitChoice> choices;
  for (const Visit* visit : visits_) choices.push_back({visit->color, visit->key});
  for (int rank = 0; rank < nranks(); ++rank) {
    Visit& first = *visits_[static_cast<std::size_t>(rank)];
    first.exit = first.entry;
    const auto group = split_group(choices, rank);
    if (first.color < 0 || group.front() != rank) continue;
    std::vector<int> names;
    for (const int member : group) names.push_back(name_of(member));
    const auto stream = mixed(mixed(stream_, nmeetings_), static_cast<std::uint64_t>(first.color));
    const auto part = std::make_shared<Rendezvous>(options_, names, stream);
    for (std::size_t i = 0; i < group.size(); ++i) {
      Visit& visit = *visits_[static_cast<std::size_t>(group[i])];
      visit.part = part;
      visit.part_rank = static_cast<int>(i);
    }
  }
}

void Rendezvous::offer_send(Message& message) { offer(message, &Mailbox::sends); }
void Rendezvous::offer_recv(Message& message) { offer(message, &Mailbox::recvs); }

void Rendezvous::offer(Message& message, std::deque<Message*> Mailbox::*side) {
  const std::lock_guard lock(mutex_);
  throw_if_over();
  Mailbox& mailbox = mailboxes_[{message.source, message.dest}];
  (mailbox.*side).push_back(&message);
  if (mailbox.sends.empty() || mailbox.recvs.empty()) return;
  Message& send = *mailbox.sends.front();
  Message& recv = *mailbox.recvs.front();
  mailbox.sends.pop_front();
  mailbox.recvs.pop_front();
  deliver(send, recv, mailbox.delivered++);
  notify();
}

void Rendezvous::deliver(Message& send, Message& recv, std::uint64_t sequence) {
  if (send.bytes != recv.bytes) {
    misuse_ = fmt::format("Rank {} sends {} bytes to rank {}, which expects {}.", send.source,
                          send.bytes, send.dest, recv.bytes);
    return;
  }
  // Both may lie in one buffer when a rank sends to itself.
  if (send.bytes > 0) std::memmove(recv.recv.data(), send.send.data(), send.bytes);
  const auto mailbox =
      (static_cast<std::uint64_t>(send.source) << 32) | static_cast<std::uint64_t>(send.dest);
  const auto start = later(send.entry, recv.entry);
  const auto bytes = static_cast<double>(send.bytes);
  const double healthy_us = healthy_time_.message_us(send.source, send.dest, bytes);
  const double exact_us = time_.message_us(send.source, send.dest, bytes) *
                          time_.mode(mixed(stream_, mailbox), sequence);
  send.exit =
      exit(start, {time_.noisy_us(exact_us, send.source, send.call), healthy_us}, send.source);
  recv.exit = exit(start, {time_.noisy_us(exact_us, recv.dest, recv.call), healthy_us}, recv.dest);
  send.done = recv.done = true;
}

void Rendezvous::wait_for(const Message& message) {
  std::unique_lock lock(mutex_);
  wait(lock, [&] { return message.done; });
  if (!message.done) throw_if_over();
}

void Rendezvous::hang(int rank) {
  std::unique_lock lock(mutex_);
  wait(lock, [] { return false; });
  throw_if_over();
  throw PeerFailure(fmt::format("Rank {} hung.", rank));
}

void Rendezvous::abort() noexcept {
  const std::lock_guard lock(mutex_);
  aborted_ = true;
  notify();
}

}  // namespace linerate::fake
