// The collectives of the host backend, each on one rank of a team. Two families.
#pragma once

#include "backends/host/team.h"
#include "comm/op.h"

#include <cstddef>

namespace linerate::host {

// Bytes of this rank's buffers that peers may read (send) and write (recv) in a direct call; 0 when
// they do not.
struct Exposure {
  std::size_t send_bytes = 0;
  std::size_t recv_bytes = 0;
};

// What a rank gives to its peers travels in its slot, beside the flag: one wait, no second signal.
namespace eager {

// Whether `op` can be run so: the same answer on every rank. False for calls that are not
// collective and for all_to_all_v.
bool fits(const Op& op, int nranks);
// REQUIRES: fits(op, team.nranks()).
void run(Team& team, const Op& op);

}  // namespace eager

// Ranks read and write each other's buffers where they are: a wait before, a wait after, and every
// byte is read once and written once wherever the collective allows it.
namespace direct {

Exposure exposure_of(const Op& op, int rank, int nranks);

// REQUIRES: what exposure_of() names is in the arena, or the team shares one address space.
void all_reduce(Team& team, const Op& op);
void reduce_scatter(Team& team, const Op& op);
void reduce(Team& team, const Op& op);
void all_gather(Team& team, const Op& op);
void broadcast(Team& team, const Op& op);
void gather(Team& team, const Op& op);
void scatter(Team& team, const Op& op);
void all_to_all(Team& team, const Op& op);
// REQUIRES: send and recv do not overlap.
void all_to_all_v(Team& team, const Op& op);

}  // namespace direct
}  // namespace linerate::host
