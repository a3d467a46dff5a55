// What moves in trees of files that stand for a node's, and in a driver of our own.
#include "diagnose/health/health.h"
#include "support/folder.h"
#include "support/nvml/fake_nvml.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <dlfcn.h>

#include <map>
#include <stdexcept>

namespace linerate::health {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

class NodeHealthTest : public testing::Test {
 protected:
  // Held open, so that the table stays while linerate opens and closes the library.
  NodeHealthTest() : library_(dlopen(LINERATE_FAKE_NVML, RTLD_NOW | RTLD_LOCAL)) {
    if (library_ == nullptr) throw std::runtime_error(dlerror());
    driver_ = reinterpret_cast<topo::FakeNvml* (*)()>(dlsym(library_, "fake_nvml"))();
    *driver_ = {};
    tree_.write("sys/class/net/eth0/statistics/rx_crc_errors", "4\n");
    processors(0, 0);
  }
  ~NodeHealthTest() override { dlclose(library_); }

  Places places() const {
    return {.sysfs = tree_.root() / "sys",
            .proc = tree_.root() / "proc",
            .kernel_log = tree_.root() / "kmsg",
            .nvml = LINERATE_FAKE_NVML};
  }

  // Ticks of two processors: the first one works all the time, and the other one is idle and slow.
  void processors(int ticks, int mhz) {
    tree_.write("proc/stat", fmt::format("cpu  9 9 9 9\ncpu0 {} 0 5 100 0 0 0 0 0 0\n"
                                         "cpu1 0 0 5 {} 0 0 0 0 0 0\nintr 5\n",
                                         100 + ticks, 100 + ticks));
    for (const auto& [cpu, now_mhz] : {std::pair(0, mhz), std::pair(1, 800)}) {
      const auto folder = fmt::format("sys/devices/system/cpu/cpu{}/cpufreq/", cpu);
      tree_.write(folder + "cpuinfo_max_freq", "4000000\n");
      tree_.write(folder + "scaling_cur_freq", fmt::format("{}\n", now_mhz * 1000));
    }
  }

  void gpus(std::vector<topo::FakeGpu> gpus) {
    driver_->gpus = std::move(gpus);
    tree_.write("sys/bus/pci/devices/0000:18:00.0/vendor", "0x10de\n");
    tree_.write("sys/bus/pci/devices/0000:18:00.0/class", "0x030200\n");
  }

  static std::vector<std::string> texts(const NodeHealth& health) {
    std::vector<std::string> texts;
    for (const auto& finding : findings_of({&health, 1}))
      texts.push_back(
          fmt::format("{}, {}: {}", name_of(finding.severity), finding.subject, finding.evidence));
    return texts;
  }

  TemporaryFolder tree_;
  void* library_;
  topo::FakeNvml* driver_ = nullptr;
};

TEST_F(NodeHealthTest, FindsNothingOnANodeThatStaysAsItIs) {
  gpus({{}, {}});
  NodeWatch watch(places());
  processors(1000, 3000);

  const auto health = watch.finish();

  EXPECT_THAT(texts(health), IsEmpty());
  EXPECT_EQ(health.samples, 2U);
  EXPECT_EQ(health.counters, 7U);  // of the interface, and three of each GPU
  EXPECT_EQ(health.gpus, 2U);
  EXPECT_THAT(health.unread, IsEmpty());
}

TEST_F(NodeHealthTest, TellsCountersThatGrewAndNoOthers) {
  const std::string port = "sys/class/infiniband/mlx5_0/ports/1/";
  tree_.write(port + "counters/symbol_error", "7\n");
  tree_.write(port + "counters/link_downed", "0\n");
  tree_.write(port + "hw_counters/out_of_sequence", "0\n");
  tree_.write("sys/class/net/eth0/carrier_changes", "2\n");
  NodeWatch watch(places());
  tree_.write(port + "counters/symbol_error", "19\n");
  tree_.write(port + "hw_counters/out_of_sequence", "1\n");
  tree_.write("sys/class/net/eth0/carrier_changes", "1\n");

  const auto health = watch.finish();

  EXPECT_THAT(texts(health),
              ElementsAre("warning, node : mlx5_0 port 1: symbol_error +12 (7 before)",
                          "warning, node : mlx5_0 port 1: out_of_sequence +1 (0 before)",
                          "warning, node : eth0: carrier_changes went back from 2 to 1: it was "
                          "reset meanwhile"));
}

TEST_F(NodeHealthTest, TellsCountersThatCannotMoveOrAreGone) {
  tree_.write("sys/class/infiniband/mlx5_0/ports/1/counters/symbol_error", "65535\n");
  NodeWatch watch(places());
  std::filesystem::remove_all(tree_.root() / "sys/class/net/eth0");

  const auto health = watch.finish();

  EXPECT_THAT(
      health.unread,
      testing::IsSupersetOf({HasSubstr("symbol_error of mlx5_0 port 1: it stands at 65535, where"),
                             HasSubstr("rx_crc_errors of eth0: it is gone")}));
}

TEST_F(NodeHealthTest, AddsUpTheHeatOfAllProcessors) {
  for (const auto* cpu : {"cpu0", "cpu1"})
    tree_.write(fmt::format("sys/devices/system/cpu/{}/thermal_throttle/core_throttle_count", cpu),
                "5\n");
  NodeWatch watch(places());
  tree_.write("sys/devices/system/cpu/cpu1/thermal_throttle/core_throttle_count", "8\n");

  EXPECT_THAT(texts(watch.finish()),
              ElementsAre("warning, node : processors: core_throttle_count +3 (10 before)"));
}

TEST_F(NodeHealthTest, TellsProcessorsThatWorkAndAreSlow) {
  for (const auto& [mhz, slow] : {std::pair(1500, true), std::pair(2100, false)}) {
    processors(0, 800);
    NodeWatch watch(places());
    processors(90, mhz);

    const auto found = texts(watch.finish());

    EXPECT_EQ(found.size(), slow ? 1U : 0U) << mhz;
    if (slow) {
      EXPECT_EQ(found[0],
                "warning, node : busy processors: frequency_mhz 1500 on average, 1500 at "
                "least; healthy ones stay above 2000");
    }
  }
}

TEST_F(NodeHealthTest, SaysThatNoProcessorWorked) {
  NodeWatch watch(places());

  EXPECT_THAT(watch.finish().unread,
              ElementsAre("frequency of busy processors: none worked between two samples"));
}

TEST_F(NodeHealthTest, SaysWhatIsNotThereOfProcessors) {
  std::filesystem::remove_all(tree_.root() / "sys/devices");

  EXPECT_THAT(
      NodeWatch(places()).finish().unread,
      ElementsAre(testing::ContainsRegex("frequency of processors: .*cpufreq is not there")));
}

TEST_F(NodeHealthTest, TellsGpusThatAreHotSlowOrFaulty) {
  gpus({{}, {}});
  NodeWatch watch(places());
  processors(90, 3000);
  watch.sample();
  auto& gpu = driver_->gpus[1];
  gpu.temperature = 91;
  gpu.slowdowns = 0x41;  // and idle
  gpu.clock = 300;
  gpu.ecc_corrected = 3;
  gpu.ecc_uncorrected = 1;
  gpu.pcie_replays = 2;
  gpu.xids = {79, 94};
  watch.sample();
  watch.sample();

  EXPECT_THAT(texts(watch.finish()),
              ElementsAre("warning, node : GPU 1: ecc_uncorrected +1 (0 before)",
                          "warning, node : GPU 1: pcie_replays +2 (0 before)",
                          "warning, node : GPU 1: temperature_c up to 91; it slows down from 90 on",
                          "warning, node : GPU 1: sm_clock_mhz 972 on average, 300 at least; "
                          "healthy ones stay above 990",
                          "warning, node : GPU 1: hw_thermal_slowdown in 60 % of the samples",
                          "warning, node : GPU 1: xid_94 +1 (0 before)",
                          "warning, node : GPU 1: xid_79 +1 (0 before)",
                          "info, node : GPU 1: ecc_corrected +3 (0 before)"));
}

TEST_F(NodeHealthTest, AnIdleGpuMayBeSlow) {
  gpus({{.clock = 345, .utilization = 10}});
  NodeWatch watch(places());
  processors(90, 3000);

  const auto health = watch.finish();

  EXPECT_THAT(texts(health), IsEmpty());
  EXPECT_THAT(health.unread, ElementsAre("clock of GPUs: none worked in a sample"));
}

TEST_F(NodeHealthTest, SaysOnceWhatADriverDoesNotTell) {
  gpus({{.ecc = false}, {.ecc = false}});
  NodeWatch watch(places());
  processors(90, 3000);
  driver_->gpus[1].lost = true;
  watch.sample();

  const auto unread = watch.finish().unread;

  EXPECT_THAT(unread, testing::Contains("ECC errors of GPU 0: Not Supported").Times(1));
  EXPECT_THAT(unread, testing::Contains("temperature of GPU 1: GPU is lost").Times(1));
}

TEST_F(NodeHealthTest, SaysThatGpusHaveNoDriver) {
  gpus({});
  driver_->init_status = 9;

  EXPECT_THAT(NodeWatch(places()).finish().unread, testing::Contains(HasSubstr("GPUs: ")).Times(1));
}

TEST_F(NodeHealthTest, TakesXidsFromTheKernelWhereTheDriverTellsNone) {
  gpus({{}});
  driver_->events = false;
  const std::string before = "3,1,1,-;NVRM: Xid (PCI:0000:18:00): 13, pid=1\n";
  tree_.write("kmsg", before);
  NodeWatch watch(places());
  processors(90, 3000);
  const std::string xid = "3,2,2,-;NVRM: Xid (PCI:0000:18:00): 79, GPU has fallen off the bus.\n";
  tree_.write("kmsg", before + "6,2,2,-;usb 1-1: new device\n" + xid + xid);

  EXPECT_THAT(texts(watch.finish()),
              ElementsAre("warning, node : GPU 0000:18:00: xid_79 +2 (0 before)"));
}

TEST_F(NodeHealthTest, SaysWhyThereAreNoXids) {
  gpus({{}});
  driver_->events = false;
  NodeWatch watch(places());
  processors(90, 3000);

  EXPECT_THAT(watch.finish().unread,
              ElementsAre(testing::MatchesRegex(
                  "Xids: the driver tells no events, and .*kmsg: No such file or directory")));
}

}  // namespace
}  // namespace linerate::health
