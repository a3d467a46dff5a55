// What types and operators change in NCCL's choice.
#include "topo/cluster/platforms.h"
#include "topo/model/job.h"
#include "topo/model/predict.h"

#include <gtest/gtest.h>

namespace linerate::topo {
namespace {

constexpr std::size_t kBytes = std::size_t{4} << 30;

JobShape h100(int nnodes, std::string_view version = "2.28.9") {
  const auto graph =
      build_graph(built_in_platform("dgx-h100").value(), parse_nccl_version(version).value());
  return job_of(graph, {.nnodes = nnodes});
}

Algorithm chosen(const JobShape& job, const Reduced& what,
                 Function function = Function::all_reduce) {
  return Predictor(job).predict(function, kBytes, what).algorithm;
}

TEST(Reductions, OfSwitchesKnowSomeTypesAndOperators) {
  const auto job = h100(1);

  EXPECT_EQ(chosen(job, {DataType::float32, RedOp::sum}), Algorithm::nvls);
  EXPECT_EQ(chosen(job, {DataType::bfloat16, RedOp::max}), Algorithm::nvls);
  EXPECT_EQ(chosen(job, {DataType::int64, RedOp::min}), Algorithm::nvls);
  EXPECT_EQ(chosen(job, {DataType::float32, RedOp::max}), Algorithm::ring);
  EXPECT_EQ(chosen(job, {DataType::float16, RedOp::avg}), Algorithm::ring);
  EXPECT_EQ(chosen(job, {DataType::float16, RedOp::prod}), Algorithm::ring);
  EXPECT_EQ(chosen(job, {DataType::int8, RedOp::sum}), Algorithm::ring);
}

TEST(Reductions, DoNotCountWhereNothingIsReduced) {
  const auto job = h100(1);

  EXPECT_EQ(chosen(job, {DataType::int8, RedOp::prod}, Function::all_gather),
            chosen(job, {}, Function::all_gather));
}

TEST(Reductions, OfEightBitsAvoidRingsOfMoreThanEightRanks) {
  const Reduced narrow{DataType::f8e5m2, RedOp::sum};

  EXPECT_EQ(chosen(h100(1), narrow), Algorithm::ring);
  EXPECT_EQ(chosen(h100(4), narrow), Algorithm::tree);
  EXPECT_EQ(chosen(h100(4, "2.23"), narrow), Algorithm::ring);
  EXPECT_EQ(chosen(h100(4), {DataType::int8, RedOp::sum}), Algorithm::ring);
}

// reduce is done by rings alone.
TEST(Reductions, TakeWhatIsAvoidedWhereThereIsNoOther) {
  const Predictor predictor(h100(2));

  const auto narrow = predictor.predict(Function::reduce, kBytes, {DataType::f8e4m3});

  EXPECT_EQ(narrow.algorithm, Algorithm::ring);
  EXPECT_EQ(narrow.time_us, predictor.predict(Function::reduce, kBytes).time_us);
}

TEST(Reductions, OfPatDoNotScale) {
  const Scheme pat{Function::reduce_scatter, Algorithm::pat, Protocol::simple};

  EXPECT_TRUE(can_reduce(pat, {DataType::float32, RedOp::sum}));
  EXPECT_TRUE(can_reduce(pat, {DataType::float32, RedOp::prod}));
  EXPECT_FALSE(can_reduce(pat, {DataType::float32, RedOp::avg}));
  EXPECT_FALSE(can_reduce(pat, {DataType::int32, RedOp::avg}));
  EXPECT_FALSE(can_reduce(pat, {DataType::float32, RedOp::mulsum}));
  EXPECT_TRUE(can_reduce({Function::all_gather, Algorithm::pat, Protocol::simple},
                         {DataType::float32, RedOp::avg}));
}

}  // namespace
}  // namespace linerate::topo
