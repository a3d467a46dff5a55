// Faults of schedules are found and named.
#include "trainers/pipeline/check.h"

#include "execution.h"
#include "pipelines.h"
#include "trainers/pipeline/messages.h"

#include <optional>
#include <random>
#include <utility>

namespace linerate::trainers {
namespace {

using List = std::vector<Operation>;

PipelineSchedule sample() { return schedule_of("1f1b", {.stages = 2, .micro_batches = 3}); }

Operation& find(List& list, Action action, int micro_batch, int chunk = 0) {
  const auto found = std::ranges::find_if(list, [&](const Operation& operation) {
    return operation.action == action && operation.micro_batch == micro_batch &&
           operation.chunk == chunk;
  });
  EXPECT_NE(found, list.end());
  return *found;
}
void remove(List& list, Action action, int micro_batch) {
  list.erase(list.begin() + (&find(list, action, micro_batch) - list.data()));
}
void swap(List& list, const Operation& a, const Operation& b) {
  std::swap(find(list, a.action, a.micro_batch, a.chunk),
            find(list, b.action, b.micro_batch, b.chunk));
}

std::string fault_of(const PipelineSchedule& schedule) {
  return schedule_fault(schedule).value_or("none");
}

TEST(ScheduleFault, IsInNoKnownSchedule) {
  for_all_schedules([](const ScheduleKind&, const PipelineSchedule& schedule) {
    EXPECT_EQ(fault_of(schedule), "none");
  });
}

TEST(ScheduleFault, SwappedSends) {
  auto schedule = sample();
  swap(schedule.stages[0], {Action::send_activation, 0}, {Action::send_activation, 1});
  swap(schedule.stages[0], {Action::forward, 0}, {Action::forward, 1});

  EXPECT_EQ(
      fault_of(schedule),
      "Stage 1 receives the messages of stage 0 in another order: send_activation of "
      "micro-batch 1, chunk 0, to stage 1 meets receive_activation of micro-batch 0, chunk 0, "
      "from stage 0.");
}

TEST(ScheduleFault, MissingReceive) {
  auto schedule = sample();
  remove(schedule.stages[1], Action::receive_activation, 2);

  EXPECT_EQ(fault_of(schedule),
            "Stage 1 lacks receive_activation of micro-batch 2, chunk 0, from stage 0.");
}

TEST(ScheduleFault, MissingSend) {
  auto schedule = sample();
  remove(schedule.stages[1], Action::send_gradient, 1);

  EXPECT_EQ(fault_of(schedule),
            "Stage 1 lacks send_gradient of micro-batch 1, chunk 0, to stage 0.");
}

TEST(ScheduleFault, BackwardBeforeForward) {
  auto schedule = sample();
  swap(schedule.stages[1], {Action::forward, 1}, {Action::backward, 1});

  EXPECT_EQ(
      fault_of(schedule),
      "Stage 1 has forward of micro-batch 1, chunk 0 after backward of micro-batch 1, chunk 0.");
}

TEST(ScheduleFault, ForwardMissingAndTwice) {
  auto schedule = sample();
  find(schedule.stages[0], Action::forward, 1).micro_batch = 2;
  EXPECT_EQ(fault_of(schedule), "Stage 0 has forward of micro-batch 2, chunk 0 twice.");

  remove(schedule.stages[0], Action::forward, 2);
  EXPECT_EQ(fault_of(schedule), "Stage 0 lacks forward of micro-batch 1, chunk 0.");
}

TEST(ScheduleFault, BackwardWholeAndSplit) {
  auto schedule = schedule_of("zb-h1", {.stages = 2, .micro_batches = 3});
  find(schedule.stages[0], Action::backward_weight, 1).action = Action::backward;
  EXPECT_EQ(fault_of(schedule), "Stage 0 must not have backward of micro-batch 1, chunk 0.");

  remove(schedule.stages[0], Action::backward, 1);
  EXPECT_EQ(fault_of(schedule), "Stage 0 lacks backward_weight of micro-batch 1, chunk 0.");
}

TEST(ScheduleFault, NoBackward) {
  auto schedule = sample();
  remove(schedule.stages[0], Action::backward, 2);

  EXPECT_EQ(fault_of(schedule), "Stage 0 lacks backward of micro-batch 2, chunk 0.");
}

TEST(ScheduleFault, WeightsBeforeInput) {
  auto schedule = schedule_of("zb-h1", {.stages = 2, .micro_batches = 3});
  swap(schedule.stages[0], {Action::backward_input, 0}, {Action::backward_weight, 0});

  EXPECT_EQ(fault_of(schedule),
            "Stage 0 has backward_input of micro-batch 0, chunk 0 after backward_weight of "
            "micro-batch 0, chunk 0.");
}

TEST(ScheduleFault, SendBeforeItsComputation) {
  auto schedule = sample();
  swap(schedule.stages[0], {Action::forward, 1}, {Action::send_activation, 1});

  EXPECT_EQ(fault_of(schedule),
            "Stage 0 has forward of micro-batch 1, chunk 0 after send_activation of micro-batch "
            "1, chunk 0, to stage 1.");
}

TEST(ScheduleFault, WrongPeer) {
  auto schedule = schedule_of("1f1b", {.stages = 3, .micro_batches = 3});
  find(schedule.stages[0], Action::send_activation, 0).peer = 2;

  EXPECT_EQ(fault_of(schedule),
            "Stage 0 must not have send_activation of micro-batch 0, chunk 0, to stage 2.");
}

TEST(ScheduleFault, NoSuchMicroBatch) {
  auto schedule = sample();
  schedule.stages[0].push_back({Action::forward, 3});

  EXPECT_EQ(fault_of(schedule), "Stage 0 must not have forward of micro-batch 3, chunk 0.");
}

TEST(ScheduleFault, ChunksOfOneStageOutOfOrder) {
  auto schedule = schedule_of("interleaved", {.stages = 1, .chunks = 2, .micro_batches = 1});
  swap(schedule.stages[0], {Action::forward, 0, 0}, {Action::forward, 0, 1});
  EXPECT_EQ(
      fault_of(schedule),
      "Stage 0 has forward of micro-batch 0, chunk 0 after forward of micro-batch 0, chunk 1.");

  schedule = schedule_of("interleaved", {.stages = 1, .chunks = 2, .micro_batches = 1});
  swap(schedule.stages[0], {Action::backward, 0, 0}, {Action::backward, 0, 1});
  EXPECT_EQ(
      fault_of(schedule),
      "Stage 0 has backward of micro-batch 0, chunk 1 after backward of micro-batch 0, chunk 0.");
}

TEST(ScheduleFault, ListsForOtherStages) {
  auto schedule = sample();
  schedule.stages.pop_back();

  EXPECT_EQ(fault_of(schedule), "There are lists for 1 of 2 stages.");
}

// Stage 0 makes the first backward before the second forward, stage 1 the second forward before the
// first backward.
TEST(ScheduleFault, CircleOfComputations) {
  PipelineSchedule schedule{.pipeline = {.stages = 2, .micro_batches = 2}};
  schedule.stages = {{{Action::forward, 0},
                      {Action::send_activation, 0, 0, 1},
                      {Action::receive_gradient, 0, 0, 1},
                      {Action::backward, 0},
                      {Action::forward, 1},
                      {Action::send_activation, 1, 0, 1},
                      {Action::receive_gradient, 1, 0, 1},
                      {Action::backward, 1}},
                     {{Action::receive_activation, 0, 0, 0},
                      {Action::forward, 0},
                      {Action::receive_activation, 1, 0, 0},
                      {Action::forward, 1},
                      {Action::backward, 0},
                      {Action::send_gradient, 0, 0, 0},
                      {Action::backward, 1},
                      {Action::send_gradient, 1, 0, 0}}};

  EXPECT_EQ(fault_of(schedule),
            "Deadlock: stage 0's backward of micro-batch 0, chunk 0, which waits for stage 1's "
            "send_gradient of micro-batch 0, chunk 0, to stage 0, which waits for stage 1's "
            "backward of micro-batch 0, chunk 0, which waits for stage 1's forward of micro-batch "
            "1, chunk 0, which waits for stage 0's send_activation of micro-batch 1, chunk 0, to "
            "stage 1, which waits for stage 0's forward of micro-batch 1, chunk 0, which waits for "
            "the first.");
}

// Two operations of a stage are moved, taken out, doubled or changed.
void mutate(std::vector<Operation>& list, std::mt19937_64& random) {
  for (int i = 0; i < 2; ++i) {
    const auto from = list.begin() + static_cast<std::ptrdiff_t>(random() % list.size());
    const auto to = list.begin() + static_cast<std::ptrdiff_t>(random() % list.size());
    switch (random() % 8) {
      case 0:
        list.erase(from);
        break;
      case 1:
        list.push_back(*from);
        break;
      case 2:
        ++from->micro_batch;
        break;
      case 3:
        from->action = to->action;
        break;
      case 4:
        std::iter_swap(from, to);
        break;
      default:
        if (from < to) std::rotate(from, from + 1, to + 1);
        if (to < from) std::rotate(to, from, from + 1);
    }
  }
}

// Each stage computes in another order, with the messages that fit it.
void reorder(PipelineSchedule& schedule, std::mt19937_64& random) {
  for (auto& list : schedule.stages) {
    std::erase_if(list, [](const Operation& operation) { return operation.peer >= 0; });
    const auto any = [&] {
      return list.begin() + static_cast<std::ptrdiff_t>(random() % list.size());
    };
    std::iter_swap(any(), any());
  }
  add_messages(schedule);
}

// Mutants that still complete have no fault, and all others have one.
TEST(ScheduleFault, IsInTheMutantsThatDoNotComplete) {
  std::mt19937_64 random(18);
  int complete = 0, crossed = 0, deadlocks = 0;
  for (int i = 0; i < 8000; ++i) {
    const auto& kind = schedule_kinds()[random() % schedule_kinds().size()];
    auto schedule = schedule_of(kind.name, {.stages = static_cast<int>(1 + random() % 4),
                                            .chunks = kind.min_chunks,
                                            .micro_batches = static_cast<int>(1 + random() % 6)});
    if (i % 2 == 0) {
      mutate(schedule.stages[random() % schedule.stages.size()], random);
    } else {
      reorder(schedule, random);
    }
    const auto fault = fault_of(schedule);

    EXPECT_EQ(fault == "none", Execution(schedule).completes()) << kind.name << ": " << fault;
    complete += fault == "none";
    crossed += fault.find("another order") != std::string::npos;
    deadlocks += fault.starts_with("Deadlock");
  }
  EXPECT_GT(std::min({complete, crossed, deadlocks}), 40);
}

}  // namespace
}  // namespace linerate::trainers
