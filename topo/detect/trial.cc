// See trial.h.
#include "topo/detect/trial.h"

#include <fcntl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <fstream>

namespace linerate::topo {
namespace {

constexpr int kYes = 10, kNo = 11;  // exit codes that no other end of a process has

// Sanitizers reserve terabytes, so that only growth can be limited. 0: not known.
std::size_t address_space_bytes() {
  std::ifstream statm("/proc/self/statm");
  std::size_t pages = 0;
  statm >> pages;
  return pages * static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
}

void lower(int resource, rlim_t most) {
  const rlimit limit{most, most};
  (void)::setrlimit(resource, &limit);
}

// Its end is ours to tell, not that of handlers or of a core file.
void become_silent() {
  for (const int signal : {SIGSEGV, SIGBUS, SIGABRT, SIGFPE, SIGILL, SIGXCPU, SIGTERM, SIGINT})
    (void)std::signal(signal, SIG_DFL);
  lower(RLIMIT_CORE, 0);
  const int nowhere = ::open("/dev/null", O_WRONLY | O_CLOEXEC);
  if (nowhere >= 0) (void)::dup2(nowhere, STDERR_FILENO);
}

void stay_within(const TrialLimits& limits, std::size_t begun_with_bytes) {
  lower(RLIMIT_CPU, limits.seconds);
  if (begun_with_bytes > 0) lower(RLIMIT_AS, begun_with_bytes + limits.more_bytes);
}

}  // namespace

Trial try_apart(const std::function<bool()>& what, const TrialLimits& limits) {
  const auto bytes = address_space_bytes();
  const auto child = ::fork();
  if (child < 0) return Trial::yes;
  if (child == 0) {
    become_silent();
    stay_within(limits, bytes);
    // An exception ends the child where it is: nothing of its caller may run twice.
    const auto answer = [&]() noexcept { return what(); };
    ::_exit(answer() ? kYes : kNo);
  }
  int status = 0;
  while (::waitpid(child, &status, 0) < 0)
    if (errno != EINTR) return Trial::yes;
  if (!WIFEXITED(status)) return Trial::broke;
  if (WEXITSTATUS(status) == kNo) return Trial::no;
  return WEXITSTATUS(status) == kYes ? Trial::yes : Trial::broke;
}

}  // namespace linerate::topo
