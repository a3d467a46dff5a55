// SIGCHLD as the system has it by default, as long as one lives.
#pragma once

#include <csignal>

namespace linerate {

// Where whoever started this process had SIGCHLD ignored, as some daemons and schedulers do, the
// system throws the exit codes of children away, and waitpid() fails. REQUIRES: only one at a time.
class DefaultChildSignal {
 public:
  DefaultChildSignal() {
    struct sigaction standard {};
    standard.sa_handler = SIG_DFL;
    (void)::sigaction(SIGCHLD, &standard, &before_);
  }
  ~DefaultChildSignal() { restore(); }
  DefaultChildSignal(const DefaultChildSignal&) = delete;
  DefaultChildSignal& operator=(const DefaultChildSignal&) = delete;

  void restore() const { (void)::sigaction(SIGCHLD, &before_, nullptr); }

 private:
  struct sigaction before_ {};
};

}  // namespace linerate
