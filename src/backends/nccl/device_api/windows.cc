// See windows.h.
#include "backends/nccl/device_api/windows.h"

#include <functional>

namespace linerate::nccl {

void Windows::add(std::span<const std::byte> memory, const ncclWindow_t* window) {
  entries_.push_back({memory, window});
}

void Windows::remove(const ncclWindow_t* window) {
  std::erase_if(entries_, [&](const Entry& entry) { return entry.window == window; });
}

WindowPlace Windows::find(std::span<const std::byte> memory) const {
  const std::less_equal<> before;  // defined between any two addresses
  for (const auto& [whole, window] : entries_)
    if (before(whole.data(), memory.data()) &&
        before(memory.data() + memory.size(), whole.data() + whole.size()))
      return {*window, static_cast<std::size_t>(memory.data() - whole.data())};
  return {};
}

}  // namespace linerate::nccl
