// Which cores a thread has while it allocates host memory for a GPU.
#include "devices/cuda/near_gpu.h"

#include "bench/probe/cores.h"
#include "devices/cuda/cuda_copy_bench.h"
#include "support/folder.h"
#include "support/gpu/fake_timeline.h"

#include <gtest/gtest.h>

#include <vector>

namespace linerate::cuda {
namespace {

using Cores = std::vector<int>;

Cores cores_now() { return probe::allowed_cores(); }

class NearGpuTest : public testing::Test {
 protected:
  void SetUp() override {
    if (all_.size() < 2) GTEST_SKIP() << "this process has one core only";
  }
  // The cores that the thread has near a GPU of which the kernel says this.
  Cores near(const std::string& cpulist) const {
    folder_.write("0000:a0:00.0/local_cpulist", cpulist);
    const NearGpu here("0000:a0:00", folder_.root());
    return cores_now();
  }

  const Cores all_ = cores_now();
  TemporaryFolder folder_;
};

TEST_F(NearGpuTest, RunsOnTheCoresOfItsNodeUntilItsEnd) {
  const auto last = std::to_string(all_.back());

  EXPECT_EQ(near(last + "\n"), Cores{all_.back()});
  EXPECT_EQ(near("1000-1010," + last + "-" + last + "\n"), Cores{all_.back()});
  EXPECT_EQ(cores_now(), all_);
}

TEST_F(NearGpuTest, RunsAnywhereWhereNothingIsKnownOrAllowed) {
  EXPECT_EQ(near("1019-1021\n"), all_);
  EXPECT_EQ(near("\n"), all_);
  EXPECT_EQ(near("none\n"), all_);
  const NearGpu elsewhere("0000:ff:00", folder_.root());
  EXPECT_EQ(cores_now(), all_);
}

Cores cores_of_host_memory;

// The run's host buffer is allocated last, after the gate's flags of all GPUs.
TEST_F(NearGpuTest, IsWhereMemcpyPerfAllocatesHostMemory) {
  const FakeTimeline gpus({});
  CudaApi api = fake_timeline_cuda();
  static const auto host_alloc = api.host_alloc;
  api.host_alloc = [](void** memory, std::size_t bytes, unsigned flags) {
    if (flags == cudaHostAllocDefault) cores_of_host_memory = cores_now();
    return host_alloc(memory, bytes, flags);
  };
  folder_.write("0000:a0:00.0/local_cpulist", std::to_string(all_.back()));
  const auto bench = make_cuda_copy_bench({.api = api,
                                           .kernels = fake_timeline_fills(),
                                           .copy_kernels = fake_timeline_kernels(),
                                           .clock = gpus.clock(),
                                           .pci_devices = folder_.root()});
  const std::vector<CopyStream> to_gpu{{.from = kHostEnd, .to = 0, .by = 0}};

  const auto run = bench->prepare({.streams = to_gpu, .bytes = 1 << 16});

  EXPECT_EQ(cores_of_host_memory, Cores{all_.back()});
  EXPECT_EQ(cores_now(), all_);
}

}  // namespace
}  // namespace linerate::cuda
