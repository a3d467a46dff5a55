// Products on a GPU over fakes, and cuBLAS at run time: how it is found, and what is said where it
// is not.
#include "devices/cuda/cuda_multiplier.h"

#include "base/error.h"
#include "comm/float_types.h"
#include "devices/cuda/cuda_device.h"
#include "support/gpu/fake_cublas.h"
#include "support/gpu/fake_cuda.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#if __has_include(<cublas_v2.h>)
#include <cublas_v2.h>
#endif

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <memory>
#include <string>
#include <type_traits>
#include <vector>

namespace linerate::cuda {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

constexpr std::size_t kN = 24;

struct GpuThatMultiplies {
  CublasApi cublas = fake_cublas();
  SteadyClock clock{};
  std::unique_ptr<Device> device = make_cuda_device(
      3, {.api = fake_cuda(), .kernels = kernels_on_host(), .clock = clock, .cublas = [this] {
            return cublas;
          }});
};

// Three matrices of a GPU: small whole numbers, whose sums are exact, and a C of other values.
template <typename T>
struct Matrices {
  explicit Matrices(Device& device) {
    for (auto* buffer : {&a, &b, &c})
      *buffer = device.allocate(kN * kN * sizeof(T), MemoryKind::device);
    for (std::size_t i = 0; i < kN * kN; ++i) {
      of(a)[i] = T(static_cast<float>(i * 7 % 5) - 2);
      of(b)[i] = T(static_cast<float>(i * 11 % 3) - 1);
      of(c)[i] = T(99);
    }
  }

  SquareProduct product() const { return {.n = kN, .a = a.data(), .b = b.data(), .c = c.data()}; }
  bool multiplied() const {
    for (std::size_t i = 0; i < kN; ++i)
      for (std::size_t j = 0; j < kN; ++j) {
        float sum = 0;
        for (std::size_t p = 0; p < kN; ++p)
          sum += static_cast<float>(of(a)[i * kN + p]) * static_cast<float>(of(b)[p * kN + j]);
        if (static_cast<float>(of(c)[i * kN + j]) != sum) return false;
      }
    return true;
  }
  static T* of(const Buffer& buffer) { return reinterpret_cast<T*>(buffer.data()); }

  Buffer a, b, c;
};

template <typename Failure>
std::string sentence_of(const std::function<void()>& what) {
  try {
    what();
  } catch (const Failure& error) {
    return error.what();
  }
  return "no such failure";
}

TEST(CudaMultiplier, MultipliesRowsByColumnsInTheOrderOfTheStream) {
  const GpuThatMultiplies gpu;
  const auto stream = gpu.device->open_stream(StreamKind::async);
  const Matrices<BFloat16> matrices(*gpu.device);
  auto& multiplier = gpu.device->multiplier();
  EXPECT_EQ(multiplier.type(), DataType::bfloat16);

  stream->begin_capture();
  multiplier.multiply(matrices.product(), *stream);
  const auto graph = stream->end_capture();
  stream->synchronize(Deadline::never());
  EXPECT_FALSE(matrices.multiplied()) << "not on the stream";
  graph->launch(*stream);
  stream->synchronize(Deadline::never());

  EXPECT_TRUE(matrices.multiplied());
}

TEST(CudaMultiplier, TakesFloat16OnGpusWithoutUnitsForBfloat16) {
  ::setenv("LINERATE_FAKE_GPU_SM", "75", 1);
  const GpuThatMultiplies gpu;
  auto& multiplier = gpu.device->multiplier();
  ::unsetenv("LINERATE_FAKE_GPU_SM");
  const auto stream = gpu.device->stream();
  const Matrices<Half> matrices(*gpu.device);

  multiplier.multiply(matrices.product(), *stream);
  stream->synchronize(Deadline::never());

  EXPECT_EQ(multiplier.type(), DataType::float16);
  EXPECT_TRUE(matrices.multiplied());
}

TEST(CudaMultiplier, IsMadeOnceForADevice) {
  const GpuThatMultiplies gpu;

  EXPECT_EQ(&gpu.device->multiplier(), &gpu.device->multiplier());
}

TEST(CudaMultiplier, SaysThatTheLibraryDoesNotRunOnTheGpu) {
  GpuThatMultiplies gpu;
  gpu.cublas.create = [](cublasContext**) { return 1; };
  gpu.cublas.file = "libcublas.so.13";

  EXPECT_THAT(sentence_of<Unavailable>([&] { (void)gpu.device->multiplier(); }),
              HasSubstr("cublasCreate on GPU 3 failed: a fake status (libcublas.so.13)."));
}

TEST(CudaMultiplier, IsDestroyedWithItsGpuCurrent) {
  static int current = -1;
  int left = -1;
  {
    GpuThatMultiplies gpu;
    gpu.cublas.destroy = [](cublasContext* handle) {
      (void)fake_cuda().get_device(&current);
      return fake_cublas().destroy(handle);
    };
    (void)gpu.device->multiplier();
    (void)fake_cuda().set_device(1);
  }
  (void)fake_cuda().get_device(&left);

  EXPECT_EQ(current, 3);
  EXPECT_EQ(left, 1);
}

TEST(CudaMultiplier, NamesTheCallThatFails) {
  const GpuThatMultiplies gpu;
  const auto stream = gpu.device->stream();
  const Matrices<BFloat16> matrices(*gpu.device);
  auto outside = matrices.product();
  outside.a = reinterpret_cast<const std::byte*>(&outside);

  EXPECT_THAT(sentence_of<Error>([&] { gpu.device->multiplier().multiply(outside, *stream); }),
              HasSubstr("cublasGemmEx on GPU 3 failed: a fake status."));
}

TEST(CublasFiles, AreWhereTheLinkerPipAndTheToolkitHaveThem) {
  const std::string name = "libcublas.so." + std::to_string(CUDART_VERSION / 1000);
  const std::string cuda = "/p/nvidia/cu" + std::to_string(CUDART_VERSION / 1000);
  auto files = cublas_files("/p/nvidia/nccl/lib/libnccl.so.2");
  files.resize(5);

  EXPECT_THAT(files, ElementsAre(name, "/p/nvidia/nccl/lib/" + name, "/p/nvidia/cublas/lib/" + name,
                                 cuda + "/lib/" + name, "/usr/local/cuda/lib64/" + name));
  EXPECT_EQ(cublas_files()[1], "/usr/local/cuda/lib64/" + name);
}

TEST(LoadCublas, NamesTheFirstFileThatIsMissingAndTheWayOut) {
  const std::vector<std::string> files{"/nowhere/libcublas.so.13", "/nowhere/libcublas.so.12"};
  const auto sentence = sentence_of<Unavailable>([&] { (void)load_cublas(files); });

  EXPECT_THAT(sentence, HasSubstr("cuBLAS cannot be loaded: /nowhere/libcublas.so.13: "));
  EXPECT_THAT(sentence, HasSubstr("pip install nvidia-cublas (of CUDA 12: nvidia-cublas-cu12)"));
}

TEST(LoadCublas, NamesAFileThatDoesNotLoadBeforeThoseThatAreMissing) {
  const auto broken = testing::TempDir() + "libcublas-that-is-text.so";
  std::ofstream(broken) << "This is no library, however long its text may be: sixty-four bytes.\n";
  const std::vector<std::string> files{"libcublas-of-no-release.so", "/nowhere/libcublas.so.13",
                                       broken, "/nowhere/libcublas.so.12"};

  EXPECT_THAT(sentence_of<Unavailable>([&] { (void)load_cublas(files); }),
              HasSubstr("cuBLAS cannot be loaded: " + broken + ": "));
  std::filesystem::remove(broken);
}

TEST(LoadCublas, RefusesALibraryThatIsSomethingElse) {
  const std::vector<std::string> files{"/nowhere/libcublas.so.13", "libm.so.6"};

  EXPECT_THAT(sentence_of<Unavailable>([&] { (void)load_cublas(files); }),
              HasSubstr("libm.so.6 is not cuBLAS: it has no cublasCreate_v2."));
}

#if __has_include(<cublas_v2.h>)
// Nothing else here is of the headers.
TEST(CublasApi, HasTheValuesOfTheHeaders) {
  EXPECT_EQ(kCublasSuccess, CUBLAS_STATUS_SUCCESS);
  EXPECT_EQ(kCublasNotTransposed, CUBLAS_OP_N);
  EXPECT_EQ(kCublasSumsFloat32, CUBLAS_COMPUTE_32F);
  EXPECT_EQ(kCublasOwnChoice, CUBLAS_GEMM_DEFAULT);
  EXPECT_TRUE((std::is_same_v<cublasHandle_t, cublasContext*>));
  EXPECT_EQ(sizeof(cublasStatus_t), sizeof(int));
  // As declared there, but for enumerations, which are passed as ints.
  using Gemm = cublasStatus_t (*)(cublasHandle_t, cublasOperation_t, cublasOperation_t, int, int,
                                  int, const void*, const void*, cudaDataType, int, const void*,
                                  cudaDataType, int, const void*, void*, cudaDataType, int,
                                  cublasComputeType_t, cublasGemmAlgo_t);
  EXPECT_TRUE((std::is_same_v<decltype(static_cast<Gemm>(&::cublasGemmEx)), Gemm>));
}
#endif

}  // namespace
}  // namespace linerate::cuda
