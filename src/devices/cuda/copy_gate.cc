#include "devices/cuda/copy_gate.h"

#include "devices/cuda/cuda_error.h"

#include <atomic>
#include <new>

namespace linerate::cuda {

CopyGate::CopyGate(const CudaApi& api, const CopyKernels& kernels) : api_(api), kernels_(kernels) {
  void* memory = nullptr;
  check_cuda(
      api_,
      api_.host_alloc(&memory, sizeof(GateFlags), cudaHostAllocMapped | cudaHostAllocPortable),
      "cudaHostAlloc");
  flags_ = new (memory) GateFlags;
}

CopyGate::~CopyGate() {
  open();
  (void)api_.free_host(flags_);
}

void CopyGate::close(cudaStream_t stream) {
  constexpr double kNsPerS = 1e9;
  flags_->open = 0;
  flags_->gave_up = 0;
  flags_->passed = 0;
  std::atomic_thread_fence(std::memory_order_seq_cst);
  check_cuda(
      api_,
      kernels_.wait_at_gate(flags_, static_cast<std::uint64_t>(kGateLimitS * kNsPerS), stream),
      "the gate kernel");
}

void CopyGate::open() noexcept {
  std::atomic_thread_fence(std::memory_order_seq_cst);
  flags_->open = 1;
}

bool CopyGate::gave_up() const { return flags_->gave_up != 0; }
bool CopyGate::passed() const { return flags_->passed != 0; }

}  // namespace linerate::cuda
