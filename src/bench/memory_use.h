// What -M reports: the memory that a run took of its first rank's device.
#pragma once

#include "bench/session.h"

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace linerate {

// On a GPU by the free memory that is left after each step, so that what the library takes counts
// too; others use the same GPU at the same time on their own account. In host memory the buffers.
class MemoryUse {
 public:
  using Amounts = std::vector<std::pair<std::string, std::uint64_t>>;

  // After the communicators are made; then after the buffers are.
  void note_initialised(const Session& session);
  void note_allocated(const Session& session);

  // After the last call.
  Amounts amounts(const Session& session) const;

 private:
  std::size_t initialised_free_ = 0;
  std::size_t allocated_free_ = 0;
};

}  // namespace linerate
