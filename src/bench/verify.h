// Filling inputs and poison before a call, and comparing what it left with what it must leave.
#pragma once

#include "bench/call_issuer.h"
#include "bench/session.h"
#include "record/record.h"

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace linerate {

// What one rank found wrong in one check.
struct RankCheck {
  int rank = 0;  // global
  std::uint64_t wrong = 0;
  FirstWrong first{};  // meaningful when wrong > 0; index counts recv elements of the slot
};

// Writes into `record` what the checks of `ranks` found: how many elements, and where.
void add_checks(std::span<const RankCheck> checks, std::span<const int> ranks, Record& record);

// Writes the inputs of a case into the slots that `calls` calls slide over, on the receiving side
// too: leftovers of another type could be denormal, and slow the arithmetic down.
void fill_sliding(Session& session, const CaseOnThread& on_thread, std::uint64_t calls);

// Writes the inputs of a case into slot `slot` of this thread's ranks, and poison wherever a
// result, or nothing, must appear. Out of place, the spare slot's input is slot 0's.
void fill_slot(Session& session, const CaseOnThread& on_thread, std::size_t slot);

// Compares every local rank's slot after one call on it, untouched parts included.
std::vector<RankCheck> check_slot(Session& session, const CaseOnThread& on_thread,
                                  std::size_t slot);

}  // namespace linerate
