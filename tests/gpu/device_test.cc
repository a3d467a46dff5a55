// The GPU device on a real GPU: kernels bit for bit with the host's generator, graphs, and events.
// Skipped where there is none, but with LINERATE_EXPECT_GPU=1 a failure.
#include "backends/nccl/nccl_api.h"
#include "base/error.h"
#include "comm/float_types.h"
#include "devices/cuda/cuda_device.h"
#include "devices/cuda/cuda_error.h"
#include "devices/cuda/cuda_stream.h"
#include "pattern/pattern.h"
#include "support/gpu/contents.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <cstring>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace linerate::cuda {
namespace {

bool gpu_is_expected() {
  const char* const text = std::getenv("LINERATE_EXPECT_GPU");
  return text != nullptr && std::string_view(text) != "" && std::string_view(text) != "0";
}

// cuBLAS may lie beside NCCL, as pip has both. Empty: NCCL is missing.
std::string nccl_file() {
  try {
    return nccl::load_nccl({}).path;
  } catch (const Unavailable&) {
    return {};
  }
}

class RealGpu : public testing::Test {
 protected:
  void SetUp() override {
    try {
      (void)require_gpus(cuda_runtime());
    } catch (const Unavailable& missing) {
      if (gpu_is_expected()) FAIL() << missing.what();
      GTEST_SKIP() << missing.what();
    }
    device_ = make_cuda_device(
        0, {.api = cuda_runtime(), .kernels = gpu_kernels(), .clock = clock_, .cublas = [] {
              return load_cublas(cublas_files(nccl_file()));
            }});
  }

  std::vector<std::byte> on_host(ConstView view) {
    std::vector<std::byte> bytes(view.size());
    EXPECT_EQ(cudaMemcpy(bytes.data(), view.data(), view.size(), cudaMemcpyDefault), cudaSuccess);
    return bytes;
  }

  SteadyClock clock_;
  std::unique_ptr<Device> device_;
};

constexpr std::size_t kCount = 100'003;  // over a block's edge, and no multiple of anything

TEST_F(RealGpu, FillsWithTheElementsOfTheHostsGenerator) {
  for (const Content& content : all_contents()) {
    const std::size_t bytes = kCount * bytes_of(content.type);
    const Buffer buffer = device_->allocate(bytes, MemoryKind::device);
    std::vector<std::byte> expected(bytes);
    pattern::fill(expected, content);

    device_->fill(buffer.view(), content);

    ASSERT_EQ(on_host(buffer.view()), expected)
        << name_of(content.type) << " " << name_of(content.op) << " "
        << static_cast<int>(content.kind);
    EXPECT_EQ(device_->count_wrong(buffer.view(), content).wrong, 0u);
  }
}

TEST_F(RealGpu, FindsEachWrongElementAndTheFirst) {
  const Content content{.type = DataType::bfloat16, .nranks = 4};
  const Buffer buffer = device_->allocate(kCount * 2, MemoryKind::device);
  device_->fill(buffer.view(), content);
  Content poison = content;
  poison.kind = Content::Kind::poison;
  device_->fill(buffer.view(2 * 777, 2 * 5), poison);
  device_->fill(buffer.view(2 * 99'000, 2), poison);

  const auto found = device_->count_wrong(buffer.view(), content);

  EXPECT_EQ(found.wrong, 6u);
  ASSERT_TRUE(found.first.has_value());
  EXPECT_EQ(found.first->index, 777u);
}

TEST_F(RealGpu, LaunchesAGraphAsOftenAsAsked) {
  const auto stream = device_->stream();
  const auto queue = static_cast<CudaStream&>(*stream).get();
  const Buffer buffer = device_->allocate(64, MemoryKind::device);
  const Content zeros{.type = DataType::uint8};
  device_->fill(buffer.view(), zeros);
  stream->begin_capture();
  ASSERT_EQ(cudaMemsetAsync(buffer.data(), 0x5a, 64, queue), cudaSuccess);
  const auto graph = stream->end_capture();
  EXPECT_EQ(device_->count_wrong(buffer.view(), zeros).wrong, 0u) << "captured, and yet done";

  for (int i = 0; i < 3; ++i) graph->launch(*stream);
  stream->synchronize(Deadline::never());

  EXPECT_EQ(on_host(buffer.view()), std::vector<std::byte>(64, std::byte{0x5a}));
}

TEST_F(RealGpu, StampsItsWorkInOrder) {
  const auto stream = device_->stream();
  const auto events = stream->timing_events(3);
  const Buffer buffer = device_->allocate(std::size_t{1} << 28, MemoryKind::device);
  events->place(0);
  ASSERT_EQ(
      cudaMemsetAsync(buffer.data(), 1, buffer.bytes(), static_cast<CudaStream&>(*stream).get()),
      cudaSuccess);
  events->place(1);
  events->place(2);
  stream->synchronize(Deadline::never());

  EXPECT_GT(events->us_between(0, 1), events->us_between(1, 2));
  EXPECT_GT(events->us_between(0, 1), 0);
}

// Sums of no more than 2^8 whole numbers of a few bits are exact in bfloat16 as in float32.
TEST_F(RealGpu, MultipliesMatricesByCublas) {
  if (device_->multiplier().type() != DataType::bfloat16)
    GTEST_SKIP() << "no units for bfloat16 on this GPU";
  constexpr std::size_t kN = 64;
  std::vector<BFloat16> a(kN * kN), b(kN * kN), c(kN * kN);
  for (std::size_t i = 0; i < kN * kN; ++i) {
    a[i] = BFloat16(static_cast<float>(i * 7 % 5) - 2);
    b[i] = BFloat16(static_cast<float>(i * 11 % 3) - 1);
  }
  const auto bytes = std::as_bytes(std::span(a)).size();
  const auto on_gpu = [&](const std::vector<BFloat16>& from) {
    auto buffer = device_->allocate(bytes, MemoryKind::device);
    EXPECT_EQ(cudaMemcpy(buffer.data(), from.data(), bytes, cudaMemcpyDefault), cudaSuccess);
    return buffer;
  };
  const Buffer gpu_a = on_gpu(a), gpu_b = on_gpu(b), gpu_c = on_gpu(c);
  const auto stream = device_->open_stream(StreamKind::async);

  device_->multiplier().multiply({.n = kN, .a = gpu_a.data(), .b = gpu_b.data(), .c = gpu_c.data()},
                                 *stream);
  stream->synchronize(Deadline::never());

  std::memcpy(c.data(), on_host(gpu_c.view()).data(), bytes);
  for (std::size_t i = 0; i < kN; ++i)
    for (std::size_t j = 0; j < kN; ++j) {
      float sum = 0;
      for (std::size_t p = 0; p < kN; ++p)
        sum += static_cast<float>(a[i * kN + p]) * static_cast<float>(b[p * kN + j]);
      ASSERT_EQ(static_cast<float>(c[i * kN + j]), sum) << i << ", " << j;
    }
}

TEST_F(RealGpu, SaysHowMuchIsFreeWhereThereIsNoMore) {
  EXPECT_THROW((void)device_->allocate(std::size_t{1} << 45, MemoryKind::device), Error);

  EXPECT_NO_THROW((void)device_->allocate(1024, MemoryKind::device));  // the error is not sticky
}

}  // namespace
}  // namespace linerate::cuda
