// The data movement of every collective, written to be obviously right rather than fast.
#pragma once

#include "comm/op.h"

#include <cstddef>
#include <span>
#include <vector>

namespace linerate::fake {

// Throws Error when the call of rank `rank` of `nranks` is malformed: buffers too small for its
// count, a peer that does not exist, or ranges that do not fit.
void check_call(const Op& op, int rank, int nranks);

// Moves the data of one collective; calls[r] is rank r's, in place or not. Throws Error when the
// ranks' calls do not belong together. `scratch` is kept from call to call, so that memory for it
// is touched once. REQUIRES: check_call() passed; no send, recv or send_recv.
void move_data(std::span<const Op* const> calls, std::vector<std::byte>& scratch);

// The range of recv that the call fills on this rank (all_to_all_v: the first that is not empty);
// empty where it receives nothing.
View received(const Op& op, int rank, int nranks);

}  // namespace linerate::fake
