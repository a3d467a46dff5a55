// See together.h.
#include "bench/survey/together.h"

#include <vector>

namespace linerate {

void run_together(std::size_t nparts, const TogetherBody& body, const StartThread& start) {
  std::barrier<> together(static_cast<std::ptrdiff_t>(nparts));
  std::vector<std::jthread> running;  // ends before the barrier
  running.reserve(nparts);
  try {
    while (running.size() < nparts)
      running.push_back(start([&, part = running.size()] { body(part, together); }));
  } catch (...) {
    for (auto missing = running.size(); missing < nparts; ++missing) together.arrive_and_drop();
    throw;
  }
}

}  // namespace linerate
