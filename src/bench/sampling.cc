// Stamps go to rank 0 in blocks, which reduces them over each set of threads.
#include "bench/sampling.h"

#include "base/clock.h"
#include "base/wire.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <span>
#include <thread>

namespace linerate {
namespace {

constexpr double kClockShare = 0.02;  // of a sample that its clock reads may cost

struct Extremes {
  std::int64_t first_entry = std::numeric_limits<std::int64_t>::max();
  std::int64_t last_entry = std::numeric_limits<std::int64_t>::min();
  std::int64_t first_exit = std::numeric_limits<std::int64_t>::max();
  std::int64_t last_exit = std::numeric_limits<std::int64_t>::min();
  std::int64_t longest = 0;
};

struct SampleAt {
  std::size_t index;  // in the block
  int batch;
  bool skews;  // the stamps of all threads are on one clock
};

// A sample's time is the maximum over threads, because a collective ends when its last rank does.
void add_sample(const std::vector<std::vector<Stamp>>& threads, const ThreadSet& set, SampleAt at,
                SampleReduction& into) {
  Extremes e;
  const auto stamp_of = [&](int thread) -> const Stamp& {
    return threads[static_cast<std::size_t>(thread)][at.index];
  };
  for (const int thread : set) {
    const auto& stamp = stamp_of(thread);
    e.first_entry = std::min(e.first_entry, stamp.entry_ns);
    e.last_entry = std::max(e.last_entry, stamp.entry_ns);
    e.first_exit = std::min(e.first_exit, stamp.exit_ns);
    e.last_exit = std::max(e.last_exit, stamp.exit_ns);
    e.longest = std::max(e.longest, stamp.exit_ns - stamp.entry_ns);
  }
  into.time_us.add(static_cast<double>(e.longest) / kNsPerUs / at.batch);
  if (!at.skews) return;
  into.arrival_skew_us.add(static_cast<double>(e.last_entry - e.first_entry) / kNsPerUs);
  into.exit_skew_us.add(static_cast<double>(e.last_exit - e.first_exit) / kNsPerUs);
  into.last_to_last_us.add(static_cast<double>(e.last_exit - e.last_entry) / kNsPerUs / at.batch);
  for (std::size_t k = 0; k < set.size(); ++k) {
    const auto& stamp = stamp_of(set[k]);
    const auto waits_ns = std::min(stamp.exit_ns, e.last_entry) - stamp.entry_ns;
    const auto rest_ns = stamp.exit_ns - stamp.entry_ns - waits_ns;
    into.late_us_sum[k] += static_cast<double>(stamp.entry_ns - e.first_entry) / kNsPerUs;
    into.wait_us_sum[k] += static_cast<double>(waits_ns) / kNsPerUs;
    into.transfer_us_sum[k] += static_cast<double>(rest_ns) / kNsPerUs / at.batch;
  }
}

// All processes have equally many threads, in order.
void add_process_times(const std::vector<std::vector<Stamp>>& threads, SampleAt at,
                       std::vector<std::vector<double>>& process_us) {
  if (process_us.empty() || process_us.front().size() >= SampleReduction::kExactSamples) return;
  const std::size_t each = threads.size() / process_us.size();
  for (std::size_t process = 0; process < process_us.size(); ++process) {
    std::int64_t longest_ns = 0;
    for (std::size_t thread = process * each; thread < (process + 1) * each; ++thread) {
      const Stamp& stamp = threads[thread][at.index];
      longest_ns = std::max(longest_ns, stamp.exit_ns - stamp.entry_ns);
    }
    process_us[process].push_back(static_cast<double>(longest_ns) / kNsPerUs / at.batch);
  }
}

}  // namespace

SampleReduction::SampleReduction(std::size_t capacity, std::size_t nthreads)
    : time_us(capacity),
      arrival_skew_us(capacity),
      exit_skew_us(capacity),
      last_to_last_us(capacity),
      late_us_sum(nthreads),
      wait_us_sum(nthreads),
      transfer_us_sum(nthreads) {}

int batch_for(double call_us, double clock_cost_ns) {
  if (call_us <= 0) return 1;
  const double calls = clock_cost_ns / kNsPerUs / (kClockShare * call_us);
  constexpr double kMax = 1000;
  return std::max(1, static_cast<int>(std::ceil(std::min(calls, kMax))));
}

Sampler::Sampler(Session& session)
    : session_(session), stamps_(std::min<std::uint64_t>(session.config().iters, kBlock)) {
  if (!session.config().per_iter_timing) return;
  for (auto& local : session.ranks())
    if (auto events = local.stream->timing_events(stamps_.size() + 1))
      timing_events_.push_back(std::move(events));
}

void Sampler::run(CallIssuer& issuer, const SamplePlan& plan, const std::vector<ThreadSet>& sets,
                  std::vector<SampleReduction>& reductions) {
  next_slot_ = 0;
  sample_ = plan.first;
  lead_in(issuer, plan);
  before_ = offset_now();
  session_.align();
  for (std::uint64_t done = 0; done < plan.samples;) {
    const std::size_t count =
        std::min<std::uint64_t>({stamps_.size(), plan.block, plan.samples - done});
    const auto stamps = std::span(stamps_).first(count);
    device_stamps() ? mark_block(issuer, plan, stamps) : stamp_block(issuer, plan, stamps);
    gather_block(count, plan, done, sets, reductions);
    done += count;
    if (done < plan.samples && plan.interrupted && plan.interrupted()) return;
  }
}

// Before, the caches held what the window's last call or another program had left there. Of few
// samples a time, the median would lie somewhere between those first ones and the rest.
void Sampler::lead_in(CallIssuer& issuer, const SamplePlan& plan) const {
  if (plan.captured != nullptr) return;
  const auto calls = plan.samples * static_cast<std::uint64_t>(plan.batch);
  const auto slots = std::min<std::uint64_t>(calls, plan.sliding_slots);
  for (auto left = plan.lead_in; left > 0; --left) issuer.once((slots - left % slots) % slots);
  issuer.synchronize();
}

void Sampler::one_sample(CallIssuer& issuer, const SamplePlan& plan) {
  if (plan.captured != nullptr) return plan.captured->launch();
  for (int k = 0; k < plan.batch; ++k) {
    issuer.once(next_slot_);
    next_slot_ = next_slot_ + 1 == plan.sliding_slots ? 0 : next_slot_ + 1;
  }
}

// Between the stamps: `batch` calls and the wait for them. Outside: the barrier and the delay.
void Sampler::stamp_block(CallIssuer& issuer, const SamplePlan& plan, std::span<Stamp> stamps) {
  const Clock& clock = session_.clock();
  const bool barrier = session_.config().sync == Sync::barrier;
  for (Stamp& stamp : stamps) {
    if (barrier) session_.barrier();
    if (plan.skew != nullptr) arrive_late(*plan.skew);
    stamp.entry_ns = clock.now_ns();
    one_sample(issuer, plan);
    issuer.synchronize();
    stamp.exit_ns = clock.now_ns();
  }
}

// As busy as a rank that still computes, but for others on its core.
void Sampler::arrive_late(const SkewPattern& skew) {
  const auto from_ns = session_.clock().now_ns();
  const auto delay_ns = skew.delay_ns(session_.ranks().front().world->rank(), sample_++);
  while (session_.clock().now_ns() - from_ns < delay_ns) std::this_thread::yield();
}

// All at once: the device tells when it passed from one sample to the next. Ranks of a thread count
// as one, so the longest of theirs is the thread's.
void Sampler::mark_block(CallIssuer& issuer, const SamplePlan& plan, std::span<Stamp> stamps) {
  const auto place = [&](std::size_t index) {
    for (auto& events : timing_events_) events->place(index);
  };
  place(0);
  for (std::size_t i = 0; i < stamps.size(); ++i) {
    one_sample(issuer, plan);
    place(i + 1);
  }
  issuer.synchronize();
  for (std::size_t i = 0; i < stamps.size(); ++i) {
    double us = 0;
    for (auto& events : timing_events_) us = std::max(us, events->us_between(i, i + 1));
    stamps[i] = {.entry_ns = 0, .exit_ns = std::llround(us * kNsPerUs)};
  }
}

// Before and after each block, so that drift between them is taken out. Processes of one node share
// a clock; only several nodes pay for the measurement.
ClockOffset Sampler::offset_now() {
  if (session_.bootstrap().place().nnodes == 1) return {};
  return session_.rank().clock_offset(Deadline::never());
}

void Sampler::gather_block(std::size_t count, const SamplePlan& plan, std::uint64_t done,
                           const std::vector<ThreadSet>& sets,
                           std::vector<SampleReduction>& reductions) {
  const auto after = offset_now();
  for (auto& stamp : std::span(stamps_).first(device_stamps() ? 0 : count)) {
    stamp.entry_ns = to_common_ns(stamp.entry_ns, before_, after);
    stamp.exit_ns = to_common_ns(stamp.exit_ns, before_, after);
  }
  before_ = after;
  WireWriter mine;
  mine.put_all(std::span<const Stamp>(stamps_).first(count));
  const auto gathered = session_.bootstrap().gather(mine.bytes(), Deadline::never());
  if (gathered.empty()) return;
  std::vector<std::vector<Stamp>> threads;
  for (const auto& bytes : gathered) threads.push_back(WireReader(bytes).get_all<Stamp>());
  for (std::size_t s = 0; s < sets.size(); ++s) {
    for (std::size_t i = 0; i < count; ++i) {
      if (done + i < plan.skip) {
        ++reductions[s].skipped;
        continue;
      }
      const SampleAt at{.index = i, .batch = plan.batch, .skews = !device_stamps()};
      add_sample(threads, sets[s], at, reductions[s]);
      add_process_times(threads, at, reductions[s].process_us);
    }
  }
}

}  // namespace linerate
