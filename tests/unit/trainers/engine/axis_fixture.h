// Ranks on threads of the host backend, each with an axis over all of them and what gradients are
// reduced with.
#pragma once

#include "base/environment.h"
#include "devices/cpu/math/cpu_math.h"
#include "job/job.h"
#include "trainers/engine/gradients.h"

#include <gtest/gtest.h>

#include <cstddef>
#include <cstring>
#include <functional>
#include <vector>

namespace linerate::trainers {

class RankTools {
 public:
  explicit RankTools(RankContext& rank)
      : axis("dp_replicate", rank.add_axis(0, rank.rank())),
        arena(rank.world()),
        math_(make_cpu_math()),
        tools{.axis = axis,
              .math = *math_,
              .compute = rank.stream(),
              .arena = arena,
              .type = DataType::float32} {}

  Axis axis;
  Arena arena;

 private:
  std::unique_ptr<Math> math_;

 public:
  GradientTools tools;
};

inline void on_ranks(int nranks, const std::function<void(RankTools&)>& body) {
  const JobConfig job{.nthreads = nranks, .backend = "host"};
  const Environment environment;
  const auto code = run_job({.config = job, .environment = environment}, [&](RankContext& rank) {
    RankTools tools(rank);
    body(tools);
    tools.axis.stream().synchronize(Deadline::never());
    rank.barrier();  // nobody's memory goes while others may read it
    return ExitCode::ok;
  });
  ASSERT_EQ(code, ExitCode::ok);
}

// An array of the arena, and its values.
inline Block block_of(RankTools& rank, const std::vector<float>& values) {
  auto block = rank.arena.allocate(Category::gradient, DataType::float32, values.size());
  std::memcpy(block.data(), values.data(), block.bytes());
  return block;
}
inline std::vector<float> values_of(const Block& block) {
  std::vector<float> values(block.bytes() / sizeof(float));
  std::memcpy(values.data(), block.data(), block.bytes());
  return values;
}

}  // namespace linerate::trainers
