#include "devices/cuda/copy_queue.h"

#include "devices/cuda/cuda_error.h"
#include "pattern/pattern.h"

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

CopyQueue::CopyQueue(const CopyRunInput& input, const Plan& plan)
    : input_(input),
      plan_(plan),
      stream_(input.api, plan.what.by, StreamKind::own),
      begin_(input.api),
      end_(input.api),
      source_(allocate(plan.what.from)),
      target_(allocate(plan.what.to)) {
  fill(plan.what.from, source_.view(), plan.content);
}

Buffer CopyQueue::allocate(int end) const {
  if (end == kHostEnd) return input_.device(gpu()).allocate(plan_.bytes, MemoryKind::pinned);
  return input_.device(end).allocate(plan_.bytes, MemoryKind::device);
}

// The host's memory is filled and compared by the host: it is what a program there would see.
void CopyQueue::fill(int end, View view, const Content& content) const {
  if (end == kHostEnd)
    pattern::fill(view, content);
  else
    input_.device(end).fill(view, content);
}

Comparison CopyQueue::compare() const {
  const ConstView got = target_.view();
  return plan_.what.to == kHostEnd ? pattern::count_wrong(got, plan_.content)
                                   : input_.device(plan_.what.to).count_wrong(got, plan_.content);
}

void CopyQueue::begin_behind(const CopyQueue& other) {
  with_gpu(input_.api, gpu(), [&] {
    if (&other != this) other.begin_.hold(stream_.get());
    begin_.record(stream_.get());
  });
}

void CopyQueue::end_before(CopyQueue& other) {
  with_gpu(input_.api, gpu(), [&] {
    end_.record(stream_.get());
    if (&other != this) end_.hold(other.stream_.get());
  });
}

void CopyQueue::copy() {
  with_gpu(input_.api, gpu(), [&] {
    void* const to = target_.data();
    const void* const from = source_.data();
    if (plan_.what.engine == CopyEngine::ce)
      check_cuda(input_.api,
                 input_.api.memcpy_async(to, from, plan_.bytes, cudaMemcpyDefault, stream_.get()),
                 "cudaMemcpyAsync");
    else
      check_cuda(input_.api,
                 input_.kernels.copy(to, from, plan_.bytes, plan_.blocks, stream_.get()),
                 "the copy kernel");
  });
}

}  // namespace linerate::cuda
