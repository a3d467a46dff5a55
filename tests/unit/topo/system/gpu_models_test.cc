// Compute capabilities by PCI device id.
#include "topo/system/gpu_models.h"

#include "topo/system/bus_id.h"

#include <gtest/gtest.h>

namespace linerate::topo {
namespace {

TEST(GpuModels, AreKnownByTheirDeviceIds) {
  EXPECT_EQ(compute_capability_of(0x10de, 0x20b0), 80);   // A100
  EXPECT_EQ(compute_capability_of(0x10de, 0x26b9), 89);   // L40S
  EXPECT_EQ(compute_capability_of(0x10de, 0x2330), 90);   // H100
  EXPECT_EQ(compute_capability_of(0x10de, 0x2941), 100);  // GB200
  EXPECT_EQ(compute_capability_of(0x10de, 0x31c2), 103);  // GB300
}

TEST(GpuModels, OfOthersAreNotGuessed) {
  EXPECT_EQ(compute_capability_of(0x10de, 0x1234), 0);
  EXPECT_EQ(compute_capability_of(0x1002, 0x2330), 0);
  EXPECT_EQ(compute_capability_of(0, 0), 0);
}

TEST(PciClasses, TellGpusAndNics) {
  EXPECT_TRUE(is_gpu_class(0x030200) && is_gpu_class(0x120000) && !is_gpu_class(0x060400));
  EXPECT_TRUE(is_nic_class(0x020700) && is_nic_class(0x020000) && !is_nic_class(0x0c0600));
}

}  // namespace
}  // namespace linerate::topo
