#include "devices/cuda/copy_queue.h"

#include "pattern/pattern.h"

namespace linerate::cuda {

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
