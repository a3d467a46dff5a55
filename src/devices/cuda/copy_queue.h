// One stream of memcpy_perf's copies: its buffers, its queue on a GPU, and when it began and ended;
// and the gate in front of all streams, which starts them together.
#pragma once

#include "comm/copy_bench.h"
#include "devices/cuda/copy_run.h"
#include "devices/cuda/cuda_api.h"
#include "devices/cuda/cuda_error.h"
#include "devices/cuda/cuda_stream.h"
#include "devices/cuda/kernels.h"

#include <fmt/format.h>

#include <cstddef>
#include <string_view>

namespace linerate::cuda {

// What is enqueued behind the gate starts when it is opened.
// Closed by close(), opened by open(), and never closed for ever: the kernel that waits gives up
// after kGateLimitS seconds. Used by one thread. Outlives the work behind it.
class CopyGate {
 public:
  static constexpr double kGateLimitS = 10;  // enqueueing takes milliseconds

  // Its flags are page-locked memory; throws CudaError where there is none.
  CopyGate(const CudaApi& api, const CopyKernels& kernels);
  ~CopyGate();
  CopyGate(const CopyGate&) = delete;
  CopyGate& operator=(const CopyGate&) = delete;

  // Makes `stream`, of the current device, wait from here on. REQUIRES: nothing waits.
  void close(cudaStream_t stream);
  void open() noexcept;
  // Whether the waiting ended before open(); valid when the work behind the gate is done.
  bool gave_up() const;
  // Whether the GPU went on since close(); asks no GPU, so that it may be one that hangs.
  bool passed() const;

 private:
  const CudaApi& api_;
  const CopyKernels& kernels_;
  GateFlags* flags_ = nullptr;
};

// body() while `gpu` is the current device. A failure of CUDA there names the GPU.
template <typename Body>
void with_gpu(const CudaApi& api, int gpu, const Body& body) {
  try {
    const DeviceGuard guard(api, gpu);
    body();
  } catch (const CudaError& error) {
    const auto name = fmt::format("GPU {}", gpu);
    if (std::string_view(error.what()).find(name) != std::string_view::npos) throw;
    throw Error(fmt::format("{}: {}", name, error.what()), error.exit_code(), error.where());
  }
}

// Used by one thread. Outlives what it enqueued.
class CopyQueue {
 public:
  struct Plan {
    CopyStream what{};
    Content content{};      // of the source
    std::size_t bytes = 0;  // of each buffer
    unsigned blocks = 0;    // of the kernel
  };

  // Fills the source. REQUIRES: plan.what.by is current; `input` outlives the queue.
  CopyQueue(const CopyRunInput& input, const Plan& plan);

  int gpu() const { return plan_.what.by; }
  CudaStream& stream() { return stream_; }

  // These enqueue: the begin, which waits for that of `other`, unless it is this queue; a copy of
  // the whole buffer; the end, for which `other` then waits. They throw Error, which names the GPU.
  void begin_behind(const CopyQueue& other);
  void copy();
  void end_before(CopyQueue& other);

  // The target gets what no source holds.
  void poison() { fill(plan_.what.to, target_.view(), kCopyPoison); }
  Comparison compare() const;

  // REQUIRES: the end was reached.
  double busy_us() const { return end_.us_since(begin_); }
  const CudaEvent& began() const { return begin_; }

 private:
  Buffer allocate(int end) const;
  void fill(int end, View view, const Content& content) const;

  const CopyRunInput& input_;
  const Plan plan_;
  CudaStream stream_;
  CudaEvent begin_, end_;
  Buffer source_{}, target_{};
};

}  // namespace linerate::cuda
