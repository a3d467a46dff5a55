// Drawings of schedules and of recorded steps.
#include "trainers/pipeline/draw.h"

#include "pipelines.h"

#include <sstream>

namespace linerate::trainers {
namespace {

std::string drawn(std::string_view name, const Pipeline& pipeline, std::size_t columns) {
  const auto schedule = schedule_of(name, pipeline);
  const auto times = simulated_evenly(
      schedule, {.forward_us = 10, .backward_input_us = 10, .backward_weight_us = 10});
  return drawn_pipeline(drawn_spans(schedule, times), pipeline.stages, columns);
}

TEST(DrawnPipeline, LooksAsInPapers) {
  EXPECT_EQ(drawn("1f1b", {.stages = 3, .micro_batches = 4}, 80),
            "0 F0F1F2........B0--F3B1--..B2--..B3--\n"
            "1 ..F0F1....B0--F2B1--F3B2--..B3--....\n"
            "2 ....F0B0--F1B1--F2B2--F3B3--........\n");
  EXPECT_EQ(drawn("zb-h1", {.stages = 2, .micro_batches = 3}, 80),
            "0 F0F1..B0W0F2B1W1B2W2\n"
            "1 ..F0B0F1B1W0F2B2W1W2\n");
  EXPECT_EQ(drawn("interleaved", {.stages = 2, .chunks = 2, .micro_batches = 2}, 80),
            "0 F0F1f0f1....b0--..b1--B0--B1--\n"
            "1 ..F0F1f0b0--f1b1--B0--B1--....\n");
}

TEST(DrawnPipeline, IsNarrowerWhereColumnsAreFew) {
  const Pipeline pipeline{.stages = 2, .micro_batches = 11};

  EXPECT_EQ(drawn("gpipe", pipeline, 200),
            "0 F0-F1-F2-F3-F4-F5-F6-F7-F8-F9-F10.........B0----B1----B2----B3----B4----B5----"
            "B6----B7----B8----B9----B10---\n"
            "1 ...F0-F1-F2-F3-F4-F5-F6-F7-F8-F9-F10B0----B1----B2----B3----B4----B5----B6----B7--"
            "--B8----B9----B10---......\n");
  EXPECT_EQ(drawn("gpipe", pipeline, 80),
            "0 F0F1F2F3F4F5F6F7F8F9F0......B0--B1--B2--B3--B4--B5--B6--B7--B8--B9--B10-\n"
            "1 ..F0F1F2F3F4F5F6F7F8F9F0B0--B1--B2--B3--B4--B5--B6--B7--B8--B9--B10-....\n");
  EXPECT_EQ(drawn("gpipe", pipeline, 40),
            "0 FFFFFFFFFFF...B0B1B2B3B4B5B6B7B8B9B0\n"
            "1 .FFFFFFFFFFFB0B1B2B3B4B5B6B7B8B9B0..\n");
}

TEST(DrawnPipeline, KeepsToItsColumns) {
  for_all_schedules([](const ScheduleKind& kind, const PipelineSchedule& schedule) {
    for (const std::size_t columns : {20, 79, 80, 133}) {
      std::istringstream lines(drawn(kind.name, schedule.pipeline, columns));
      std::string line, first;
      std::getline(lines, first);
      EXPECT_LE(first.size(), columns);
      int count = 1;
      for (; std::getline(lines, line); ++count) EXPECT_EQ(line.size(), first.size());
      EXPECT_EQ(count, schedule.pipeline.stages);
    }
  });
}

TEST(DrawnPipeline, RecordedTimesBeginAnywhere) {
  const std::vector<DrawnSpan> spans{
      {.stage = 0, .operation = {Action::forward, 0}, .start_us = 5000.2, .end_us = 5010.1},
      {.stage = 1, .operation = {Action::forward, 0}, .start_us = 5011.0, .end_us = 5021.2},
      {.stage = 1, .operation = {Action::backward, 0}, .start_us = 5021.3, .end_us = 5041.2},
      {.stage = 0, .operation = {Action::backward, 0}, .start_us = 5042.0, .end_us = 5061.9}};

  EXPECT_EQ(drawn_pipeline(spans, 2, 80),
            "0 F0......B0--\n"
            "1 ..F0B0--....\n");
}

TEST(DrawnPipeline, NothingRecordedIsEmptyLines) {
  EXPECT_EQ(drawn_pipeline({}, 2, 80), "0 \n1 \n");
}

}  // namespace
}  // namespace linerate::trainers
