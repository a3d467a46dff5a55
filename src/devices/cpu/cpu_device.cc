#include "devices/cpu/cpu_device.h"

#include "base/error.h"
#include "base/pages.h"
#include "devices/cpu/host_multiplier.h"
#include "devices/cpu/host_stream.h"
#include "pattern/pattern.h"
#include "topo/machine.h"

#include <fmt/format.h>

#include <sys/mman.h>

#include <cassert>
#include <cerrno>
#include <cstdint>
#include <cstring>

namespace linerate {
namespace {

// Read once: hwloc takes milliseconds, and each rank has a device.
const std::string& cpu_model() {
  static const auto model = describe_machine().cpu_model;
  return model;
}

class HostTime final : public StreamTime {
 public:
  explicit HostTime(const Clock& clock) : clock_(clock) {}
  ModeledTime now() const override {
    const auto now_ns = clock_.now_ns();
    return {now_ns, now_ns};
  }

 private:
  const Clock& clock_;
};

void unmap(std::byte* from, std::size_t bytes) noexcept {
  if (bytes > 0) ::munmap(from, bytes);
}

// Whole pages that begin on a multiple of `alignment`.
View map_pages(std::size_t bytes, std::size_t alignment) {
  const std::size_t wanted = round_up(bytes, page_bytes());
  const std::size_t slack = alignment > page_bytes() ? alignment : 0;
  void* const mapped = ::mmap(nullptr, wanted + slack, PROT_READ | PROT_WRITE,
                              MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (mapped == MAP_FAILED) throw SystemError(errno, fmt::format("mmap of {} bytes", bytes));
  auto* const start = static_cast<std::byte*>(mapped);
  if (slack == 0) return {start, wanted};
  const auto address = reinterpret_cast<std::uintptr_t>(start);
  const std::size_t skipped = round_up(address, alignment) - address;
  unmap(start, skipped);
  unmap(start + skipped + wanted, slack - skipped);
  return {start + skipped, wanted};
}

class CpuDevice final : public Device {
 public:
  CpuDevice(int index, const Clock& clock) : index_(index), clock_(clock) {}

  std::string name() const override { return fmt::format("host memory ({})", cpu_model()); }
  DeviceKind kind() const override { return DeviceKind::cpu; }
  int index() const override { return index_; }
  std::string bus_id() const override { return "0000:00:00"; }
  std::size_t free_bytes() const override { return free_memory_bytes(); }
  const Clock& clock() const override { return clock_; }

  Buffer allocate(std::size_t bytes, MemoryKind kind) override {
    if (bytes == 0) return {};
    room_.check(bytes, "host memory");
    const bool large = bytes >= kHugePageBytes;
    const View pages = map_pages(bytes, large ? kHugePageBytes : 1);
    if (large) (void)::madvise(pages.data(), pages.size(), MADV_HUGEPAGE);
    touch(pages);
    return Buffer(pages.first(bytes), kind,
                  [mapped = pages.size()](View view) { unmap(view.data(), mapped); });
  }

  std::unique_ptr<Stream> open_stream(StreamKind kind) override {
    return make_host_stream(kind, std::make_unique<HostTime>(clock_));
  }
  void copy(View dest, ConstView source, Stream& stream) override {
    assert(dest.size() == source.size());
    if (dest.empty()) return;
    stream.run([=] { std::memcpy(dest.data(), source.data(), dest.size()); });
  }
  void zero(View view, Stream& stream) override {
    if (view.empty()) return;
    stream.run([=] { std::memset(view.data(), 0, view.size()); });
  }
  void fill(View view, const Content& content) override { pattern::fill(view, content); }
  Comparison count_wrong(ConstView view, const Content& content) override {
    return pattern::count_wrong(view, content);
  }
  Multiplier& multiplier() override { return multiplier_; }

 private:
  int index_;
  const Clock& clock_;
  HostMultiplier multiplier_;
  FreeMemoryCheck room_;
};

}  // namespace

std::unique_ptr<Device> make_cpu_device(int index, const Clock& clock) {
  return std::make_unique<CpuDevice>(index, clock);
}

}  // namespace linerate
