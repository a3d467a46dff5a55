// See fake_memory.h.
#include "support/gpu/fake_memory.h"

#include <cstdlib>
#include <map>
#include <mutex>
#include <utility>

namespace linerate::cuda {
namespace {

struct Owned {
  int device;
  std::size_t bytes;
};

class Memory {
 public:
  bool take(void* memory, const Owned& owned) {
    const std::lock_guard lock(mutex_);
    if (used_[owned.device] + owned.bytes > fake_gpu_bytes()) return false;
    used_[owned.device] += owned.bytes;
    owned_[memory] = owned;
    return true;
  }
  void give_back(void* memory) {
    const std::lock_guard lock(mutex_);
    const auto at = owned_.find(memory);
    if (at == owned_.end()) std::abort();  // freed twice, or not ours
    used_[at->second.device] -= at->second.bytes;
    owned_.erase(at);
  }
  int device_of(const void* memory) {
    const std::lock_guard lock(mutex_);
    const auto at = owned_.find(memory);
    return at == owned_.end() ? -1 : at->second.device;
  }
  std::size_t used(int device) {
    const std::lock_guard lock(mutex_);
    return used_[device];
  }

 private:
  std::mutex mutex_;
  std::map<int, std::size_t> used_;
  std::map<const void*, Owned> owned_;
};

Memory& memory_of_all() {
  static Memory memory;
  return memory;
}

}  // namespace

std::size_t fake_gpu_bytes() {
  constexpr std::size_t kDefault = std::size_t{8} << 30;
  const char* const text = std::getenv("LINERATE_FAKE_GPU_BYTES");
  return text == nullptr ? kDefault : std::strtoull(text, nullptr, 10);
}

void* allocate_fake(int device, std::size_t bytes, std::size_t alignment) {
  if (bytes > free_fake_bytes(device)) return nullptr;
  const std::size_t whole = (bytes + alignment - 1) / alignment * alignment;
  void* const memory = std::aligned_alloc(alignment, whole);
  if (memory == nullptr || memory_of_all().take(memory, {device, bytes})) return memory;
  std::free(memory);
  return nullptr;
}

void free_fake(void* memory) {
  if (memory == nullptr) return;
  memory_of_all().give_back(memory);
  std::free(memory);
}

int fake_device_of(const void* memory) { return memory_of_all().device_of(memory); }

std::size_t free_fake_bytes(int device) { return fake_gpu_bytes() - memory_of_all().used(device); }

}  // namespace linerate::cuda
