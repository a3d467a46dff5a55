// A communicator's calls from within a kernel of ours (-D) instead of NCCL's.
#pragma once

#include "backends/nccl/calls.h"
#include "backends/nccl/device_api/device_kernels.h"
#include "backends/nccl/endpoint.h"
#include "comm/gpu_options.h"
#include "comm/op.h"
#include "devices/cuda/cuda_api.h"

#include <memory>
#include <string>

namespace linerate::nccl {

// What -D and -V ask for.
struct DeviceImplementation {
  DeviceKernels kernels{};
  int number = 0;  // 0: no kernel of ours
  int ctas = 16;
};

// Throws Unavailable, in one sentence, where `options` ask for kernels and the library's minor
// version is not that of the headers: what kernels read has another layout in each.
void require_device_api(const NcclApi& api, const GpuOptions& options);

// The kernels are for all_reduce and all_to_all; other calls remain NCCL's.
bool has_device_kernel(OpKind kind);

// One sentence, or empty where kernel `number` has the operator and type of `op`. REQUIRES:
// has_device_kernel(op.kind); of all_to_all `number` is 1 or 2.
std::string device_kernel_refusal(const Op& op, int number);

// Used by the thread that uses the communicator.
class DeviceSide {
 public:
  // REQUIRES: implementation.number > 0, and require_device_api() has passed.
  DeviceSide(std::shared_ptr<Endpoint> endpoint, const DeviceImplementation& implementation);
  ~DeviceSide();
  DeviceSide(const DeviceSide&) = delete;
  DeviceSide& operator=(const DeviceSide&) = delete;

  // Makes what the kernels know the communicator by; once, later calls do nothing. Collective, and
  // within a group done at its end. Throws NcclError.
  void create();

  // REQUIRES: create(), has_device_kernel(op.kind); the device is current. Throws Unavailable
  // where there is no such kernel, where the GPUs do not reach each other's memory, or where the
  // buffers are in no symmetric window; and CudaError.
  void enqueue(const Op& op, const Target& target, const cuda::CudaApi& cuda);

 private:
  void check_reach(int nranks) const;
  DeviceCall call_of(const Op& op, const Target& target) const;

  const std::shared_ptr<Endpoint> endpoint_;
  const DeviceImplementation implementation_;
  const ncclDevCommRequirements requirements_;
  bool created_ = false;
  ncclDevComm comm_{};
};

}  // namespace linerate::nccl
