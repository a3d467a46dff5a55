// The host's memory: as a device, as the only one to copy within (memcpy_perf without a GPU), and
// how much of it is left. Its streams are in host_stream.h.
#pragma once

#include "base/clock.h"
#include "comm/copy_bench.h"
#include "comm/device.h"

#include <atomic>
#include <cstddef>
#include <filesystem>
#include <memory>
#include <string_view>
#include <utility>

namespace linerate {

// `index` is what the device line prints. `clock` outlives the device.
std::unique_ptr<Device> make_cpu_device(int index, const Clock& clock);

// Each stream is a thread that copies past the caches, so that a byte copied is one read and one
// written. `clock` outlives the bench. It has no GPUs: every end is kHostEnd.
std::unique_ptr<CopyBench> make_host_copy_bench(const Clock& clock);

// Bytes: MemAvailable of /proc/meminfo, or what the tightest control group (v2 or v1) above this
// process leaves, not counting file pages that it can drop. `root` stands for "/" (tests).
std::size_t free_memory_bytes(const std::filesystem::path& root = "/");

// Before memory is touched: pages beyond what is free would end the process instead of failing. Any
// thread may call it.
class FreeMemoryCheck {
 public:
  // Of the machine whose files lie below `root`.
  explicit FreeMemoryCheck(std::filesystem::path root = "/") : root_(std::move(root)) {}

  // Throws Error unless `bytes` of `what` are free. It looks once for each MiB that is asked for: a
  // look takes longer than to touch small memory.
  void check(std::size_t bytes, std::string_view what);

 private:
  std::filesystem::path root_;
  std::atomic<std::size_t> unchecked_bytes_{0};
};

}  // namespace linerate
