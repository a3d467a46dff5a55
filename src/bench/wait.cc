// See wait.h.
#include "bench/wait.h"

#include <sched.h>

namespace linerate {

void wait_for_all(std::span<Stream* const> streams) {
  if (streams.size() == 1) return streams.front()->synchronize(Deadline::never());
  for (;;) {
    bool idle = true;
    for (Stream* const stream : streams) idle &= stream->idle();
    if (idle) return;
    for (Stream* const stream : streams) stream->check();
    sched_yield();
  }
}

}  // namespace linerate
