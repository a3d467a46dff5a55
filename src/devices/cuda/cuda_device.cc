#include "devices/cuda/cuda_device.h"

#include "base/units.h"
#include "devices/cuda/cuda_error.h"
#include "devices/cuda/cuda_multiplier.h"
#include "devices/cuda/cuda_stream.h"
#include "pattern/pattern.h"

#include <fmt/format.h>

#include <array>
#include <cassert>
#include <cctype>

namespace linerate::cuda {
namespace {

// "0000:18:00.0" -> "0000:18:00", in lower case.
std::string bus_id_of(const CudaApi& api, int index) {
  std::array<char, 32> text{};
  check_cuda(api, api.device_get_pci_bus_id(text.data(), static_cast<int>(text.size()), index),
             "cudaDeviceGetPCIBusId");
  std::string id = text.data();
  for (char& c : id) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return id.substr(0, id.find('.'));
}

// "0: 0000:18:00, 1: 0000:2a:00".
std::string all_gpus_text(const CudaApi& api, int count) {
  std::string text;
  for (int i = 0; i < count; ++i)
    text += fmt::format("{}{}: {}", i == 0 ? "" : ", ", i, bus_id_of(api, i));
  return text;
}

cudaDeviceProp properties_of(const CudaApi& api, int index) {
  const int count = require_gpus(api);
  if (index >= count)
    throw Unavailable(
        fmt::format("Invalid number of GPUs: GPU {} was asked for, but only {} were found ({}). "
                    "Ranks of a node take GPUs 0, 1, … in turn: start fewer, or see what "
                    "CUDA_VISIBLE_DEVICES hides and NCCL_TESTS_DEVICE adds.",
                    index, count, all_gpus_text(api, count)));
  cudaDeviceProp properties{};
  check_cuda(api, api.get_device_properties(&properties, index), "cudaGetDeviceProperties");
  return properties;
}

class CudaDevice final : public Device {
 public:
  CudaDevice(int index, const CudaDeviceInput& input)
      : api_(input.api),
        kernels_(input.kernels),
        clock_(input.clock),
        wait_(input.wait),
        load_cublas_(input.cublas),
        index_(index),
        name_(properties_of(api_, index).name),
        bus_id_(bus_id_of(api_, index)) {
    check_cuda(api_, api_.set_device(index_), on_gpu("cudaSetDevice", index_));
    own_stream_ = std::make_unique<CudaStream>(api_, index_, StreamKind::own);
    count_ = allocate(sizeof(WrongCount), MemoryKind::device);
  }

  std::string name() const override { return name_; }
  DeviceKind kind() const override { return DeviceKind::cuda; }
  int index() const override { return index_; }
  std::string bus_id() const override { return bus_id_; }

  std::size_t free_bytes() const override {
    const DeviceGuard guard(api_, index_);
    std::size_t free = 0, total = 0;
    check_cuda(api_, api_.mem_get_info(&free, &total), on_gpu("cudaMemGetInfo", index_));
    return free;
  }

  const Clock& clock() const override { return clock_; }

  Buffer allocate(std::size_t bytes, MemoryKind kind) override {
    if (bytes == 0) return {};
    const DeviceGuard guard(api_, index_);
    const bool on_host = kind == MemoryKind::host || kind == MemoryKind::pinned;
    return on_host ? allocate_pinned(bytes, kind) : allocate_device(bytes, kind);
  }

  std::unique_ptr<Stream> open_stream(StreamKind kind) override {
    const DeviceGuard guard(api_, index_);
    return std::make_unique<CudaStream>(api_, index_, kind);
  }

  void copy(View dest, ConstView source, Stream& stream) override {
    assert(dest.size() == source.size());
    if (dest.empty()) return;
    const DeviceGuard guard(api_, index_);
    check_cuda(api_,
               api_.memcpy_async(dest.data(), source.data(), dest.size(), cudaMemcpyDefault,
                                 static_cast<CudaStream&>(stream).get()),
               on_gpu("cudaMemcpyAsync", index_));
  }

  void zero(View view, Stream& stream) override {
    if (view.empty()) return;
    const DeviceGuard guard(api_, index_);
    check_cuda(
        api_,
        api_.memset_async(view.data(), 0, view.size(), static_cast<CudaStream&>(stream).get()),
        on_gpu("cudaMemsetAsync", index_));
  }

  void fill(View view, const Content& content) override {
    const DeviceGuard guard(api_, index_);
    check_cuda(api_,
               kernels_.fill(view.data(), view.size() / bytes_of(content.type), content,
                             own_stream_->get()),
               on_gpu("the fill kernel", index_));
    wait("a fill");
  }

  Comparison count_wrong(ConstView view, const Content& content) override {
    const DeviceGuard guard(api_, index_);
    const WrongCount sum = count(view, content);
    if (sum.wrong == 0) return {};
    return {.wrong = sum.wrong, .first = look_at(view, sum.first, content)};
  }

  Multiplier& multiplier() override {
    if (!multiplier_)
      multiplier_ = std::make_unique<CudaMultiplier>(
          api_, index_, load_cublas_ ? load_cublas_() : load_cublas(cublas_files()));
    return *multiplier_;
  }

 private:
  Buffer allocate_device(std::size_t bytes, MemoryKind kind) {
    void* memory = nullptr;
    const cudaError_t code = api_.malloc(&memory, bytes);
    if (code == cudaErrorMemoryAllocation) {
      (void)api_.get_last_error();
      throw Error(fmt::format("GPU {} has no {} left: {} are free; use smaller sizes.", index_,
                              bytes_text(bytes), about_bytes_text(free_bytes())));
    }
    check_cuda(api_, code, on_gpu("cudaMalloc", index_));
    return {{static_cast<std::byte*>(memory), bytes}, kind, [&api = api_](View view) {
              (void)api.free(view.data());
            }};
  }

  Buffer allocate_pinned(std::size_t bytes, MemoryKind kind) {
    void* memory = nullptr;
    check_cuda(api_, api_.host_alloc(&memory, bytes, cudaHostAllocDefault),
               fmt::format("cudaHostAlloc of {}", bytes_text(bytes)));
    return {{static_cast<std::byte*>(memory), bytes}, kind, [&api = api_](View view) {
              (void)api.free_host(view.data());
            }};
  }

  void wait(std::string_view what) {
    if (wait_)
      wait_(*own_stream_, what);
    else
      own_stream_->synchronize(Deadline::never());
  }

  // Complete on return.
  void copy_now(void* to, const void* from, std::size_t bytes) {
    check_cuda(api_, api_.memcpy_async(to, from, bytes, cudaMemcpyDefault, own_stream_->get()),
               on_gpu("cudaMemcpyAsync", index_));
    wait("a comparison");
  }

  WrongCount count(ConstView view, const Content& content) {
    WrongCount sum;
    auto* const on_device = reinterpret_cast<WrongCount*>(count_.data());
    copy_now(on_device, &sum, sizeof sum);
    check_cuda(api_,
               kernels_.count_wrong(view.data(), view.size() / bytes_of(content.type), content,
                                    on_device, own_stream_->get()),
               on_gpu("the comparison kernel", index_));
    copy_now(&sum, on_device, sizeof sum);
    return sum;
  }

  // The host's generator describes the element that the kernel found.
  FirstWrong look_at(ConstView view, std::size_t index, Content content) {
    const std::size_t bytes = bytes_of(content.type);
    std::array<std::byte, sizeof(std::uint64_t)> got{};
    copy_now(got.data(), view.data() + index * bytes, bytes);
    content.first_index += index;
    const auto found = pattern::count_wrong(ConstView(got).first(bytes), content).first;
    if (!found)
      throw Error(
          fmt::format("GPU {} and the host disagree on element {} of a comparison: a fault of "
                      "linerate or of the GPU.",
                      index_, index));
    FirstWrong first = *found;
    first.index = index;
    return first;
  }

  const CudaApi& api_;
  const Kernels& kernels_;
  const Clock& clock_;
  const std::function<void(CudaStream&, std::string_view)> wait_;
  const std::function<CublasApi()> load_cublas_;
  const int index_;
  const std::string name_;
  const std::string bus_id_;
  std::unique_ptr<CudaStream> own_stream_;  // of fill() and count_wrong()
  Buffer count_;                            // a WrongCount on the device
  std::unique_ptr<CudaMultiplier> multiplier_;
};

}  // namespace

std::unique_ptr<Device> make_cuda_device(int index, const CudaDeviceInput& input) {
  return std::make_unique<CudaDevice>(index, input);
}

}  // namespace linerate::cuda
