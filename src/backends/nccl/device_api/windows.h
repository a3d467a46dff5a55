// The symmetric windows of a communicator, found by the addresses in them.
#pragma once

#include <nccl.h>

#include <cstddef>
#include <span>
#include <vector>

namespace linerate::nccl {

// Where some memory is: in which window, and how many bytes behind its start.
struct WindowPlace {
  ncclWindow_t window = nullptr;  // null: in none, or NCCL has made none
  std::size_t offset = 0;
};

// Used by the thread that uses the communicator.
class Windows {
 public:
  // `window` is read when it is looked for: within a group NCCL fills it in at the group's end. It
  // stays in its place until remove(window).
  void add(std::span<const std::byte> memory, const ncclWindow_t* window);
  void remove(const ncclWindow_t* window);

  // The window that holds all of `memory`.
  WindowPlace find(std::span<const std::byte> memory) const;

 private:
  struct Entry {
    std::span<const std::byte> memory;
    const ncclWindow_t* window;
  };

  std::vector<Entry> entries_;
};

inline void Windows::add(std::span<const std::byte> memory, const ncclWindow_t* window) {
  entries_.push_back({memory, window});
}

inline void Windows::remove(const ncclWindow_t* window) {
  std::erase_if(entries_, [&](const Entry& entry) { return entry.window == window; });
}

inline WindowPlace Windows::find(std::span<const std::byte> memory) const {
  const std::less_equal<> before;  // defined between any two addresses
  for (const auto& [whole, window] : entries_)
    if (before(whole.data(), memory.data()) &&
        before(memory.data() + memory.size(), whole.data() + whole.size()))
      return {*window, static_cast<std::size_t>(memory.data() - whole.data())};
  return {};
}

}  // namespace linerate::nccl
