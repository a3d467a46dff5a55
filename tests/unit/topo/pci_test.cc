// GPUs are counted as the PCI bus shows them, whether or not they have a driver.
#include "topo/pci.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <string>

namespace linerate {
namespace {

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
