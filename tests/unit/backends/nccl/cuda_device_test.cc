// The GPU device over a fake runtime: memory, refusals, and the kernels' elements bit for bit.
#include "devices/cuda/cuda_device.h"

#include "base/error.h"
#include "devices/cuda/cuda_error.h"
#include "pattern/pattern.h"
#include "support/gpu/contents.h"
#include "support/gpu/fake_cuda.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <vector>

namespace linerate::cuda {
namespace {

using testing::HasSubstr;

struct FakeGpu {
  SteadyClock clock;
  std::unique_ptr<Device> device =
      make_cuda_device(3, {.api = fake_cuda(), .kernels = kernels_on_host(), .clock = clock});
};

TEST(Kernels, MakeTheElementsOfTheHostsGenerator) {
  constexpr std::size_t kCount = 5000;  // over a block's edge
  for (const Content& content : all_contents()) {
    std::vector<std::byte> expected(kCount * bytes_of(content.type)), got(expected.size());
    pattern::fill(expected, content);

    ASSERT_EQ(kernels_on_host().fill(got.data(), kCount, content, nullptr), cudaSuccess);

    EXPECT_EQ(got, expected) << name_of(content.type) << " " << name_of(content.op) << " "
                             << static_cast<int>(content.kind);
  }
}

TEST(CudaDevice, SaysWhatItIs) {
  const FakeGpu gpu;

  EXPECT_EQ(gpu.device->name(), "Fake GPU");
  EXPECT_EQ(gpu.device->bus_id(), "0000:a3:00");
  EXPECT_EQ(gpu.device->index(), 3);
  EXPECT_EQ(gpu.device->kind(), DeviceKind::cuda);
}

TEST(CudaDevice, FindsTheFirstWrongElementAndItsValues) {
  const FakeGpu gpu;
  const Content content{.type = DataType::int32, .rank = 1, .nranks = 4};
  const Buffer buffer = gpu.device->allocate(4000, MemoryKind::device);
  gpu.device->fill(buffer.view(), content);
  EXPECT_EQ(gpu.device->count_wrong(buffer.view(), content).wrong, 0u);

  buffer.data()[4 * 700] ^= std::byte{1};
  buffer.data()[4 * 900] ^= std::byte{1};
  const auto comparison = gpu.device->count_wrong(buffer.view(), content);

  EXPECT_EQ(comparison.wrong, 2u);
  ASSERT_TRUE(comparison.first);
  EXPECT_EQ(comparison.first->index, 700u);
  EXPECT_EQ(comparison.first->expected_bits ^ comparison.first->got_bits, 1u);
}

TEST(CudaDevice, RefusesWhatIsTooLargeWithWhatIsFree) {
  const FakeGpu gpu;
  try {
    (void)gpu.device->allocate(std::size_t{1} << 40, MemoryKind::device);
    FAIL() << "not refused";
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), HasSubstr("GPU 3 has no 1 TiB left: 8 GiB are free"));
  }
}

TEST(CudaStream, NamesTheGpuWhoseWorkHasFailed) {
  const SteadyClock clock;
  CudaApi api = fake_cuda();
  api.stream_query = [](cudaStream_t) { return cudaErrorIllegalAddress; };
  const auto device =
      make_cuda_device(3, {.api = api, .kernels = kernels_on_host(), .clock = clock});
  try {
    device->stream()->synchronize(Deadline::never());
    FAIL() << "no error";
  } catch (const CudaError& error) {
    EXPECT_THAT(error.what(), HasSubstr("cudaStreamQuery on GPU 3 failed: "));
    EXPECT_THAT(error.what(), HasSubstr("cudaErrorIllegalAddress"));
  }
}

TEST(CudaDevice, NamesAGpuThatIsNotHere) {
  const SteadyClock clock;
  try {
    (void)make_cuda_device(8, {.api = fake_cuda(), .kernels = kernels_on_host(), .clock = clock});
    FAIL() << "not refused";
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), HasSubstr("GPU 8 was asked for, but only 8 were found"));
  }
}

TEST(CheckCuda, SaysThatThisBuildLacksKernelsForTheGpu) {
  try {
    check_cuda(fake_cuda(), cudaErrorNoKernelImageForDevice, "the fill kernel on GPU 0");
    FAIL();
  } catch (const Unavailable& error) {
    EXPECT_THAT(error.what(), HasSubstr("the fill kernel on GPU 0 failed"));
    EXPECT_THAT(error.what(), HasSubstr("-DCMAKE_CUDA_ARCHITECTURES=native"));
  }
}

TEST(RequireGpus, SaysThatThereIsNoDriver) {
  try {
    (void)require_gpus(fake_cuda_without_driver());
    FAIL() << "not refused";
  } catch (const Unavailable& error) {
    EXPECT_THAT(error.what(), HasSubstr("no NVIDIA driver"));
    EXPECT_THAT(error.what(), HasSubstr("--backend host"));
  }
}

}  // namespace
}  // namespace linerate::cuda
