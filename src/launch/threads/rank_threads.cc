// One thread as a member of a ThreadGroup.
#include "launch/threads/rank_threads.h"

#include "launch/place.h"
#include "launch/threads/group.h"

#include <fmt/format.h>

#include <algorithm>
#include <cassert>
#include <exception>
#include <thread>

namespace linerate {
namespace {

class ThreadBootstrap final : public Bootstrap {
 public:
  ThreadBootstrap(std::shared_ptr<ThreadGroup> group, int member, NodePlace place)
      : group_(std::move(group)), member_(member), place_(std::move(place)) {}

  int rank() const override { return group_->rank_of(member_); }
  int nranks() const override { return group_->nranks(); }
  const NodePlace& place() const override { return place_; }

  void barrier(const Deadline& deadline) override { group_->barrier(member_, deadline); }
  Bytes broadcast(std::span<const std::byte> mine, int root, const Deadline& deadline) override {
    return group_->broadcast(member_, mine, root, deadline);
  }
  std::vector<Bytes> gather(std::span<const std::byte> mine, const Deadline& deadline) override {
    return group_->gather(member_, mine, deadline);
  }
  std::vector<Bytes> all_gather(std::span<const std::byte> mine,
                                const Deadline& deadline) override {
    return group_->all_gather(member_, mine, deadline);
  }
  Bytes exchange(int peer, std::span<const std::byte> mine, const Deadline& deadline) override {
    return group_->exchange(peer, mine, deadline);
  }
  std::unique_ptr<Bootstrap> split(int color, int key, const Deadline& deadline) override;

  // The job's, whatever this group is: a group of one process would end that process only.
  void abort(ExitCode code) noexcept override { group_->job().process.abort(code); }

 private:
  std::shared_ptr<ThreadGroup> group_;
  int member_;
  NodePlace place_;
};

std::unique_ptr<Bootstrap> ThreadBootstrap::split(int color, int key, const Deadline& deadline) {
  const ThreadChoice mine{.color = color, .key = key, .host = place_.node};
  const auto outcome = group_->split(member_, mine, deadline);
  if (color < 0) return nullptr;
  const auto groups = color_groups(outcome->choices);
  const auto chosen = std::ranges::find(groups, color, &ColorGroup::color);
  const auto me = std::ranges::find(chosen->members, rank());
  const auto new_rank = static_cast<int>(me - chosen->members.begin());
  std::vector<int> hosts;
  for (const int member : chosen->members)
    hosts.push_back(outcome->choices[static_cast<std::size_t>(member)].host);
  auto place = place_within(hosts, new_rank);
  place.hostname = place_.hostname;
  place.identity = place_.identity;
  const auto& group = outcome->groups.at(color);
  return std::make_unique<ThreadBootstrap>(group, group->member_of(new_rank), std::move(place));
}

class RankThreads {
 public:
  RankThreads(Bootstrap& process, int nthreads, const ReportingBody& body,
              const std::function<void(const std::string&)>& on_failure)
      : job_(process),
        nthreads_(nthreads),
        whole_(ThreadGroup::whole(job_, nthreads)),
        body_(body),
        on_failure_(on_failure) {}

  void run();

 private:
  NodePlace place_of(int thread) const;
  void run_one(int thread) noexcept;
  void report(int thread) noexcept;
  void fail(int thread, const JobFailure& failure) noexcept;

  ThreadJob job_;
  int nthreads_;
  std::shared_ptr<ThreadGroup> whole_;
  const ReportingBody& body_;
  const std::function<void(const std::string&)>& on_failure_;
  std::exception_ptr first_;  // under job_.mutex: the cause, never a WokenByFailure
};

NodePlace RankThreads::place_of(int thread) const {
  auto place = job_.process.place();
  place.local_rank = place.local_rank * nthreads_ + thread;
  place.local_nranks *= nthreads_;
  return place;
}

void RankThreads::fail(int thread, const JobFailure& failure) noexcept {
  {
    const std::lock_guard lock(job_.mutex);
    if (first_) return;
    first_ = std::current_exception();
    const int rank = whole_->rank_of(thread);
    auto ranks = failure.ranks.empty() ? std::vector<int>{rank} : failure.ranks;
    job_.failure = JobFailure::lost(fmt::format("rank {} gave up: {}", rank, failure.sentence),
                                    std::move(ranks));
    job_.changed.notify_all();
  }
  if (on_failure_) on_failure_(failure.sentence);
}

// The exception that is being handled.
void RankThreads::report(int thread) noexcept {
  try {
    throw;
  } catch (const WokenByFailure&) {
    // Another thread failed first, and has reported it.
  } catch (...) {
    fail(thread, JobFailure::current());
  }
}

void RankThreads::run_one(int thread) noexcept {
  try {
    const auto member = std::make_unique<ThreadBootstrap>(whole_, thread, place_of(thread));
    body_(*member, [this, thread] { report(thread); });
  } catch (...) {
    report(thread);
  }
}

void RankThreads::run() {
  std::vector<std::thread> threads;
  try {
    for (int t = 1; t < nthreads_; ++t) threads.emplace_back([this, t] { run_one(t); });
    run_one(0);
  } catch (const std::exception&) {
    fail(0, JobFailure::current());  // the system refused a thread: those that run must not wait
  }
  for (auto& thread : threads) thread.join();
  if (first_) std::rethrow_exception(first_);
}

}  // namespace

void run_rank_threads(Bootstrap& process, int nthreads, const ReportingBody& body,
                      const std::function<void(const std::string&)>& on_failure) {
  assert(nthreads > 0);
  RankThreads(process, nthreads, body, on_failure).run();
}

void run_rank_threads(Bootstrap& process, int nthreads, const std::function<void(Bootstrap&)>& body,
                      const std::function<void(const std::string&)>& on_failure) {
  const ReportingBody plain = [&](Bootstrap& member, const auto&) { body(member); };
  run_rank_threads(process, nthreads, plain, on_failure);
}

}  // namespace linerate
