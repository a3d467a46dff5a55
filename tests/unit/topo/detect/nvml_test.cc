// What the driver tells of GPUs, over a library of our own.
#include "topo/detect/nvml.h"

#include "support/nvml/fake_nvml.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <dlfcn.h>

#include <memory>

namespace linerate::topo {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

class Nvml : public testing::Test {
 protected:
  // Held open, so that the table stays while linerate opens and closes the library.
  Nvml() : library_(dlopen(LINERATE_FAKE_NVML, RTLD_NOW | RTLD_LOCAL)) {
    if (library_ == nullptr) throw std::runtime_error(dlerror());
    table_ = reinterpret_cast<FakeNvml* (*)()>(dlsym(library_, "fake_nvml"))();
    *table_ = {};
  }
  ~Nvml() override { dlclose(library_); }

  NvmlView view() {
    const auto library = nvml::Library::open(LINERATE_FAKE_NVML);
    return nvml_view(**library, unseen_);
  }

  std::string merge(std::vector<FoundPci>& devices) {
    return merge_nvml(LINERATE_FAKE_NVML, devices, unseen_);
  }

  void* library_;
  FakeNvml* table_ = nullptr;
  std::vector<std::string> unseen_;
};

std::vector<FakeLink> links(int count, const std::string& remote) {
  return std::vector<FakeLink>(static_cast<std::size_t>(count), FakeLink{.remote = remote});
}

FoundPci gpu_on_bus(int bus) {
  return {.device = {.bus_id = {.bus = static_cast<std::uint8_t>(bus)},
                     .class_code = 0x030200,
                     .vendor = 0x10de,
                     .gpu = Gpu{}}};
}

TEST_F(Nvml, TellsNumberModelAndPciLink) {
  table_->gpus = {{.bus = 0x18}, {.domain = 1, .bus = 0x2a, .sm = 89, .generation = 1, .width = 8}};

  const auto found = view();

  EXPECT_EQ(found.driver, "580.95.05");
  ASSERT_EQ(found.gpus.size(), 2U);
  EXPECT_EQ(found.gpus[1].bus_id, (BusId{.domain = 1, .bus = 0x2a}));
  EXPECT_EQ(found.gpus[1].gpu.dev, 1);
  EXPECT_EQ(found.gpus[1].gpu.sm, 89);
  EXPECT_EQ(found.gpus[1].gpu.model, "NVIDIA H100 80GB HBM3");
  EXPECT_EQ(found.gpus[1].link, (PciLink{"2.5 GT/s PCIe", 8}));
  EXPECT_EQ(found.gpus[1].max_link, (PciLink{"32.0 GT/s PCIe", 16}));
  EXPECT_THAT(unseen_, IsEmpty());
}

TEST_F(Nvml, IsShutDownAfterUse) {
  {
    const auto library = nvml::Library::open(LINERATE_FAKE_NVML);
    EXPECT_EQ(table_->running, 1);
  }

  EXPECT_EQ(table_->running, 0);
}

TEST_F(Nvml, CountsLinksByTargetAsNcclWritesIt) {
  table_->gpus = {{.bus = 1, .links = links(4, "0000:07:00.0")}};
  table_->gpus[0].links[2].remote = "0000:0B:00.0";

  const auto nvlinks = view().gpus[0].gpu.nvlinks;

  EXPECT_THAT(nvlinks, ElementsAre(NvLink{.target = "0000:07:00.0", .count = 3, .capacity = 4},
                                   NvLink{.target = "0000:0b:00.0", .count = 1, .capacity = 4}));
}

TEST_F(Nvml, CountsALinkThatIsDownInTheCapacityAlone) {
  for (const int sm : {80, 90}) {  // the state is asked in another way from Hopper on
    table_->gpus = {{.bus = 1, .sm = sm, .links = links(12, "0000:07:00.0")}};
    table_->gpus[0].links[3].up = false;
    table_->gpus[0].links[4].peer_to_peer = false;

    const auto nvlinks = view().gpus[0].gpu.nvlinks;

    EXPECT_THAT(nvlinks, ElementsAre(NvLink{.target = "0000:07:00.0", .count = 10, .capacity = 12}))
        << sm;
  }
}

TEST_F(Nvml, AsksForNoMoreLinksThanTheGenerationHas) {
  table_->gpus = {{.bus = 1, .sm = 70, .links = links(18, "0000:07:00.0")}};

  EXPECT_EQ(view().gpus[0].gpu.nvlinks[0].count, 6);
}

TEST_F(Nvml, FallsBackWhereADriverHasNoFieldOfTheState) {
  table_->fields = false;
  table_->gpus = {{.bus = 1, .links = links(18, "0000:07:00.0")}};
  table_->gpus[0].links[17].up = false;

  EXPECT_EQ(view().gpus[0].gpu.nvlinks[0].count, 17);
}

TEST_F(Nvml, AHiddenFarEndHasTheNameThatNcclGivesIt) {
  table_->gpus = {{.bus = 1, .links = links(18, "")}};

  EXPECT_EQ(view().gpus[0].gpu.nvlinks[0].target, "fffffff:ffff:ff");
}

TEST_F(Nvml, CountsC2cLinksThatAreUp) {
  table_->gpus = {{.bus = 1, .c2c_links = 10, .c2c_down = 1, .c2c_mbps = 44712},
                  {.bus = 2, .sm = 80, .c2c_links = 10, .c2c_mbps = 44712}};

  const auto found = view();

  EXPECT_EQ(found.gpus[0].gpu.c2c, (C2c{.link_mbps = 44712, .count = 9}));
  EXPECT_FALSE(found.gpus[1].gpu.c2c);
}

TEST_F(Nvml, ALostGpuIsToldAndTheOthersStay) {
  table_->gpus = {{.bus = 1}, {.bus = 2, .status = 15}, {.bus = 3}};

  const auto found = view();

  ASSERT_EQ(found.gpus.size(), 2U);
  EXPECT_EQ(found.gpus[1].gpu.dev, 2);
  EXPECT_THAT(unseen_, ElementsAre("NVML does not tell GPU 1: GPU is lost."));
}

TEST_F(Nvml, ADriverThatCountsNothingIsTold) {
  table_->gpus = {{.bus = 1}};
  table_->count_status = 999;

  const auto found = view();

  EXPECT_THAT(found.gpus, IsEmpty());
  EXPECT_THAT(unseen_, ElementsAre("NVML does not count GPUs: Unknown Error."));
}

TEST_F(Nvml, CompletesTheGpusThatTheBusShows) {
  table_->gpus = {{.bus = 1, .links = links(6, "0000:02:00.0"), .generation = 4}, {.bus = 2}};
  table_->gpus[0].links.push_back({.remote = "0000:99:00.0"});
  std::vector<FoundPci> devices{gpu_on_bus(2), gpu_on_bus(1)};
  devices[1].device.link = {"32.0 GT/s PCIe", 8};

  const auto driver = merge(devices);

  EXPECT_EQ(driver, "580.95.05");
  ASSERT_EQ(devices.size(), 2U);
  EXPECT_EQ(devices[0].device.gpu->dev, 1);
  EXPECT_EQ(devices[1].device.link, (PciLink{"16.0 GT/s PCIe", 16}));
  const auto& nvlinks = devices[1].device.gpu->nvlinks;
  ASSERT_EQ(nvlinks.size(), 2U);
  EXPECT_EQ(nvlinks[0].tclass, 0x030200U);  // the other GPU
  EXPECT_EQ(nvlinks[1].tclass, 0x068000U);  // not on the bus: an NVSwitch, as NCCL takes it
  EXPECT_THAT(unseen_, IsEmpty());
}

TEST_F(Nvml, AddsAGpuThatTheBusHides) {
  table_->gpus = {{.bus = 1}};
  std::vector<FoundPci> devices;

  merge(devices);

  ASSERT_EQ(devices.size(), 1U);
  EXPECT_EQ(devices[0].device.vendor, 0x10deU);
  EXPECT_EQ(devices[0].numa, -1);
  EXPECT_THAT(unseen_, ElementsAre("No place of GPU 0: the PCI bus does not show 0000:01:00.0."));
}

TEST_F(Nvml, NamesTheGpuThatItDoesNotShow) {
  std::vector<FoundPci> devices{gpu_on_bus(1)};

  merge(devices);

  EXPECT_THAT(
      unseen_,
      ElementsAre("No number and NVLinks of the GPU at 0000:01:00.0: NVML does not show it."));
}

TEST_F(Nvml, ThatDoesNotStartIsTold) {
  table_->init_status = 9;
  std::vector<FoundPci> devices{gpu_on_bus(1)};

  EXPECT_EQ(merge(devices), "");

  ASSERT_EQ(unseen_.size(), 2U);
  EXPECT_THAT(unseen_[0], testing::HasSubstr("does not start: Driver Not Loaded."));
  EXPECT_THAT(unseen_[1], testing::StartsWith("No numbers and NVLinks of GPUs"));
}

TEST_F(Nvml, ThatIsNotThereOrAnotherLibraryIsTold) {
  std::vector<FoundPci> devices;

  merge_nvml("libthis-is-no-library.so.1", devices, unseen_);
  merge_nvml("libm.so.6", devices, unseen_);

  EXPECT_THAT(unseen_, ElementsAre("No NVIDIA driver: libthis-is-no-library.so.1 cannot be opened.",
                                   "No NVIDIA driver: libm.so.6 lacks functions: the driver is "
                                   "older than 450."));
}

}  // namespace
}  // namespace linerate::topo
