// Threads that do the parts of one thing at the same time.
#pragma once

#include <barrier>
#include <cstddef>
#include <functional>
#include <thread>
#include <utility>

namespace linerate {

// body(part, together) of each part; `together` counts all of them.
using TogetherBody = std::function<void(std::size_t part, std::barrier<>& together)>;
using StartThread = std::function<std::jthread(std::function<void()>)>;
inline std::jthread start_thread(std::function<void()> body) {
  return std::jthread(std::move(body));
}

// Each part on a thread of its own; returns when all are done. Where a thread cannot be started,
// `together` counts those that were, they end, and the error is thrown.
void run_together(std::size_t nparts, const TogetherBody& body,
                  const StartThread& start = start_thread);

}  // namespace linerate
