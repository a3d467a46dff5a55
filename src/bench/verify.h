// Filling inputs and poison before a call, and comparing what it left with what it must leave.
#pragma once

#include "bench/launcher.h"
#include "bench/session.h"
#include "record/record.h"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace linerate {

// What one rank found wrong in one check.
struct RankCheck {
  int rank = 0;  // global
  std::uint64_t wrong = 0;
  FirstWrong first{};  // meaningful when wrong > 0; index counts recv elements of the slot
};

// Writes the inputs of a case into slot `slot` of this thread's ranks, and poison wherever a
// result, or nothing, must appear.
void fill_slot(Session& session, const CaseOnThread& on_thread, std::size_t slot);

// Compares every local rank's slot after one call on it, untouched parts included.
std::vector<RankCheck> check_slot(Session& session, const CaseOnThread& on_thread,
                                  std::size_t slot);

}  // namespace linerate
