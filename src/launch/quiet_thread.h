// A thread beside the program's own, which takes none of its signals.
#pragma once

#include "base/error.h"

#include <pthread.h>
#include <signal.h>

#include <system_error>
#include <thread>
#include <utility>

namespace linerate {

// In its lifetime this thread takes none of the program's signals, and threads that it starts never
// do: those are for the program's own threads.
class SignalsBlocked {
 public:
  SignalsBlocked() {
    sigset_t all;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before_);
  }
  ~SignalsBlocked() { pthread_sigmask(SIG_SETMASK, &before_, nullptr); }
  SignalsBlocked(const SignalsBlocked&) = delete;
  SignalsBlocked& operator=(const SignalsBlocked&) = delete;

 private:
  sigset_t before_{};
};

// Throws Error that says what lacks where the system grants no further thread.
template <typename Body>
std::thread quiet_thread(Body body) {
  const SignalsBlocked blocked;
  try {
    return std::thread(std::move(body));
  } catch (const std::system_error&) {
    throw Error(
        "this process may start no further thread: raise the limit of threads (ulimit -u, or "
        "pids.max of its control group) or of memory");
  }
}

}  // namespace linerate
