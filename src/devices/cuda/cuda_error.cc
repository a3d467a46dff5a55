#include "devices/cuda/cuda_error.h"

#include <fmt/format.h>

namespace linerate::cuda {
namespace {

std::string sentence(const CudaApi& api, cudaError_t code, std::string_view call) {
  return fmt::format("{} failed: {} ({}).", call, api.get_error_string(code),
                     api.get_error_name(code));
}

std::string too_old(const CudaApi& api) {
  int driver = 0, runtime = 0;
  (void)api.driver_get_version(&driver);
  (void)api.runtime_get_version(&runtime);
  return fmt::format(
      "The NVIDIA driver is too old: it supports CUDA {}, and this build needs {}. Update the "
      "driver, or build linerate with an older CUDA toolkit.",
      version_text(driver), version_text(runtime));
}

}  // namespace

std::string version_text(int version) {
  constexpr int kMajor = 1000, kMinor = 10;
  return fmt::format("{}.{}", version / kMajor, version % kMajor / kMinor);
}

CudaError::CudaError(const CudaApi& api, cudaError_t code, std::string_view call,
                     std::source_location where)
    : Error(sentence(api, code, call), ExitCode::failed, where) {}

void check_cuda(const CudaApi& api, cudaError_t code, std::string_view call,
                std::source_location where) {
  if (code == cudaSuccess) return;
  (void)api.get_last_error();  // else the next call that is right would report it too
  if (code == cudaErrorNoKernelImageForDevice)
    throw Unavailable(
        fmt::format("{} This linerate was built without kernels for that GPU: build it with "
                    "-DCMAKE_CUDA_ARCHITECTURES=native on its host.",
                    sentence(api, code, call)));
  throw CudaError(api, code, call, where);
}

std::string on_gpu(std::string_view call, int device) {
  return fmt::format("{} on GPU {}", call, device);
}

int require_gpus(const CudaApi& api) {
  int driver = 0;
  if (api.driver_get_version(&driver) != cudaSuccess || driver == 0)
    throw Unavailable(
        "There is no NVIDIA driver here (libcuda.so.1 is missing or cannot be used): install it, "
        "or "
        "run with --backend host.");
  int count = 0;
  const cudaError_t code = api.get_device_count(&count);
  if (code == cudaErrorInsufficientDriver) throw Unavailable(too_old(api));
  if (code == cudaErrorNoDevice || (code == cudaSuccess && count == 0))
    throw Unavailable(
        "The NVIDIA driver finds no GPU: see nvidia-smi, and what CUDA_VISIBLE_DEVICES hides. "
        "--backend host runs without one.");
  if (code != cudaSuccess)
    throw Unavailable(
        fmt::format("The GPUs cannot be used: {}", sentence(api, code, "cudaGetDeviceCount")));
  return count;
}

int compute_capability(const CudaApi& api, int device) {
  constexpr int kMajor = 10;
  int major = 0, minor = 0;
  constexpr std::string_view kCall = "cudaDeviceGetAttribute";
  check_cuda(api, api.device_get_attribute(&major, cudaDevAttrComputeCapabilityMajor, device),
             on_gpu(kCall, device));
  check_cuda(api, api.device_get_attribute(&minor, cudaDevAttrComputeCapabilityMinor, device),
             on_gpu(kCall, device));
  return major * kMajor + minor;
}

}  // namespace linerate::cuda
