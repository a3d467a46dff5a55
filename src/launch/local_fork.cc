// See local_fork.h.
#include "launch/local_fork.h"

#include "base/clock.h"
#include "base/error.h"
#include "base/log.h"
#include "launch/net/socket.h"
#include "launch/place.h"
#include "launch/watch/watch.h"

#include <fmt/format.h>

#include <sys/prctl.h>
#include <sys/random.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cassert>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <optional>
#include <vector>

namespace linerate {
namespace {

static_assert(kForkGraceS > Watch::kGraceS);

// The signals that the parent waits for, blocked as long as it lives.
class WaitedSignals {
 public:
  WaitedSignals() {
    ::sigemptyset(&set_);
    for (const int signal : {SIGCHLD, SIGINT, SIGTERM}) ::sigaddset(&set_, signal);
    ::pthread_sigmask(SIG_BLOCK, &set_, &before_);
    // Where SIGCHLD is ignored, the system would throw the children's codes away.
    struct sigaction standard {};
    standard.sa_handler = SIG_DFL;
    ::sigaction(SIGCHLD, &standard, &child_before_);
  }
  ~WaitedSignals() { restore(); }
  WaitedSignals(const WaitedSignals&) = delete;
  WaitedSignals& operator=(const WaitedSignals&) = delete;

  void restore() const {
    ::sigaction(SIGCHLD, &child_before_, nullptr);
    ::pthread_sigmask(SIG_SETMASK, &before_, nullptr);
  }

  // The next signal; nothing when the deadline passes first.
  std::optional<siginfo_t> next(const Deadline& deadline) const {
    siginfo_t info{};
    if (!deadline.bounded()) {
      if (::sigwaitinfo(&set_, &info) < 0) return std::nullopt;
      return info;
    }
    const int left_ms = deadline.poll_ms();
    const timespec left{left_ms / 1000, left_ms % 1000 * 1'000'000L};
    if (::sigtimedwait(&set_, &info, &left) < 0) return std::nullopt;
    return info;
  }

 private:
  sigset_t set_{};
  sigset_t before_{};
  struct sigaction child_before_ {};
};

std::string random_token() {
  std::array<unsigned char, 16> bytes{};
  if (::getrandom(bytes.data(), bytes.size(), 0) != static_cast<ssize_t>(bytes.size()))
    throw SystemError(errno, "getrandom");
  return fmt::format("{:02x}", fmt::join(bytes, ""));
}

// A socket that listens on loopback, after a connection through it has succeeded.
Listener open_loopback() {
  constexpr double kLoopbackS = 1.0;
  const SteadyClock clock;
  const auto deadline = Deadline::after(clock, kLoopbackS);
  try {
    auto listener = Listener::open({"127.0.0.1", 0});
    const auto probe = connect_to(listener.address(), deadline);
    (void)listener.accept(deadline);
    return listener;
  } catch (const Error& error) {
    throw Unavailable(
        fmt::format("--nprocs needs TCP over the loopback interface: {}. Is the "
                    "interface lo up (ip link set lo up)? Or use -t instead.",
                    error.what()));
  }
}

struct Child {
  int process = 0;
  pid_t pid = 0;
  bool ended = false;
};

class Family {
 public:
  Family(const WaitedSignals& signals, int ranks_per_process)
      : signals_(signals), ranks_per_process_(ranks_per_process) {}
  ~Family() { kill_all(); }

  void start(const Identity& identity, const std::function<ExitCode(const Identity&)>& body);
  ExitCode wait_for_all();

 private:
  [[noreturn]] void run_child(pid_t parent, const Identity& identity,
                              const std::function<ExitCode(const Identity&)>& body) const;
  void react_to(const siginfo_t& signal);
  void reap();
  void note_end(Child& child, int status);
  void note_killed(const Child& child, int signal);
  bool all_ended() const { return std::ranges::all_of(children_, &Child::ended); }
  void kill_all() noexcept;

  const WaitedSignals& signals_;
  int ranks_per_process_;
  SteadyClock clock_;
  std::vector<Child> children_;
  ExitCode code_ = ExitCode::ok;
  bool one_was_killed_ = false;  // by somebody else
  bool interrupted_ = false;
  bool out_of_patience_ = false;
  Deadline grace_;  // unbounded until something goes wrong
};

void Family::run_child(pid_t parent, const Identity& identity,
                       const std::function<ExitCode(const Identity&)>& body) const {
  signals_.restore();
  (void)::prctl(PR_SET_PDEATHSIG, SIGKILL);
  auto code = ExitCode::failed;
  try {
    if (::getppid() == parent) code = body(identity);  // else the parent died before the prctl
  } catch (const Error& error) {
    say(error.what());
    code = error.exit_code();
  } catch (const std::exception& error) {
    say(error.what());
  }
  (void)std::fflush(nullptr);
  ::_exit(static_cast<int>(code));
}

void Family::start(const Identity& identity, const std::function<ExitCode(const Identity&)>& body) {
  const auto parent = ::getpid();
  const auto pid = check_system(::fork(), "fork");
  if (pid == 0) run_child(parent, identity, body);
  children_.push_back({.process = identity.rank, .pid = pid});
}

void Family::kill_all() noexcept {
  for (auto& child : children_) {
    if (child.ended) continue;
    (void)::kill(child.pid, SIGKILL);
    (void)::waitpid(child.pid, nullptr, 0);
    child.ended = true;
  }
}

void Family::note_killed(const Child& child, int signal) {
  // Ends that this parent caused, or passed on, need no line.
  const bool asked_to = interrupted_ && (signal == SIGINT || signal == SIGTERM);
  if (asked_to) code_ = worse_of(code_, ExitCode::interrupted);
  if (asked_to || out_of_patience_) return;
  one_was_killed_ = true;
  say(fmt::format("{} ({}, pid {}) was killed by signal {} ({})",
                  ranks_text(child.process, ranks_per_process_), this_host().hostname, child.pid,
                  signal, ::strsignal(signal)));
}

void Family::note_end(Child& child, int status) {
  child.ended = true;
  if (WIFSIGNALED(status)) note_killed(child, WTERMSIG(status));
  const auto code = WIFEXITED(status) ? static_cast<ExitCode>(WEXITSTATUS(status)) : ExitCode::lost;
  if (WIFEXITED(status)) code_ = worse_of(code_, code);
  const bool as_planned = code == ExitCode::ok || code == ExitCode::finding;
  if (!as_planned && !grace_.bounded()) grace_ = Deadline::after(clock_, kForkGraceS);
}

void Family::reap() {
  for (auto& child : children_) {
    int status = 0;
    if (!child.ended && ::waitpid(child.pid, &status, WNOHANG) == child.pid)
      note_end(child, status);
  }
}

void Family::react_to(const siginfo_t& signal) {
  if (signal.si_signo == SIGCHLD) return;
  // Asked twice, the ranks have had their time; one that is stopped would never end.
  if (std::exchange(interrupted_, true) && !grace_.bounded())
    grace_ = Deadline::after(clock_, kForkGraceS);
  // A terminal sends Ctrl-C to the whole group: the children have it already.
  if (signal.si_code == SI_KERNEL) return;
  for (const auto& child : children_)
    if (!child.ended) (void)::kill(child.pid, signal.si_signo);
}

ExitCode Family::wait_for_all() {
  for (reap(); !all_ended(); reap()) {
    if (grace_.passed()) {
      out_of_patience_ = true;
      say("the remaining ranks do not end by themselves: killing them");
      kill_all();
      code_ = worse_of(code_, ExitCode::lost);
      break;
    }
    if (const auto signal = signals_.next(grace_)) react_to(*signal);
  }
  return one_was_killed_ ? ExitCode::lost : code_;
}

// Higher says more about the cause.
int weight(ExitCode code) {
  switch (code) {
    case ExitCode::ok:
      return 0;
    case ExitCode::finding:
      return 1;
    case ExitCode::lost:
      return 2;
    case ExitCode::interrupted:
      return 3;
    case ExitCode::failed:
      return 4;
    case ExitCode::unavailable:
      return 5;
    case ExitCode::usage:
      return 6;
  }
  return 4;  // a code that is none of ours: a sanitizer's, a library's
}

}  // namespace

ExitCode worse_of(ExitCode one, ExitCode other) {
  const auto worse = weight(other) > weight(one) ? other : one;
  return weight(worse) == weight(ExitCode::failed) ? ExitCode::failed : worse;
}

ExitCode fork_processes(int nprocs, const std::function<ExitCode(const Identity&)>& body,
                        int ranks_per_process) {
  assert(nprocs > 0);
  auto listener = open_loopback();
  Identity identity{.launcher = Launcher::nprocs,
                    .nranks = nprocs,
                    .master_host = "127.0.0.1",
                    .master_port = listener.address().port,
                    .token = random_token(),
                    .ranks_per_process = ranks_per_process};
  (void)std::fflush(nullptr);  // else every child would write the buffered bytes again
  const WaitedSignals signals;
  Family family(signals, ranks_per_process);
  for (identity.rank = 0; identity.rank < nprocs; ++identity.rank) {
    identity.listener_fd = identity.rank == 0 ? listener.fd() : -1;
    family.start(identity, body);
    // The store must end with rank 0, so nobody else keeps its socket.
    if (identity.rank == 0) listener = Listener();
  }
  return family.wait_for_all();
}

}  // namespace linerate
