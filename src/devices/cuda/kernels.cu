// Threads stride over the elements, which each makes from the index alone.
#include "devices/cuda/element.h"
#include "devices/cuda/kernels.h"

#include <algorithm>

namespace linerate::cuda {
namespace {

constexpr unsigned kThreads = 256;
constexpr std::uint64_t kMaxBlocks = 4096;  // enough for every GPU; the rest by striding

template <typename Family, typename Source>
__global__ void fill_kernel(ElementRange range, typename Family::Bits* out) {
  const std::uint64_t stride = std::uint64_t{gridDim.x} * blockDim.x;
  for (std::uint64_t i = std::uint64_t{blockIdx.x} * blockDim.x + threadIdx.x; i < range.count;
       i += stride)
    out[i] = element_at<Family, Source>(range, i);
}

// One pair of atomics for each thread that has seen something wrong: none in a good run.
template <typename Family, typename Source>
__global__ void count_kernel(ElementRange range, const typename Family::Bits* got,
                             WrongCount* sum) {
  const std::uint64_t stride = std::uint64_t{gridDim.x} * blockDim.x;
  unsigned long long wrong = 0, first = ~0ull;
  for (std::uint64_t i = std::uint64_t{blockIdx.x} * blockDim.x + threadIdx.x; i < range.count;
       i += stride) {
    if (!differs(element_at<Family, Source>(range, i), got[i], range.tolerance)) continue;
    first = wrong++ == 0 ? i : first;
  }
  if (wrong == 0) return;
  atomicAdd(&sum->wrong, wrong);
  atomicMin(&sum->first, first);
}

unsigned blocks_for(std::uint64_t count) {
  return static_cast<unsigned>(std::min((count + kThreads - 1) / kThreads, kMaxBlocks));
}

cudaError_t fill(void* memory, std::size_t count, const Content& content, cudaStream_t stream) {
  if (count == 0) return cudaSuccess;
  with_elements(content, count, [&]<typename Family, typename Source>(const ElementRange& range) {
    fill_kernel<Family, Source><<<blocks_for(count), kThreads, 0, stream>>>(
        range, static_cast<typename Family::Bits*>(memory));
  });
  return cudaGetLastError();
}

cudaError_t count_wrong(const void* memory, std::size_t count, const Content& content,
                        WrongCount* sum, cudaStream_t stream) {
  if (count == 0) return cudaSuccess;
  with_elements(content, count, [&]<typename Family, typename Source>(const ElementRange& range) {
    count_kernel<Family, Source><<<blocks_for(count), kThreads, 0, stream>>>(
        range, static_cast<const typename Family::Bits*>(memory), sum);
  });
  return cudaGetLastError();
}

}  // namespace

const Kernels& gpu_kernels() {
  static constexpr Kernels kKernels{.fill = fill, .count_wrong = count_wrong};
  return kKernels;
}

}  // namespace linerate::cuda
