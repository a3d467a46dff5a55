// The machine as this process may use it, and the GPUs on a bus.
#include "topo/machine.h"

#include <gtest/gtest.h>

#include <sched.h>

#include <filesystem>
#include <fstream>
#include <string>

namespace linerate {
namespace {

TEST(Machine, HasAModelAndAtLeastOneCore) {
  const auto machine = describe_machine();

  EXPECT_FALSE(machine.cpu_model.empty());
  EXPECT_GE(machine.cores, 1);
  EXPECT_GE(machine.threads, machine.cores);
}

TEST(Machine, CountsOnlyWhatAffinityLeaves) {
  cpu_set_t before;
  ASSERT_EQ(sched_getaffinity(0, sizeof before, &before), 0);
  cpu_set_t one;
  CPU_ZERO(&one);
  for (int cpu = 0; cpu < CPU_SETSIZE && CPU_COUNT(&one) == 0; ++cpu)
    if (CPU_ISSET(cpu, &before)) CPU_SET(cpu, &one);
  ASSERT_EQ(sched_setaffinity(0, sizeof one, &one), 0);

  const auto machine = describe_machine();
  sched_setaffinity(0, sizeof before, &before);

  EXPECT_EQ(machine.cores, 1);
  EXPECT_EQ(machine.threads, 1);
}

namespace fs = std::filesystem;

class PciBus : public testing::Test {
 protected:
  void TearDown() override { fs::remove_all(root_); }

  void add(const std::string& address, const std::string& vendor, const std::string& device_class) {
    const auto folder = root_ / "bus/pci/devices" / address;
    fs::create_directories(folder);
    std::ofstream(folder / "vendor") << vendor << '\n';
    std::ofstream(folder / "class") << device_class << '\n';
  }

  const fs::path root_ =
      fs::path(testing::TempDir()) /
      (std::string("pci_") + testing::UnitTest::GetInstance()->current_test_info()->name());
};

TEST_F(PciBus, ShowsNvidiasGraphicsAndComputeCards) {
  add("0000:18:00.0", "0x10de", "0x030200");
  add("0000:2a:00.0", "0x10de", "0x030000");

  EXPECT_EQ(count_nvidia_gpus(root_), 2);
}

TEST_F(PciBus, HidesWhatIsNoGpuOrNotNvidias) {
  add("0000:00:02.0", "0x8086", "0x030000");
  add("0000:18:00.1", "0x10de", "0x040300");  // the audio part of a card
  add("0000:3b:00.0", "0x15b3", "0x020700");
  add("0000:05:00.0", "0x10de", "0x068000");  // an NVSwitch

  EXPECT_EQ(count_nvidia_gpus(root_), 0);
}

TEST_F(PciBus, HasNoGpuWhereItCannotBeRead) {
  EXPECT_EQ(count_nvidia_gpus(root_), 0);

  fs::create_directories(root_ / "bus/pci/devices/0000:18:00.0");

  EXPECT_EQ(count_nvidia_gpus(root_), 0);
}

}  // namespace
}  // namespace linerate
