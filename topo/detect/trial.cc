// See trial.h.
#include "topo/detect/trial.h"

#include <fcntl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>

namespace linerate::topo {
namespace {

constexpr int kYes = 10, kNo = 11;  // exit codes that no other end of a process has
constexpr rlim_t kMostSeconds = 3;  // of processor time: a busy machine does not count

// Its end is ours to tell, not that of handlers or of a core file.
void become_silent() {
  for (const int signal : {SIGSEGV, SIGBUS, SIGABRT, SIGFPE, SIGILL, SIGXCPU, SIGTERM, SIGINT})
    (void)std::signal(signal, SIG_DFL);
  const rlimit no_core{0, 0};
  (void)::setrlimit(RLIMIT_CORE, &no_core);
  const rlimit most_time{kMostSeconds, kMostSeconds};
  (void)::setrlimit(RLIMIT_CPU, &most_time);
  const int nowhere = ::open("/dev/null", O_WRONLY | O_CLOEXEC);
  if (nowhere >= 0) (void)::dup2(nowhere, STDERR_FILENO);
}

}  // namespace

Trial try_apart(const std::function<bool()>& what) {
  const auto child = ::fork();
  if (child < 0) return Trial::yes;
  if (child == 0) {
    become_silent();
    ::_exit(what() ? kYes : kNo);
  }
  int status = 0;
  while (::waitpid(child, &status, 0) < 0)
    if (errno != EINTR) return Trial::yes;
  if (!WIFEXITED(status)) return Trial::broke;
  if (WEXITSTATUS(status) == kNo) return Trial::no;
  return WEXITSTATUS(status) == kYes ? Trial::yes : Trial::broke;
}

}  // namespace linerate::topo
