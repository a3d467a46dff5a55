// Simulated steps: against closed forms, and by hand where chunks differ and messages take time.
#include "trainers/pipeline/simulate.h"

#include "pipelines.h"

namespace linerate::trainers {
namespace {

constexpr ChunkTimes kEven{.forward_us = 1, .backward_input_us = 1, .backward_weight_us = 1};

// Where the closed form holds.
bool is_full(const ScheduleKind& kind, const Pipeline& pipeline) {
  return kind.inputs_ahead == nullptr || pipeline.micro_batches >= pipeline.stages;
}

void expect_closed_form(const ChunkTimes& times) {
  int count = 0;
  for_all_schedules([&](const ScheduleKind& kind, const PipelineSchedule& schedule) {
    if (!is_full(kind, schedule.pipeline)) return;
    const auto step = simulated_evenly(schedule, times);
    const double bubble_us = kind.bubble_us(schedule.pipeline, times);

    for (int stage = 0; stage < schedule.pipeline.stages; ++stage)
      EXPECT_DOUBLE_EQ(step.bubble_us(stage), bubble_us);
    EXPECT_NEAR(step.bubble_share(), bubble_share(bubble_us, schedule.pipeline, times), 1e-12);
    ++count;
  });
  EXPECT_GT(count, 800);
}

TEST(Bubble, IsTheClosedFormWhereAllTakeAsLong) { expect_closed_form(kEven); }
TEST(Bubble, IsTheClosedFormWhateverTakesLonger) {
  for (const double forward_us : {1, 3})
    for (const double input_us : {1, 3})
      for (const double weight_us : {1, 3}) {
        SCOPED_TRACE(fmt::format("F={} B={} W={}", forward_us, input_us, weight_us));
        expect_closed_form({forward_us, input_us, weight_us});
      }
}

// The formulas of the papers, in their words.
TEST(Bubble, ClosedFormsAreThoseOfPapers) {
  const Pipeline pipeline{.stages = 4, .chunks = 1, .micro_batches = 8};
  const Pipeline interleaved{.stages = 4, .chunks = 2, .micro_batches = 8};

  EXPECT_DOUBLE_EQ(bubble_share(naive_bubble_us(pipeline, kEven), pipeline, kEven), 3 / 4.);
  EXPECT_DOUBLE_EQ(bubble_share(flushed_bubble_us(pipeline, kEven), pipeline, kEven), 3 / 11.);
  EXPECT_DOUBLE_EQ(bubble_share(interleaved_bubble_us(interleaved, kEven), interleaved, kEven),
                   3 / 19.);
  EXPECT_DOUBLE_EQ(bubble_share(zb_h1_bubble_us(pipeline, kEven), pipeline, kEven), 1 / 9.);
  EXPECT_DOUBLE_EQ(zb_h1_bubble_us(pipeline, {3, 4, 2}), 3 * (3 + 4 - 2));
}

const OperationSpan& span_of(const PipelineSchedule& schedule, const PipelineTimes& times,
                             std::size_t stage, const Operation& operation) {
  const auto& list = schedule.stages[stage];
  const auto at = std::ranges::find(list, operation) - list.begin();
  return times.stages[stage].operations.at(static_cast<std::size_t>(at));
}

TEST(Simulated, MessagesTakeTimeOnTheWayOnly) {
  const auto schedule = schedule_of("1f1b", {.stages = 2, .micro_batches = 2});
  const ChunkTimes times{1, 1, 1, 0.5};

  const auto step = simulated_evenly(schedule, times);

  const auto activation = span_of(schedule, step, 1, {Action::receive_activation, 0, 0, 0});
  EXPECT_EQ(activation.start_us, 1);
  EXPECT_EQ(activation.end_us, 1.5);
  EXPECT_EQ(span_of(schedule, step, 0, {Action::send_activation, 0, 0, 1}).end_us, 1.5);
  EXPECT_EQ(span_of(schedule, step, 0, {Action::forward, 1}).start_us, 1);
  EXPECT_EQ(span_of(schedule, step, 1, {Action::backward, 0}).end_us, 4.5);
  EXPECT_EQ(span_of(schedule, step, 0, {Action::backward, 0}).start_us, 5);
  EXPECT_EQ(span_of(schedule, step, 1, {Action::backward, 1}).start_us, 5.5);
  EXPECT_EQ(step.step_us, 10);
  EXPECT_EQ(step.bubble_us(0), 4);
  EXPECT_DOUBLE_EQ(step.bubble_share(), 0.4);
}

// The first message is on its way from 1 to 3, and the second waits for it.
TEST(Simulated, MessagesOfAStreamGoOneAfterAnother) {
  const auto schedule = schedule_of("gpipe", {.stages = 2, .micro_batches = 2});

  const auto step = simulated_evenly(schedule, {1, 1, 1, 2});

  EXPECT_EQ(span_of(schedule, step, 0, {Action::forward, 1}).end_us, 2);
  EXPECT_EQ(span_of(schedule, step, 0, {Action::send_activation, 1, 0, 1}).start_us, 3);
}

// The third receive is issued when the first forward has ended, at 12.
TEST(Simulated, MessagesWaitForTheirReceive) {
  const auto schedule = schedule_of("gpipe", {.stages = 2, .micro_batches = 3});

  const auto step = simulated(schedule, std::vector<ChunkTimes>{{1, 1, 1, 1}, {10, 1, 1, 1}});

  EXPECT_EQ(span_of(schedule, step, 0, {Action::forward, 2}).end_us, 3);
  EXPECT_EQ(span_of(schedule, step, 0, {Action::send_activation, 2, 0, 1}).start_us, 12);
}

// Chunks 0 and 2 are on stage 0; each step of the chain takes another time.
TEST(Simulated, EachChunkTakesItsOwnTime) {
  const auto schedule = schedule_of("interleaved", {.stages = 2, .chunks = 2, .micro_batches = 1});

  const auto step = simulated(
      schedule,
      std::vector<ChunkTimes>{
          {1, 2, 3, 0.1}, {10, 20, 30, 0.2}, {100, 200, 300, 0.4}, {1000, 2000, 3000, 7}});

  EXPECT_DOUBLE_EQ(step.step_us, 6666 + 2 * 0.7);
  EXPECT_DOUBLE_EQ(step.stages[0].busy_us, 606);
  EXPECT_DOUBLE_EQ(step.stages[1].busy_us, 6060);
}

TEST(SimulatedSharing, ProcessorsThatAreFewerAreNeverIdleWhileAnyStageComputes) {
  const auto schedule = schedule_of("gpipe", {.stages = 4, .micro_batches = 2});

  const auto step = simulated_sharing(schedule, std::vector<ChunkTimes>(4, kEven), {1});

  EXPECT_NEAR(step.step_us, 4 * 2 * 3, 1e-6);
}

// Both forwards of the second micro-batch and of the first one go on at once: each takes twice as
// long.
TEST(SimulatedSharing, StagesThatComputeAtOnceGetTheirShare) {
  const auto schedule = schedule_of("gpipe", {.stages = 2, .micro_batches = 2});

  const auto step = simulated_sharing(schedule, std::vector<ChunkTimes>(2, kEven), {1});

  EXPECT_NEAR(span_of(schedule, step, 0, {Action::forward, 1}).end_us, 3, 1e-6);
  EXPECT_NEAR(span_of(schedule, step, 1, {Action::forward, 0}).end_us, 3, 1e-6);
}

// While the second stage waits for a network, the first one computes alone.
TEST(SimulatedSharing, WaitsForANetworkLeaveTheProcessorToOthers) {
  const auto schedule = schedule_of("gpipe", {.stages = 2, .micro_batches = 2});
  auto waiting = kEven;
  waiting.forward_wait_us = 1;
  const std::vector<ChunkTimes> times{kEven, waiting};

  const auto alone = simulated(schedule, times), shared = simulated_sharing(schedule, times, {1});

  EXPECT_NEAR(alone.stages[1].busy_us, 2 * 3 + 2, 1e-6);
  EXPECT_NEAR(span_of(schedule, shared, 1, {Action::forward, 0}).end_us, 4, 1e-6);
  EXPECT_NEAR(span_of(schedule, shared, 0, {Action::forward, 1}).end_us, 3, 1e-6);
}

// Waits are said of both stages at once: the first one's forward waits alone, the next two
// together.
TEST(SimulatedSharing, WaitsAreShorterWhereFewerStagesWait) {
  const auto schedule = schedule_of("gpipe", {.stages = 2, .micro_batches = 2});
  const std::vector<ChunkTimes> times(2, {.forward_wait_us = 2});

  const auto step = simulated_sharing(schedule, times, {.processors = 2, .network = 2});

  EXPECT_NEAR(span_of(schedule, step, 0, {Action::forward, 0}).end_us, 1, 1e-6);
  EXPECT_NEAR(span_of(schedule, step, 1, {Action::forward, 0}).end_us, 3, 1e-6);
  EXPECT_NEAR(span_of(schedule, step, 1, {Action::forward, 1}).end_us, 4, 1e-6);
  EXPECT_NEAR(step.stages[0].wait_us, 3, 1e-6);
}

TEST(SimulatedSharing, IsTheUsualStepWhereProcessorsAreEnough) {
  for_all_schedules([](const ScheduleKind&, const PipelineSchedule& schedule) {
    const auto chunks = static_cast<std::size_t>(schedule.pipeline.model_chunks());
    const std::vector<ChunkTimes> times(chunks, {1, 2, 1.5, 0.3, 0.2, 0.1, 0.4});
    const double almost_all = schedule.pipeline.stages - 1e-9;

    EXPECT_NEAR(simulated_sharing(schedule, times, {almost_all}).step_us,
                simulated(schedule, times).step_us, 1e-5);
  });
}

int expected_for_backward(std::string_view name, const Pipeline& pipeline, int stage) {
  const auto [p, v, m] = pipeline;
  if (name == "naive") return 1;
  if (name == "gpipe") return m;
  // Megatron-LM's warm-up and one more, for rounds of p micro-batches: (v - 1) p + 2 (p - s) - 1.
  const int rounds = std::max(1, m / p), round = (m + rounds - 1) / rounds;
  if (name == "interleaved") return std::min(v * m, (v - 1) * round + 2 * (p - stage) - 1);
  return std::min(m, p - stage);
}

TEST(HeldActivations, AreAsManyAsPapersSay) {
  for_all_schedules([](const ScheduleKind& kind, const PipelineSchedule& schedule) {
    const auto& pipeline = schedule.pipeline;
    for (int stage = 0; stage < pipeline.stages; ++stage) {
      const auto held = held_activations(schedule.stages[static_cast<std::size_t>(stage)]);
      const int expected = expected_for_backward(kind.name, pipeline, stage);
      const int of_1f1b = std::min(pipeline.micro_batches, pipeline.stages);

      EXPECT_EQ(held.for_backward, expected);
      EXPECT_EQ(held.for_weights, kind.name == "zb-h1" ? of_1f1b : expected);
    }
  });
}

}  // namespace
}  // namespace linerate::trainers
