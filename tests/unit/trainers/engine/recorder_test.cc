// Where the time of steps goes on real ranks: sums, a rank that is late, hosts whose clocks differ.
#include "trainers/engine/recorder.h"

#include "backends/host/host_backend.h"
#include "comm/comm_decorator.h"
#include "devices/cpu/cpu_device.h"
#include "launch/solo_bootstrap.h"
#include "launch/threads/rank_threads.h"
#include "support/bootstrap.h"
#include "unit/trainers/engine/tiny_training.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <memory>
#include <mutex>
#include <numeric>
#include <thread>
#include <utility>
#include <vector>

namespace linerate::trainers {
namespace {

constexpr Overlap kEveryOverlap[] = {Overlap::on, Overlap::off, Overlap::fake};

struct Seen {
  int rank = 0;
  std::int64_t step = 0;
  StepTime time{};
  StepSpans spans{};
};

// What all ranks of a job see of all steps.
std::vector<Seen> seen_by(const JobConfig& job, const TrainConfig& config) {
  std::vector<Seen> all;
  std::mutex mutex;
  const auto code = on_trainers(job, config, [&](RankContext& rank, Trainer& trainer) {
    for (std::int64_t i = 0; i < config.steps; ++i) {
      const auto step = trainer.step();
      const std::lock_guard lock(mutex);
      all.push_back({rank.rank(), step.step, step.time, trainer.spans()});
    }
  });
  EXPECT_EQ(code, ExitCode::ok);
  return all;
}

TrainConfig tiny_with(Stage stage, Overlap overlap) {
  auto config = tiny_training();
  config.stage = stage;
  config.overlap = overlap;
  config.micro_batch = 1;
  return config;
}

double calls_of(const StepTime& time) {
  return std::accumulate(
      time.purposes.begin(), time.purposes.end(), 0.0,
      [](double sum, const auto& one) { return sum + static_cast<double>(one.calls); });
}

double waited_for(const StepTime& time, int rank) {
  for (const auto& [other, us] : time.waited_for)
    if (other == rank) return us;
  return 0;
}

TEST(Recorder, HasPartsThatAddUpToTheStep) {
  for (const auto stage : kEveryStage)
    for (const auto overlap : kEveryOverlap)
      for (const auto& [rank, step, time, spans] :
           seen_by({.nthreads = 2, .backend = "host"}, tiny_with(stage, overlap))) {
        SCOPED_TRACE(static_cast<int>(stage) * 10 + static_cast<int>(overlap));
        EXPECT_NEAR((time.compute_us + time.exposed_us() + time.idle_us) / time.step_us, 1, 0.01);
        EXPECT_GT(time.compute_us, 0);
        EXPECT_GE(time.idle_us, 0);
        EXPECT_LE(time.exposed_us(), time.comm_us() * 1.000001);
      }
}

// What Perfetto demands: spans of a stream follow each other, and waits lie within work or between.
TEST(Recorder, HasSpansThatNest) {
  for (const auto stage : kEveryStage)
    for (const auto& [rank, step, time, spans] :
         seen_by({.nthreads = 2, .backend = "host"}, tiny_with(stage, Overlap::on))) {
      ASSERT_FALSE(spans.work.empty());
      ASSERT_FALSE(spans.calls.empty());
      std::int64_t end = spans.step.first;
      for (const auto& [what, at] : spans.work) {
        EXPECT_LE(end, at.first);
        EXPECT_LE(at.first, at.second);
        end = at.second;
        for (const auto& [wait, stream, before] : spans.waits)
          EXPECT_TRUE(wait.second <= at.first || at.second <= wait.first ||
                      (at.first <= wait.first && wait.second <= at.second));
      }
      EXPECT_LE(end, spans.step.second);
      end = 0;
      for (const auto& call : spans.calls) {
        EXPECT_LE(end, call.start_ns);
        EXPECT_LE(call.start_ns, call.last_start_ns);
        end = call.end_ns;
      }
    }
}

// Of a pipeline, a receive is under way long before compute waits for it.
TEST(Recorder, KnowsTheStreamThatEachWaitIsFor) {
  auto config = tiny_with(Stage::parameters, Overlap::on);
  config.pp = config.tp = 2;
  on_trainers({.nthreads = 8, .backend = "host"}, config, [&](RankContext&, Trainer& trainer) {
    trainer.step();
    const auto& spans = trainer.spans();
    EXPECT_FALSE(spans.waits.empty());
    for (const auto& wait : spans.waits)
      EXPECT_TRUE(std::ranges::any_of(spans.calls, [&](const CallSpan& call) {
        return call.stream == wait.stream;
      })) << wait.stream;
  });
}

// The fake backend's rank 1 comes so much later out of each call, so into the next one, on a clock
// that nothing else moves. In stage 0 the first step's first call is the first of all.
TEST(Recorder, FindsADelayOnTheOthersAsWaitForThatRank) {
  constexpr double kDelayUs = 500;
  const JobConfig job{.nthreads = 3, .backend = "fake", .fake = "slow_rank=1:500us"};
  for (const auto stage : kEveryStage)
    for (const auto overlap : kEveryOverlap) {
      SCOPED_TRACE(static_cast<int>(stage) * 10 + static_cast<int>(overlap));
      for (const auto& [rank, step, time, spans] : seen_by(job, tiny_with(stage, overlap))) {
        if (step == 1) continue;
        EXPECT_EQ(time.waited_for.size(), rank == 1 ? 0u : 1u);
        const double expected = rank == 1 ? 0 : calls_of(time) * kDelayUs;
        EXPECT_NEAR(waited_for(time, 1), expected, 0.05 * expected);
      }
    }
}

// One time for all hosts, which moves when somebody looks or is late; each shows it with a start of
// its own.
class HostClock final : public Clock {
 public:
  HostClock(std::atomic<std::int64_t>& true_ns, std::int64_t ahead_ns)
      : true_ns_(true_ns), ahead_ns_(ahead_ns) {}
  std::int64_t now_ns() const override { return true_ns_.fetch_add(100) + ahead_ns_; }

 private:
  std::atomic<std::int64_t>& true_ns_;
  const std::int64_t ahead_ns_;
};

// A thread that takes itself for a host.
class HostBootstrap final : public GatheringBootstrap {
 public:
  HostBootstrap(Bootstrap& inner, std::unique_ptr<Bootstrap> owned = nullptr)
      : GatheringBootstrap(inner.rank(), inner.nranks(), place_on(numbers(inner), inner.rank())),
        owned_(std::move(owned)),
        inner_(inner) {}

  std::vector<Bytes> all_gather(std::span<const std::byte> mine,
                                const Deadline& deadline) override {
    return inner_.all_gather(mine, deadline);
  }
  std::unique_ptr<Bootstrap> split(int color, int key, const Deadline& deadline) override {
    auto part = inner_.split(color, key, deadline);
    if (!part) return nullptr;
    auto& kept = *part;
    return std::make_unique<HostBootstrap>(kept, std::move(part));
  }

 private:
  static std::vector<int> numbers(const Bootstrap& inner) {
    std::vector<int> all(static_cast<std::size_t>(inner.nranks()));
    std::iota(all.begin(), all.end(), 0);
    return all;
  }

  const std::unique_ptr<Bootstrap> owned_;
  Bootstrap& inner_;
};

// Counts calls as they begin.
class NoticedComm final : public CommDecorator {
 public:
  NoticedComm(std::unique_ptr<Communicator> inner, std::atomic<int>& calls)
      : CommDecorator(std::move(inner)), calls_(calls) {}

 private:
  void issue(std::span<const Op> ops, Stream& stream) override {
    ++calls_;
    CommDecorator::issue(ops, stream);
  }
  std::unique_ptr<Communicator> decorate(std::unique_ptr<Communicator> part) const override {
    return std::make_unique<NoticedComm>(std::move(part), calls_);
  }

  std::atomic<int>& calls_;
};

// The host backend, which sees that the threads are on one host, with devices on a thread's clock.
class HostBackend final : public Backend {
 public:
  HostBackend(Backend& inner, Bootstrap& threads, const Clock& clock, std::atomic<int>& calls)
      : inner_(inner), threads_(threads), clock_(clock), calls_(calls) {}

  std::string_view name() const override { return inner_.name(); }
  std::string version() const override { return {}; }
  Capabilities capabilities() const override { return inner_.capabilities(); }
  std::unique_ptr<Device> open_device(int index) override { return make_cpu_device(index, clock_); }
  std::vector<std::unique_ptr<Communicator>> connect(Bootstrap&, std::span<Device* const> local,
                                                     const ConnectOptions& options) override {
    auto comms = inner_.connect(threads_, local, options);
    comms.front() = std::make_unique<NoticedComm>(std::move(comms.front()), calls_);
    return comms;
  }

 private:
  Backend& inner_;
  Bootstrap& threads_;
  const Clock& clock_;
  std::atomic<int>& calls_;
};

// What rank 0 tells rank 1, so that it comes late into a step in which rank 0 waits already.
struct Meeting {
  std::atomic<std::int64_t> true_ns{1'000'000'000};
  std::atomic<int> calls{0};         // that rank 0 has begun
  std::atomic<int> calls_before{0};  // the step
  std::atomic<std::int64_t> step{0};

  void begin_step(std::int64_t own_step) {
    calls_before = calls.load();
    step = own_step;
  }

  void come_late(std::int64_t by_ns, std::int64_t own_step) {
    using std::chrono_literals::operator""ms;
    while (step < own_step || calls == calls_before) std::this_thread::sleep_for(1ms);
    for (auto before = true_ns.load();; before = true_ns) {
      std::this_thread::sleep_for(20ms);
      if (true_ns == before) break;
    }
    true_ns += by_ns;
  }
};

// What rank 0 and rank 1 wait for each other in a step, where rank 1 is late.
std::vector<double> waits_between_hosts(std::int64_t ahead_ns, std::int64_t late_ns) {
  const SteadyClock steady;
  const auto config = tiny_with(Stage::parameters, Overlap::off);
  const auto source = make_source(config.data);
  const auto host = make_host_backend(steady);
  const JobConfig job{.nthreads = 2, .backend = "host"};
  const auto process = solo_bootstrap();
  const auto watch = Watch::start(*process, {.nthreads = 2, .deadline = {}});
  Meeting meeting;
  std::atomic<int> others_calls{0};
  std::vector<double> waits(2);
  run_rank_threads(*process, 2, [&](Bootstrap& member) {
    const bool late = member.rank() == 1;
    const HostClock clock(meeting.true_ns, late ? ahead_ns : 0);
    HostBootstrap bootstrap(member);
    HostBackend backend(*host, member, clock, late ? others_calls : meeting.calls);
    RankContext rank({.bootstrap = bootstrap,
                      .backend = backend,
                      .watch = *watch,
                      .config = job,
                      .clock = clock,
                      .start_clock = steady});
    const auto math = make_cpu_math();
    {
      Trainer trainer(rank, config, **source, *math);
      for (std::int64_t step = 1; step <= config.steps; ++step) {
        late ? meeting.come_late(late_ns, step) : meeting.begin_step(step);
        waits[late ? 1 : 0] = waited_for(trainer.step().time, late ? 0 : 1);
      }
    }
    rank.close();
  });
  watch->leave();
  return waits;
}

TEST(Recorder, ComparesStartsOnHostsWhoseClocksDiffer) {
  constexpr std::int64_t kLateNs = 300'000'000;
  for (const std::int64_t ahead_ns : {-5'000'000'000L, 0L, 5'000'000'000L}) {
    SCOPED_TRACE(ahead_ns);
    const auto waits = waits_between_hosts(ahead_ns, kLateNs);
    EXPECT_NEAR(waits[0] / (kLateNs * 1e-3), 1, 0.05);
    EXPECT_LT(waits[1] / (kLateNs * 1e-3), 0.05);
  }
}

}  // namespace
}  // namespace linerate::trainers
