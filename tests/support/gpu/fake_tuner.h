// NCCL's side of tuner plugins, for the fake: what it chooses for a call, and what that costs.
#pragma once

#include "support/gpu/fake_world.h"

namespace linerate::nccl::fake {

// Where LINERATE_FAKE_NCCL_FAST is set, as in Tree/LL, a call by another choice takes 2 ms
// longer. The choice is Ring/Simple, unless NCCL_ALGO and NCCL_PROTO, or the plugin of
// NCCL_TUNER_PLUGIN, make it another one. Without the variable nothing happens here.
void tune_begin(const Member& member);
void tune(const Member& member, const Call& call);
void tune_end(const Member& member);

}  // namespace linerate::nccl::fake
