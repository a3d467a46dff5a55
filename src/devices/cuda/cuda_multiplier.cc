#include "devices/cuda/cuda_multiplier.h"

#include "base/error.h"
#include "devices/cuda/cuda_error.h"
#include "devices/cuda/cuda_stream.h"

#include <fmt/format.h>

#include <string_view>
#include <utility>

namespace linerate::cuda {
namespace {

DataType type_on(const CudaApi& cuda, int device) {
  constexpr int kAmpere = 80;
  return compute_capability(cuda, device) < kAmpere ? DataType::float16 : DataType::bfloat16;
}

}  // namespace

CudaMultiplier::CudaMultiplier(const CudaApi& cuda, int device, CublasApi cublas)
    : cuda_(cuda), device_(device), cublas_(std::move(cublas)), type_(type_on(cuda, device)) {
  const DeviceGuard guard(cuda_, device_);
  if (const int status = cublas_.create(&handle_); status != kCublasSuccess)
    throw Unavailable(
        fmt::format("{} failed: {} ({}). Its memory may be full, or the library may be of a newer "
                    "CUDA than the driver.",
                    on_gpu("cublasCreate", device_), cublas_.status_string(status), cublas_.file));
}

// As DeviceGuard does it, which may throw.
CudaMultiplier::~CudaMultiplier() {
  int before = device_;
  (void)cuda_.get_device(&before);
  if (before != device_) (void)cuda_.set_device(device_);
  (void)cublas_.destroy(handle_);
  if (before != device_) (void)cuda_.set_device(before);
}

// To a column-major library our matrices are transposed: C' = B' A'.
void CudaMultiplier::multiply(const SquareProduct& what, Stream& stream) {
  const DeviceGuard guard(cuda_, device_);
  const auto check = [&](int status, std::string_view call) {
    if (status == kCublasSuccess) return;
    throw Error(
        fmt::format("{} failed: {}.", on_gpu(call, device_), cublas_.status_string(status)));
  };
  check(cublas_.set_stream(handle_, static_cast<CudaStream&>(stream).get()), "cublasSetStream");
  constexpr float kOne = 1, kZero = 0;
  const auto type = type_ == DataType::bfloat16 ? CUDA_R_16BF : CUDA_R_16F;
  const int n = static_cast<int>(what.n);
  check(cublas_.gemm_ex(handle_, kCublasNotTransposed, kCublasNotTransposed, n, n, n, &kOne, what.b,
                        type, n, what.a, type, n, &kZero, what.c, type, n, kCublasSumsFloat32,
                        kCublasOwnChoice),
        "cublasGemmEx");
}

}  // namespace linerate::cuda
