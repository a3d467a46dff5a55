// Pipelines and schedules that tests go through.
#pragma once

#include "trainers/pipeline/simulate.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

namespace linerate::trainers {

inline PipelineSchedule schedule_of(std::string_view name, const Pipeline& pipeline) {
  auto schedule = pipeline_schedule(name, pipeline);
  EXPECT_TRUE(schedule.ok()) << schedule.sentence();
  return std::move(schedule).value();
}

// All schedules of up to 8 stages, 4 chunks and 16 micro-batches that there are.
template <typename Use>
void for_all_schedules(Use use) {
  for (const auto& kind : schedule_kinds())
    for (int stages = 1; stages <= 8; ++stages)
      for (int chunks = kind.min_chunks; chunks <= std::min(4, kind.max_chunks); ++chunks)
        for (int micro_batches = 1; micro_batches <= 16; ++micro_batches) {
          const Pipeline pipeline{stages, chunks, micro_batches};
          SCOPED_TRACE(fmt::format("{} p={} v={} m={}", kind.name, stages, chunks, micro_batches));
          use(kind, schedule_of(kind.name, pipeline));
          if (testing::Test::HasFailure()) return;
        }
}

inline PipelineTimes simulated_evenly(const PipelineSchedule& schedule, const ChunkTimes& times) {
  const auto chunks = static_cast<std::size_t>(schedule.pipeline.model_chunks());
  return simulated(schedule, std::vector<ChunkTimes>(chunks, times));
}

// "F0 F1 B0 W0"; with chunks "F0.1"; messages "sa0" (send_activation), "ra0", "sg0", "rg0".
inline std::string listed(const std::vector<Operation>& list, bool messages = false) {
  constexpr std::string_view kShort[] = {"F", "B", "B", "W", "sa", "ra", "sg", "rg"};
  std::string text;
  for (const auto& operation : list) {
    if (!messages && !is_computation(operation.action)) continue;
    text += fmt::format("{}{}{}", text.empty() ? "" : " ",
                        kShort[static_cast<std::size_t>(operation.action)], operation.micro_batch);
    if (operation.chunk > 0) text += fmt::format(".{}", operation.chunk);
  }
  return text;
}

}  // namespace linerate::trainers
