#include "devices/cuda/cuda_copy_bench.h"

#include "devices/cuda/copy_run.h"
#include "devices/cuda/cuda_device.h"
#include "devices/cuda/cuda_error.h"

#include <fmt/format.h>

#include <map>

namespace linerate::cuda {
namespace {

class CudaCopyBench final : public CopyBench {
 public:
  explicit CudaCopyBench(const CudaCopyInput& input)
      : input_(input), api_(input.api), gpus_(require_gpus(input.api)) {}

  std::string version() const override {
    int runtime = 0, driver = 0;
    check_cuda(api_, api_.runtime_get_version(&runtime), "cudaRuntimeGetVersion");
    check_cuda(api_, api_.driver_get_version(&driver), "cudaDriverGetVersion");
    return fmt::format("CUDA {}, driver for CUDA {}", version_text(runtime), version_text(driver));
  }

  int gpus() const override { return gpus_; }
  CopyGpu describe(int gpu) override {
    return {.name = device(gpu).name(), .bus_id = device(gpu).bus_id()};
  }
  std::size_t free_bytes(int gpu) override { return device(gpu).free_bytes(); }
  bool reach_each_other(int gpu, int peer) override {
    return can_access(gpu, peer) && can_access(peer, gpu);
  }

  std::unique_ptr<CopyRun> prepare(const CopyJob& job) override {
    limit_s_ = job.limit_s;
    for (const CopyStream& stream : job.streams) {
      if (stream.from == kHostEnd || stream.to == kHostEnd || stream.from == stream.to) continue;
      (void)device(stream.from);
      (void)device(stream.to);
      enable_access(stream.from, stream.to);
      enable_access(stream.to, stream.from);
    }
    return make_copy_run(
        {.api = api_,
         .kernels = input_.copy_kernels,
         .device = [this](int gpu) -> Device& { return device(gpu); },
         .sm_count = [this](int gpu) { return sm_count(gpu); },
         .pci_devices = input_.pci_devices,
         .wait = [this](CudaStream& stream, std::string_view what) { wait(stream, what); }},
        job);
  }

 private:
  Device& device(int gpu) {
    auto& device = devices_[gpu];
    if (!device)
      device = make_cuda_device(
          gpu, {.api = api_,
                .kernels = input_.kernels,
                .clock = input_.clock,
                .wait = [this](CudaStream& stream, std::string_view what) { wait(stream, what); }});
    return *device;
  }

  unsigned sm_count(int gpu) const {
    cudaDeviceProp properties{};
    check_cuda(api_, api_.get_device_properties(&properties, gpu), "cudaGetDeviceProperties");
    return static_cast<unsigned>(properties.multiProcessorCount);
  }

  bool can_access(int gpu, int peer) const {
    int can = 0;
    check_cuda(api_, api_.device_can_access_peer(&can, gpu, peer), "cudaDeviceCanAccessPeer");
    return can != 0;
  }

  void enable_access(int gpu, int peer) const {
    const DeviceGuard guard(api_, gpu);
    const cudaError_t code = api_.device_enable_peer_access(peer, 0);
    if (code == cudaErrorPeerAccessAlreadyEnabled)
      (void)api_.get_last_error();
    else
      check_cuda(api_, code, "cudaDeviceEnablePeerAccess");
  }

  void wait(CudaStream& stream, std::string_view what) {
    try {
      stream.synchronize(Deadline::after(input_.clock, limit_s_));
    } catch (const TimeoutError&) {
      let_go();
      throw not_done(fmt::format("GPU {}", stream.device()), what, limit_s_);
    }
  }

  // What frees waits for the GPU's work, and this work may never end: memory, streams and events
  // are left to the driver, which takes them back when the process has ended.
  void let_go() {
    api_.free = [](void*) { return cudaSuccess; };
    api_.free_host = [](void*) { return cudaSuccess; };
    api_.stream_destroy = [](cudaStream_t) { return cudaSuccess; };
    api_.event_destroy = [](cudaEvent_t) { return cudaSuccess; };
  }

  const CudaCopyInput input_;
  CudaApi api_;  // what everything here calls
  const int gpus_;
  double limit_s_ = 0;                              // of the latest job
  std::map<int, std::unique_ptr<Device>> devices_;  // opened when first asked for
};

}  // namespace

std::unique_ptr<CopyBench> make_cuda_copy_bench(const CudaCopyInput& input) {
  return std::make_unique<CudaCopyBench>(input);
}

}  // namespace linerate::cuda
