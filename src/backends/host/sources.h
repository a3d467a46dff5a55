// The arithmetic of a call over all ranks of a team.
#pragma once

#include "backends/host/team.h"
#include "comm/op.h"
#include "devices/cpu/reduce.h"

#include <cstddef>

namespace linerate::host {

// REQUIRES: every rank has been seen. Uses the team's room for factors.
inline ReduceSpec spec_of(Team& team, const Op& op) {
  ReduceSpec spec{.type = op.type, .op = op.op, .nranks = team.nranks()};
  if (op.op != RedOp::mulsum) return spec;
  const auto factors = team.factors();
  for (int rank = 0; rank < team.nranks(); ++rank)
    factors[static_cast<std::size_t>(rank)] = team.premul_of(rank);
  spec.premuls = factors;
  return spec;
}

}  // namespace linerate::host
