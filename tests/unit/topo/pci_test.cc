// GPUs are found on the PCI bus, and nothing else is taken for one.
#include "topo/pci.h"

#include <gtest/gtest.h>

#include <unistd.h>

#include <fstream>
#include <string>

namespace linerate {
namespace {

namespace fs = std::filesystem;

class PciBus : public testing::Test {
 protected:
  PciBus() { fs::create_directories(root_); }
  ~PciBus() override { fs::remove_all(root_); }

  void add(const std::string& address, const std::string& vendor, const std::string& kind) {
    fs::create_directories(root_ / address);
    std::ofstream(root_ / address / "vendor") << vendor << "\n";
    std::ofstream(root_ / address / "class") << kind << "\n";
  }

  const fs::path root_ = fs::temp_directory_path() / ("linerate-pci-" + std::to_string(getpid()));
};

TEST_F(PciBus, ShowsDisplayAnd3dControllersOfNvidiaOnly) {
  add("0000:18:00.0", "0x10de", "0x030200");
  add("0000:2a:00.0", "0x10de", "0x030000");
  add("0000:05:00.0", "0x10de", "0x068000");  // an NVSwitch
  add("0000:00:02.0", "0x8086", "0x030000");
  add("0000:00:03.0", "junk", "");

  EXPECT_EQ(count_nvidia_gpus(root_), 2);
}

TEST_F(PciBus, ThatCannotBeReadShowsNone) { EXPECT_EQ(count_nvidia_gpus(root_ / "absent"), 0); }

}  // namespace
}  // namespace linerate
