// Every algorithm gives the right result, without a race, for every collective it is defined for,
// and costs what its formula says.
#include "algorithm_costs.h"
#include "backends/host/algorithms/algorithm.h"
#include "schedule_machine.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>
#include <string>
#include <vector>

namespace linerate::host {
namespace {

constexpr OpKind kKinds[] = {OpKind::all_reduce, OpKind::reduce_scatter, OpKind::reduce,
                             OpKind::all_gather, OpKind::broadcast,      OpKind::gather,
                             OpKind::scatter};

// Ways to group ranks: of two, of three, and ragged.
std::vector<Groups> groupings(int nranks) {
  std::vector<Groups> all;
  for (const int size : {2, 3, nranks / 2}) {
    std::vector<int> marks;
    for (int rank = 0; rank < nranks; ++rank) marks.push_back(rank / std::max(size, 1));
    all.push_back(Groups::from_marks(marks));
  }
  std::vector<int> scattered;
  for (int rank = 0; rank < nranks; ++rank) scattered.push_back(rank % 3 == 2 ? 1 : 0);
  all.push_back(Groups::from_marks(scattered));
  return all;
}

class EachAlgorithm : public testing::TestWithParam<const Algorithm*> {};

void run_once(const Algorithm& algorithm, const Problem& problem, bool in_place) {
  ScheduleMachine machine(algorithm, problem, in_place, problem.count + 7);
  ASSERT_EQ(machine.run(), "") << fmt::format(
      "{} {} n={} count={} root={} in_place={} groups={}", algorithm.name, name_of(problem.kind),
      problem.nranks, problem.count, problem.root, in_place, problem.groups->count());
}

// Small elements make a piece of a few of them; 20000 of them flow in more pieces than slots.
TEST_P(EachAlgorithm, GivesTheRightResultWithoutARace) {
  int runs = 0;
  for (int nranks = 1; nranks <= 9; ++nranks)
    for (const Groups& groups : groupings(nranks))
      for (const OpKind kind : kKinds)
        for (const std::size_t count : {0u, 1u, 5u, 40u})
          for (const int root : {0, nranks - 1})
            for (const bool in_place : {false, true}) {
              const Problem problem{.kind = kind,
                                    .count = count,
                                    .element_bytes = 32768,
                                    .nranks = nranks,
                                    .root = root,
                                    .groups = &groups};
              if (!GetParam()->defined(problem)) continue;
              run_once(*GetParam(), problem, in_place);
              if (HasFatalFailure()) return;
              ++runs;
            }
  EXPECT_GT(runs, 300);
}

struct Counted {
  double rounds = 0;
  double bytes = 0;
};

double round_of(const std::vector<Schedule>& all, int rank, std::size_t steps);

// The longest chain of waits that a step ends, the entry counting as one.
double round_of_step(const std::vector<Schedule>& all, int rank, std::size_t step) {
  double longest = 1;
  for (const Wait& wait : all[static_cast<std::size_t>(rank)].steps[step].waits)
    longest = std::max(longest, round_of(all, wait.rank, wait.steps) + 1);
  return longest;
}

double round_of(const std::vector<Schedule>& all, int rank, std::size_t steps) {
  double longest = 1;
  for (std::size_t step = 0; step < steps; ++step)
    longest = std::max(longest, round_of_step(all, rank, step));
  return longest;
}

double bytes_of(const Schedule& schedule, int rank, std::size_t element_bytes) {
  double bytes = 0;
  const auto others = [rank](const std::vector<Place>& places) {
    return std::ranges::count_if(places, [rank](const Place& p) { return p.rank != rank; });
  };
  for (const Step& step : schedule.steps)
    bytes += static_cast<double>(others(step.from) + others(step.to)) *
             static_cast<double>(step.count * element_bytes);
  return bytes;
}

Counted counted(const Algorithm& algorithm, const Problem& problem) {
  std::vector<Schedule> all;
  for (int rank = 0; rank < problem.nranks; ++rank)
    all.push_back(algorithm.schedule(problem, rank));
  Counted most;
  for (int rank = 0; rank < problem.nranks; ++rank) {
    const Schedule& own = all[static_cast<std::size_t>(rank)];
    most.rounds = std::max(most.rounds, round_of(all, rank, own.steps.size()));
    most.bytes = std::max(most.bytes, bytes_of(own, rank, problem.element_bytes));
  }
  return most;
}

// One piece of a size that every number of slices divides.
TEST_P(EachAlgorithm, CostsWhatItsFormulaSays) {
  for (const int nranks : {2, 4, 6, 8})
    for (const OpKind kind : kKinds) {
      const auto groups = groupings(nranks).front();
      const Problem problem{
          .kind = kind, .count = 48 * 16, .element_bytes = 4, .nranks = nranks, .groups = &groups};
      if (!GetParam()->defined(problem)) continue;
      SCOPED_TRACE(fmt::format("{} n={}", name_of(kind), nranks));

      const Counted is = counted(*GetParam(), problem);
      const Cost said = cost_of(*GetParam(), problem);

      EXPECT_DOUBLE_EQ(is.rounds, said.rounds);
      EXPECT_NEAR(is.bytes, said.bytes, 1e-9 * said.bytes);
    }
}

std::vector<const Algorithm*> scheduled() {
  std::vector<const Algorithm*> rows;
  for (const Algorithm* algorithm : all_algorithms())
    if (algorithm->schedule != nullptr) rows.push_back(algorithm);
  return rows;
}

INSTANTIATE_TEST_SUITE_P(Host, EachAlgorithm, testing::ValuesIn(scheduled()),
                         [](const auto& instance) { return std::string(instance.param->name); });

TEST(AlgorithmTable, NamesEachOnce) {
  std::vector<std::string_view> names;
  for (const Algorithm* algorithm : all_algorithms()) names.push_back(algorithm->name);
  std::ranges::sort(names);

  EXPECT_EQ(std::ranges::adjacent_find(names), names.end());
  EXPECT_EQ(find_algorithm("ring")->name, "ring");
  EXPECT_EQ(find_algorithm("rings"), nullptr);
}

}  // namespace
}  // namespace linerate::host
