// A thread beside the program's own, which takes none of its signals.
#pragma once

#include "base/error.h"

#include <pthread.h>
#include <signal.h>

#include <system_error>
#include <thread>
#include <utility>

namespace linerate {

// Signals are for the program's own threads: the new thread has all of them blocked from the start.
// Throws Error that says what lacks where the system grants no further thread.
template <typename Body>
std::thread quiet_thread(Body body) {
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  try {
    std::thread thread(std::move(body));
    pthread_sigmask(SIG_SETMASK, &before, nullptr);
    return thread;
  } catch (const std::system_error&) {
    pthread_sigmask(SIG_SETMASK, &before, nullptr);
    throw Error(
        "this process may start no further thread: raise the limit of threads (ulimit -u, or "
        "pids.max of its control group) or of memory");
  }
}

}  // namespace linerate
