// What NCCL's versions changed in the constants of its model.
#include "topo/model/constants.h"

#include <gtest/gtest.h>

namespace linerate::topo {
namespace {

ModelConstants of(const char* version) { return constants_of(*parse_nccl_version(version)); }

double simple_us(const ModelConstants& constants, Hardware hardware, Algorithm algorithm) {
  return constants.hardware_us[index_of(hardware)][index_of(algorithm)][index_of(Protocol::simple)];
}

TEST(ModelConstants, OfTheNewestVersionAreTheWholeTable) {
  const auto constants = of("2.30");

  EXPECT_EQ(simple_us(constants, Hardware::net, Algorithm::nvls_tree), 20.9);
  EXPECT_EQ(constants.channel_nvls_tree_gbps[index_of(Generation::blackwell)],
            (PerScale{0, 96, 80}));
}

TEST(ModelConstants, ChangedForBlackwellFromReleaseToRelease) {
  const auto ring = [](const char* version) {
    return of(version).channel_ring_ll128_gbps[index_of(Generation::blackwell)][0];
  };

  EXPECT_EQ(ring("2.30"), 40);
  EXPECT_EQ(ring("2.29.7"), 40);
  EXPECT_EQ(ring("2.29.3"), 34.5);
  EXPECT_EQ(ring("2.28.9"), 73.4);
  EXPECT_EQ(ring("2.24"), 36.7);  // as a Hopper
}

TEST(ModelConstants, MadeTreesCheaperWith2_23) {
  EXPECT_EQ(simple_us(of("2.23"), Hardware::net, Algorithm::tree), 14);
  EXPECT_EQ(simple_us(of("2.22"), Hardware::net, Algorithm::tree), 28);
  EXPECT_EQ(simple_us(of("2.18"), Hardware::net, Algorithm::tree), 14);
}

TEST(ModelConstants, KnowPatFrom2_23On) {
  EXPECT_EQ(of("2.22").pat_efficiency, 0);
  EXPECT_EQ(of("2.23").pat_efficiency, 0.85);
  EXPECT_EQ(of("2.24").pat_efficiency, 0.75);
}

TEST(Generations, FollowTheComputeCapability) {
  EXPECT_EQ(generation_of(70), Generation::volta);
  EXPECT_EQ(generation_of(89), Generation::ampere);
  EXPECT_EQ(generation_of(90), Generation::hopper);
  EXPECT_EQ(generation_of(120), Generation::blackwell);
}

}  // namespace
}  // namespace linerate::topo
