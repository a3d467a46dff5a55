// Ranks of an emulated cluster in one thread: costs on a clock that stands still, no bytes moved.
#pragma once

#include "backends/host/algorithms/algorithm.h"
#include "backends/host/emulation/network_cost.h"
#include "backends/host/team.h"
#include "base/clock.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <numeric>
#include <random>
#include <vector>

namespace linerate::host {

class Cluster {
 public:
  explicit Cluster(const Network& network)
      : network_(std::make_shared<const Network>(network)), arena_(make_arena()) {
    for (int rank = 0; rank < nranks(); ++rank) {
      teams_.push_back(std::make_unique<Team>(setup_of(rank)));
      costs_.push_back(
          std::make_unique<NetworkCost>(*teams_.back(), network_, std::make_shared<ClockDebt>()));
    }
  }

  int nranks() const { return network_->nranks(); }
  ManualClock& clock() { return clock_; }
  NetworkCost& cost(int rank) { return *costs_[static_cast<std::size_t>(rank)]; }

  // How long a call takes whose ranks enter now; its steps run in one of the orders that the waits
  // allow, by `seed`.
  std::int64_t run(const Algorithm& algorithm, const Problem& problem, unsigned seed = 0) {
    return run_modeled_threads(algorithm, problem, seed).real_ns;
  }
  // The same, and how long it would take if nothing were slow.
  ModeledTime run_modeled_threads(const Algorithm& algorithm, const Problem& problem,
                                  unsigned seed = 0) {
    begin(algorithm, problem);
    std::mt19937 random(seed);
    std::vector<std::size_t> order(costs_.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    for (bool went_on = true; went_on;) {
      std::ranges::shuffle(order, random);
      went_on = std::ranges::any_of(
          order, [&](std::size_t rank) { return advance(rank, problem.element_bytes); });
    }
    ModeledTime end;
    for (std::size_t rank = 0; rank < costs_.size(); ++rank) {
      EXPECT_EQ(done_[rank], steps_[rank].size()) << "rank " << rank << " waits for ever";
      end = later(end, costs_[rank]->end(schedules_[rank]->last_waits()));
    }
    return end + ModeledTime{-clock_.now_ns(), -clock_.now_ns()};
  }

 private:
  std::size_t control_bytes() const {
    return round_up(EmulationBlock::offset(nranks()) +
                        EmulationBlock::world_bytes(nranks(), network_->nlinks()),
                    kHugePageBytes);
  }
  std::shared_ptr<const Arena> make_arena() const {
    return std::make_shared<const Arena>(
        create_memory_file(),
        ArenaLayout{
            .nranks = nranks(), .control_bytes = control_bytes(), .region_bytes = kHugePageBytes});
  }
  Team::Setup setup_of(int rank) const {
    std::vector<int> world_ranks(static_cast<std::size_t>(nranks()));
    std::iota(world_ranks.begin(), world_ranks.end(), 0);
    return {.arena = arena_,
            .control_offset = 0,
            .rank = rank,
            .world_ranks = std::move(world_ranks),
            .processes = std::vector<int>(static_cast<std::size_t>(nranks())),
            .spin_policy = {},
            .clock = &clock_};
  }

  void begin(const Algorithm& algorithm, const Problem& problem) {
    schedules_.clear();
    steps_ = std::vector<std::vector<CompiledSchedule::View>>(costs_.size());
    done_.assign(costs_.size(), 0);
    for (int rank = 0; rank < nranks(); ++rank) {
      auto& schedule =
          schedules_.emplace_back(std::make_unique<CompiledSchedule>(algorithm, problem, rank));
      schedule->for_each_step([&](std::uint32_t, const CompiledSchedule::View& step) {
        steps_[static_cast<std::size_t>(rank)].push_back(step);
      });
      cost(rank).enter();
    }
  }

  // Makes a rank's next step, unless it has to wait.
  bool advance(std::size_t rank, std::size_t element_bytes) {
    const std::size_t next = done_[rank];
    if (next == steps_[rank].size()) return false;
    const auto& step = steps_[rank][next];
    for (const Wait& wait : step.waits)
      if (done_[static_cast<std::size_t>(wait.rank)] < wait.steps) return false;
    costs_[rank]->add_step(static_cast<std::uint32_t>(next), step, element_bytes);
    ++done_[rank];
    return true;
  }

  ManualClock clock_;
  std::shared_ptr<const Network> network_;
  std::shared_ptr<const Arena> arena_;
  std::vector<std::unique_ptr<Team>> teams_;
  std::vector<std::unique_ptr<NetworkCost>> costs_;
  std::vector<std::unique_ptr<CompiledSchedule>> schedules_;
  std::vector<std::vector<CompiledSchedule::View>> steps_;
  std::vector<std::size_t> done_;
};

}  // namespace linerate::host
