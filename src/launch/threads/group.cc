// The last thread to arrive acts for all, over the bootstrap of the processes.
#include "launch/threads/group.h"

#include "base/wire.h"

#include <fmt/format.h>

#include <algorithm>
#include <cassert>
#include <chrono>
#include <numeric>

namespace linerate {

void ThreadJob::throw_if_failed() const {
  if (failure) throw WokenByFailure(failure->sentence, failure->ranks);
}

void ThreadJob::sleep(std::unique_lock<std::mutex>& lock, const Deadline& deadline) {
  // A clock that is moved by hand does not wake a sleeper: look at it from time to time.
  constexpr int kLongestSleepMs = 100;
  if (deadline.bounded())
    changed.wait_for(lock,
                     std::chrono::milliseconds(std::min(deadline.poll_ms(), kLongestSleepMs)));
  else
    changed.wait(lock);
}

namespace {

std::vector<int> invert(const ThreadGroup::Layout& ranks_of_process) {
  std::size_t nranks = 0;
  for (const auto& ranks : ranks_of_process) nranks += ranks.size();
  std::vector<int> process_of_rank(nranks, -1);
  for (std::size_t p = 0; p < ranks_of_process.size(); ++p)
    for (const int rank : ranks_of_process[p])
      process_of_rank[static_cast<std::size_t>(rank)] = static_cast<int>(p);
  return process_of_rank;
}

ThreadGroup::Layout equal_shares(const Bootstrap& process, int nthreads) {
  ThreadGroup::Layout layout(static_cast<std::size_t>(process.nranks()),
                             std::vector<int>(static_cast<std::size_t>(nthreads)));
  int next = 0;
  for (auto& ranks : layout) {
    std::iota(ranks.begin(), ranks.end(), next);
    next += nthreads;
  }
  return layout;
}

}  // namespace

ThreadGroup::ThreadGroup(ThreadJob& job, Bootstrap& process, Layout layout)
    : job_(job),
      process_(process),
      ranks_of_process_(std::move(layout)),
      process_of_rank_(invert(ranks_of_process_)),
      inputs_(local_ranks().size()),
      arrived_(local_ranks().size()) {}

ThreadGroup::ThreadGroup(ThreadJob& job, std::unique_ptr<Bootstrap> process, Layout layout)
    : ThreadGroup(job, *process, std::move(layout)) {
  owned_ = std::move(process);
}

std::shared_ptr<ThreadGroup> ThreadGroup::whole(ThreadJob& job, int nthreads) {
  return std::shared_ptr<ThreadGroup>(
      new ThreadGroup(job, job.process, equal_shares(job.process, nthreads)));
}

const std::vector<int>& ThreadGroup::local_ranks() const {
  return ranks_of_process_[static_cast<std::size_t>(process_.rank())];
}

int ThreadGroup::member_of(int rank) const {
  const auto& ranks = local_ranks();
  const auto found = std::ranges::find(ranks, rank);
  return found == ranks.end() ? -1 : static_cast<int>(found - ranks.begin());
}

void ThreadGroup::throw_if_broken() const {
  job_.throw_if_failed();
  if (broken_) broken_->raise();
}

// A lost process takes all its ranks along.
JobFailure ThreadGroup::in_thread_ranks(JobFailure failure) const {
  std::vector<int> ranks;
  for (const int p : failure.ranks)
    if (p >= 0 && p < process_.nranks()) {
      const auto& lost = ranks_of_process_[static_cast<std::size_t>(p)];
      ranks.insert(ranks.end(), lost.begin(), lost.end());
    }
  std::ranges::sort(ranks);
  failure.ranks = std::move(ranks);
  return failure;
}

std::shared_ptr<const ThreadGroup::Outcome> ThreadGroup::act_for_all(
    std::unique_lock<std::mutex>& lock, const Act& act) {
  auto inputs = std::exchange(inputs_, std::vector<Bytes>(inputs_.size()));
  arrived_.assign(arrived_.size(), false);
  narrived_ = 0;
  acting_ = true;
  lock.unlock();
  std::shared_ptr<const Outcome> outcome;
  std::optional<JobFailure> failure;
  try {
    outcome = std::make_shared<const Outcome>(act(inputs));
  } catch (...) {
    failure = in_thread_ranks(JobFailure::current());
  }
  lock.lock();
  acting_ = false;
  nreaders_ = inputs_.size() - 1;
  if (nreaders_ > 0) outcome_ = outcome;
  if (failure) broken_ = std::move(failure);
  ++generation_;
  job_.changed.notify_all();
  if (!outcome) broken_->raise();
  return outcome;
}

void ThreadGroup::give_up_waiting(std::string_view what) {
  std::string missing;
  for (std::size_t i = 0; i < arrived_.size(); ++i)
    if (!arrived_[i]) missing += fmt::format("{}{}", missing.empty() ? "" : ", ", local_ranks()[i]);
  broken_ = JobFailure::timed_out(fmt::format("timed out in {}: rank {} of {} has not arrived",
                                              what, missing, process_.place().hostname));
  job_.changed.notify_all();
  broken_->raise();
}

std::shared_ptr<const ThreadGroup::Outcome> ThreadGroup::collective_call(
    int member, std::span<const std::byte> mine, const CollectiveCall& call, const Act& act) {
  std::unique_lock lock(job_.mutex);
  throw_if_broken();
  const auto index = static_cast<std::size_t>(member);
  assert(!arrived_[index]);
  // A copy: a member that is woken by a failure leaves while another still acts on its behalf.
  inputs_[index].assign(mine.begin(), mine.end());
  arrived_[index] = true;
  if (++narrived_ == inputs_.size()) return act_for_all(lock, act);

  const auto over = [&, generation = generation_] { return generation_ != generation; };
  const auto met = [&] { return over() || broken_; };
  // The one that acts keeps its own deadline, and knows better than this one what is missing.
  while (!job_.wait(lock, call.deadline, met)) {
    if (!acting_) give_up_waiting(call.what);
    job_.wait(lock, Deadline::never(), met);
  }
  // A call that took place counts, whatever has failed since.
  if (!over() || !outcome_) broken_->raise();
  auto outcome = outcome_;
  if (--nreaders_ == 0) outcome_.reset();  // it may own new groups, which end with their members
  return outcome;
}

Bytes ThreadGroup::pack_local(std::span<const Bytes> inputs) const {
  WireWriter writer;
  for (const auto& input : inputs) writer.put_all(std::span<const std::byte>(input));
  return writer.take();
}

std::vector<Bytes> ThreadGroup::in_rank_order(std::span<const Bytes> packed) const {
  if (packed.empty()) return {};
  std::vector<Bytes> ordered(process_of_rank_.size());
  for (std::size_t p = 0; p < packed.size(); ++p) {
    WireReader reader(packed[p]);
    for (const int rank : ranks_of_process_[p])
      ordered[static_cast<std::size_t>(rank)] = reader.get_all<std::byte>();
  }
  return ordered;
}

void ThreadGroup::barrier(int member, const Deadline& deadline) {
  collective_call(member, {}, {"barrier", deadline}, [&](std::span<const Bytes>) {
    process_.barrier(deadline);
    return Outcome{};
  });
}

std::vector<Bytes> ThreadGroup::gather(int member, std::span<const std::byte> mine,
                                       const Deadline& deadline) {
  const auto outcome =
      collective_call(member, mine, {"gather", deadline}, [&](std::span<const Bytes> inputs) {
        return Outcome{in_rank_order(process_.gather(pack_local(inputs), deadline)), {}, {}};
      });
  return rank_of(member) == 0 ? outcome->bytes : std::vector<Bytes>{};
}

std::vector<Bytes> ThreadGroup::all_gather(int member, std::span<const std::byte> mine,
                                           const Deadline& deadline) {
  return collective_call(
             member, mine, {"all_gather", deadline},
             [&](std::span<const Bytes> inputs) {
               return Outcome{
                   in_rank_order(process_.all_gather(pack_local(inputs), deadline)), {}, {}};
             })
      ->bytes;
}

Bytes ThreadGroup::broadcast(int member, std::span<const std::byte> mine, int root,
                             const Deadline& deadline) {
  assert(root >= 0 && root < nranks());
  const int root_member = member_of(root);
  const auto brought = member == root_member ? mine : std::span<const std::byte>{};
  const auto outcome =
      collective_call(member, brought, {"broadcast", deadline}, [&](std::span<const Bytes> inputs) {
        const auto sent =
            root_member >= 0 ? inputs[static_cast<std::size_t>(root_member)] : Bytes{};
        const int process = process_of_rank_[static_cast<std::size_t>(root)];
        return Outcome{{process_.broadcast(sent, process, deadline)}, {}, {}};
      });
  return outcome->bytes.front();
}

// With one thread each, ranks are the processes' own, and so is the tree.
Bytes ThreadGroup::exchange(int peer, std::span<const std::byte> mine, const Deadline& deadline) {
  const auto alone = [](const std::vector<int>& ranks) { return ranks.size() == 1; };
  if (std::ranges::all_of(ranks_of_process_, alone)) return process_.exchange(peer, mine, deadline);
  throw Error("threads cannot exchange: only their processes can");
}

}  // namespace linerate
