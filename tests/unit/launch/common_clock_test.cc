// The common clock against processes whose clocks, drifts and message times are known exactly.
#include "launch/common_clock.h"

#include "base/error.h"
#include "support/bootstrap.h"

#include <gtest/gtest.h>

#include <cmath>
#include <condition_variable>
#include <cstdlib>
#include <deque>
#include <map>
#include <mutex>
#include <random>
#include <stdexcept>
#include <thread>

namespace linerate {
namespace {

// A member's clock: true time moves only when the simulation moves it, or by 30 ns with each look.
class SimulatedClock final : public Clock {
 public:
  SimulatedClock(double drift, std::int64_t offset_ns) : drift_(drift), offset_ns_(offset_ns) {}

  std::int64_t now_ns() const override {
    true_ns_ += 30;
    return shown_ns(true_ns_);
  }
  std::int64_t shown_ns(double true_ns) const {
    return offset_ns_ + std::llround(true_ns * (1 + drift_));
  }
  double true_ns_of(std::int64_t shown_ns) const {
    return static_cast<double>(shown_ns - offset_ns_) / (1 + drift_);
  }
  double true_ns() const { return true_ns_; }
  void wait_until(double true_ns) { true_ns_ = std::max(true_ns_, true_ns); }

 private:
  mutable double true_ns_ = 0;
  double drift_;
  std::int64_t offset_ns_;
};

struct Message {
  double arrives_ns;
  Bytes bytes;
};

// Messages on their way, by (from, to). Waiting here is real, but the times are all virtual.
class Network {
 public:
  void send(int from, int to, Message message) {
    const std::lock_guard lock(mutex_);
    queues_[{from, to}].push_back(std::move(message));
    changed_.notify_all();
  }
  Message receive(int from, int to) {
    std::unique_lock lock(mutex_);
    auto& queue = queues_[{from, to}];
    changed_.wait(lock, [&] { return !queue.empty(); });
    auto message = std::move(queue.front());
    queue.pop_front();
    return message;
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  std::map<std::pair<int, int>, std::deque<Message>> queues_;
};

class SimulatedBootstrap final : public GatheringBootstrap {
 public:
  SimulatedBootstrap(int rank, const std::vector<int>& node_of_rank, Network& network,
                     SimulatedClock& clock)
      : GatheringBootstrap(rank, static_cast<int>(node_of_rank.size()),
                           place_on(node_of_rank, rank)),
        network_(network),
        clock_(clock),
        noise_(static_cast<std::uint64_t>(rank) + 7) {}

  Bytes exchange(int peer, std::span<const std::byte> mine, const Deadline&) override {
    if (tree_parent(std::max(peer, rank())) != std::min(peer, rank()))
      throw std::logic_error("exchange() between two that are no neighbours");
    ++nexchanges_;
    send(peer, mine);
    return receive(peer);
  }
  std::vector<Bytes> all_gather(std::span<const std::byte> mine, const Deadline&) override {
    std::vector<Bytes> all;
    for (int r = 0; r < nranks(); ++r) send(r, mine);
    for (int r = 0; r < nranks(); ++r) all.push_back(receive(r));
    return all;
  }

  int nexchanges() const { return nexchanges_; }

 private:
  // 20 us and up; now and then the network or the scheduler holds a message for a millisecond.
  double latency_ns() {
    std::exponential_distribution<double> queueing(1.0 / 10e3);
    std::bernoulli_distribution held(0.1);
    return 20e3 + queueing(noise_) + (held(noise_) ? 1e6 : 0);
  }
  void send(int peer, std::span<const std::byte> bytes) {
    const double arrives_ns = clock_.true_ns() + (peer == rank() ? 0 : latency_ns());
    network_.send(rank(), peer, {arrives_ns, Bytes(bytes.begin(), bytes.end())});
  }
  Bytes receive(int peer) {
    auto message = network_.receive(peer, rank());
    clock_.wait_until(message.arrives_ns);
    return std::move(message.bytes);
  }

  Network& network_;
  SimulatedClock& clock_;
  std::mt19937_64 noise_;
  int nexchanges_ = 0;
};

struct Member {
  SimulatedClock clock;
  ClockOffset offset;
  int nexchanges = 0;

  // How far the measured offset is from rank 0's true one.
  std::int64_t miss_ns(const SimulatedClock& rank0) const {
    const double then_ns = clock.true_ns_of(offset.at_ns);
    return std::abs(rank0.shown_ns(then_ns) - clock.shown_ns(then_ns) - offset.offset_ns);
  }
};

// Ranks of one node share offset and drift; node n is off by n * 1.7 s and by up to +-50 ppm.
std::vector<Member> measure(const std::vector<int>& node_of_rank) {
  Network network;
  std::vector<Member> members;
  for (const int node : node_of_rank) {
    const double drift = (node % 2 == 0 ? 1 : -1) * 50e-6 * node / 8.0;
    members.push_back({.clock = {drift, node * std::int64_t{1'700'000'000}}, .offset = {}});
  }
  std::vector<std::jthread> threads;
  for (int r = 0; r < static_cast<int>(members.size()); ++r) {
    threads.emplace_back([&, r] {
      auto& member = members[static_cast<std::size_t>(r)];
      SimulatedBootstrap bootstrap(r, node_of_rank, network, member.clock);
      member.offset = measure_offset(bootstrap, member.clock, Deadline::never());
      member.nexchanges = bootstrap.nexchanges();
    });
  }
  threads.clear();
  return members;
}

TEST(CommonClock, BoundsTheTrueOffsetOfEveryNode) {
  const auto members = measure({0, 1, 2, 3, 4, 5, 6, 7, 8});

  for (const auto& member : members)
    EXPECT_LE(member.miss_ns(members[0].clock), member.offset.error_ns);
}

TEST(CommonClock, KeepsTheErrorNearOneMessageTimePerLevelOfTheTree) {
  const auto members = measure({0, 1, 2, 3, 4, 5, 6, 7, 8});

  EXPECT_EQ(members[0].offset.error_ns, 0);
  EXPECT_LT(members[1].offset.error_ns, 30'000);
  EXPECT_LT(members[8].offset.error_ns, 3 * 30'000);
}

TEST(CommonClock, IsTheSameForAllProcessesOfANode) {
  const auto members = measure({0, 1, 0, 1, 2, 1, 2, 0, 2});

  EXPECT_EQ(members[2].offset.offset_ns, 0);
  EXPECT_EQ(members[2].offset.error_ns, 0);
  EXPECT_EQ(members[1].offset.offset_ns, members[3].offset.offset_ns);
  EXPECT_EQ(members[1].offset.at_ns, members[5].offset.at_ns);
  EXPECT_EQ(members[4].offset.offset_ns, members[8].offset.offset_ns);
  for (const auto& member : members)
    EXPECT_LE(member.miss_ns(members[0].clock), member.offset.error_ns);
}

TEST(CommonClock, AsksNothingWhereAllProcessesShareOneNode) {
  const auto members = measure({0, 0, 0, 0});

  for (const auto& member : members) {
    EXPECT_EQ(member.nexchanges, 0);
    EXPECT_EQ(member.offset.offset_ns, 0);
    EXPECT_EQ(member.offset.error_ns, 0);
  }
}

TEST(CommonClock, ShowsTheTimeOfRankZeroByTheLatestOffset) {
  ManualClock own;
  own.set(5'000);
  CommonClock common(own);
  EXPECT_EQ(common.now_ns(), 5'000);

  common.set({.at_ns = 4'000, .offset_ns = 100});
  common.set({.at_ns = 4'800, .offset_ns = -300});

  EXPECT_EQ(common.now_ns(), 4'700);
  EXPECT_EQ(common.age_ns(), 200);
}

TEST(CommonClock, InterpolatesBetweenTwoMeasurementsAndHoldsOutside) {
  const ClockOffset first{.at_ns = 1'000, .offset_ns = 100};
  const ClockOffset last{.at_ns = 3'000, .offset_ns = 200};

  EXPECT_EQ(to_common_ns(1'000, first, last), 1'100);
  EXPECT_EQ(to_common_ns(2'000, first, last), 2'150);
  EXPECT_EQ(to_common_ns(3'000, first, last), 3'200);
  EXPECT_EQ(to_common_ns(500, first, last), 600);
  EXPECT_EQ(to_common_ns(4'000, first, last), 4'200);
  EXPECT_EQ(to_common_ns(2'000, first, first), 2'100);
}

}  // namespace
}  // namespace linerate
