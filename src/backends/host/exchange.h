// all_to_all beyond the smallest sizes, and all_to_all_v: every rank fetches from every other one.
#pragma once

#include "backends/host/streaming.h"
#include "backends/host/team.h"
#include "comm/op.h"

namespace linerate::host {

// REQUIRES: buffers that peers touch are in the arena, or the team shares one address space.
void all_to_all(Team& team, const Op& op, Stores stores);
// The same. REQUIRES too: send and recv do not overlap.
void all_to_all_v(Team& team, const Op& op, Stores stores);

}  // namespace linerate::host
