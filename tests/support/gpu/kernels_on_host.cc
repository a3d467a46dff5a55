// The kernels' element functions in loops: see fake_cuda.h.
#include "devices/cuda/element.h"
#include "pattern/pattern.h"
#include "support/gpu/fake_cuda.h"
#include "support/gpu/fake_stream.h"

#include <algorithm>
#include <cstring>

namespace linerate::cuda {
namespace {

void fill_now(void* memory, std::size_t count, const Content& content) {
  with_elements(content, count, [&]<typename Family, typename Source>(const ElementRange& range) {
    auto* const out = static_cast<typename Family::Bits*>(memory);
    for (std::uint64_t i = 0; i < range.count; ++i) out[i] = element_at<Family, Source>(range, i);
  });
}

void count_now(const void* memory, std::size_t count, const Content& content, WrongCount* sum) {
  with_elements(content, count, [&]<typename Family, typename Source>(const ElementRange& range) {
    const auto* const got = static_cast<const typename Family::Bits*>(memory);
    for (std::uint64_t i = 0; i < range.count; ++i) {
      if (!differs(element_at<Family, Source>(range, i), got[i], range.tolerance)) continue;
      if (i < sum->first) sum->first = i;
      ++sum->wrong;
    }
  });
}

cudaError_t fill(void* memory, std::size_t count, const Content& content, cudaStream_t stream) {
  enqueue_fake(stream, [=] { fill_now(memory, count, content); });
  return cudaSuccess;
}

cudaError_t count_wrong(const void* memory, std::size_t count, const Content& content,
                        WrongCount* sum, cudaStream_t stream) {
  enqueue_fake(stream, [=] { count_now(memory, count, content, sum); });
  return cudaSuccess;
}

cudaError_t generate(void* memory, std::size_t count, const Content& content, cudaStream_t stream) {
  const View view(static_cast<std::byte*>(memory), count * bytes_of(content.type));
  enqueue_fake(stream, [=] { pattern::fill(view, content); });
  return cudaSuccess;
}

cudaError_t compare(const void* memory, std::size_t count, const Content& content, WrongCount* sum,
                    cudaStream_t stream) {
  const ConstView view(static_cast<const std::byte*>(memory), count * bytes_of(content.type));
  enqueue_fake(stream, [=] {
    const auto found = pattern::count_wrong(view, content);
    sum->wrong += found.wrong;
    if (found.first) sum->first = std::min<std::uint64_t>(sum->first, found.first->index);
  });
  return cudaSuccess;
}

}  // namespace

const Kernels& generator_on_host() {
  static constexpr Kernels kKernels{.fill = generate, .count_wrong = compare};
  return kKernels;
}

const Kernels& kernels_on_host() {
  static constexpr Kernels kKernels{.fill = fill, .count_wrong = count_wrong};
  return kKernels;
}

}  // namespace linerate::cuda
