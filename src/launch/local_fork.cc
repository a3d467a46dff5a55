// The parent waits for signals alone: SIGCHLD tells of children that end, stop and go on.
#include "launch/local_fork.h"

#include "base/child_signal.h"
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
    ::sigaddset(&set_, SIGCHLD);
    for (const int signal : kEndingSignals)
      if (!is_ignored(signal)) ::sigaddset(&set_, signal);
    ::pthread_sigmask(SIG_BLOCK, &set_, &before_);
  }
  ~WaitedSignals() { restore(); }
  WaitedSignals(const WaitedSignals&) = delete;
  WaitedSignals& operator=(const WaitedSignals&) = delete;

  void restore() const {
    child_signal_.restore();
    ::pthread_sigmask(SIG_SETMASK, &before_, nullptr);
  }

  // The next signal; nothing when none comes within `wait_ms`, where -1 is for ever.
  std::optional<siginfo_t> next(int wait_ms) const {
    siginfo_t info{};
    if (wait_ms < 0) {
      if (::sigwaitinfo(&set_, &info) < 0) return std::nullopt;
      return info;
    }
    const timespec left{wait_ms / 1000, wait_ms % 1000 * 1'000'000L};
    if (::sigtimedwait(&set_, &info, &left) < 0) return std::nullopt;
    return info;
  }

 private:
  // As nohup does with SIGHUP: a blocked signal would arrive all the same.
  static bool is_ignored(int signal) {
    struct sigaction action {};
    return ::sigaction(signal, nullptr, &action) == 0 && action.sa_handler == SIG_IGN;
  }

  sigset_t set_{};
  sigset_t before_{};
  DefaultChildSignal child_signal_;
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
  bool stopped = false;  // by a signal, and not continued
};

// For how long something has been seen without a break. A look that comes late breaks it: whoever
// looks may have been stopped itself, with all the others.
class SeenFor {
 public:
  static constexpr int kLookMs = 250;

  double seconds(bool seen, std::int64_t now_ns) {
    constexpr std::int64_t kLateNs = 4 * std::int64_t{kLookMs} * 1'000'000;
    if (!seen || since_ns_ == 0 || now_ns - looked_ns_ > kLateNs) since_ns_ = now_ns;
    looked_ns_ = now_ns;
    if (!seen) since_ns_ = 0;
    return seen ? static_cast<double>(now_ns - since_ns_) * 1e-9 : 0;
  }

 private:
  std::int64_t since_ns_ = 0;  // 0: it was not seen
  std::int64_t looked_ns_ = 0;
};

class Family {
 public:
  Family(const WaitedSignals& signals, const ForkOptions& options)
      : signals_(signals), options_(options) {}
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
  void note_lost(const Child& child);
  bool all_ended() const { return std::ranges::all_of(children_, &Child::ended); }
  // Why the remaining children are killed now; empty: they are not.
  std::string why_kill();
  int wait_ms() const;
  std::string text_of(const Child& child) const;
  void note_hung();
  void kill_all() noexcept;

  const WaitedSignals& signals_;
  ForkOptions options_;
  SteadyClock clock_;
  std::vector<Child> children_;
  ExitCode code_ = ExitCode::ok;
  bool one_was_killed_ = false;                 // by somebody else
  std::optional<std::int64_t> interrupted_ns_;  // the first request to end
  bool gave_up_ = false;
  Deadline grace_;       // unbounded until something goes wrong
  SeenFor all_stopped_;  // the children that have not ended
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
  const bool asked_to =
      interrupted_ns_ && std::ranges::find(kEndingSignals, signal) != kEndingSignals.end();
  if (asked_to) code_ = worse_of(code_, ExitCode::interrupted);
  if (asked_to || gave_up_) return;
  one_was_killed_ = true;
  say(fmt::format("{} was killed by signal {} ({})", text_of(child), signal, ::strsignal(signal)));
}

void Family::note_lost(const Child& child) {
  if (options_.report != nullptr) options_.report->lost.push_back(child.process);
}

// Of those that have to be killed. Where another one was lost before they could watch each other,
// they wait for that one, and are as good as new.
void Family::note_hung() {
  const bool waits_for_lost = options_.report != nullptr && !options_.report->lost.empty();
  for (const auto& child : children_)
    if (!child.ended && (child.stopped || !waits_for_lost)) note_lost(child);
}

std::string Family::text_of(const Child& child) const {
  return fmt::format("{} ({}, pid {})", ranks_text(child.process, options_.ranks_per_process),
                     this_host().hostname, child.pid);
}

void Family::note_end(Child& child, int status) {
  child.ended = true;
  if (WIFSIGNALED(status)) note_killed(child, WTERMSIG(status));
  const auto code = WIFEXITED(status) ? static_cast<ExitCode>(WEXITSTATUS(status)) : ExitCode::lost;
  if (WIFEXITED(status)) code_ = worse_of(code_, code);
  const bool as_planned = code == ExitCode::ok || code == ExitCode::finding;
  const bool heard_of_it =
      WIFEXITED(status) && (code == ExitCode::lost || code == ExitCode::interrupted);
  if (!as_planned && !heard_of_it) note_lost(child);
  if (as_planned || grace_.bounded()) return;
  grace_ = Deadline::after(clock_, kForkGraceS);
  if (options_.report != nullptr) options_.report->noticed_ns = clock_.now_ns();
}

void Family::reap() {
  for (auto& child : children_) {
    int status = 0;
    while (!child.ended &&
           ::waitpid(child.pid, &status, WNOHANG | WUNTRACED | WCONTINUED) == child.pid) {
      child.stopped = WIFSTOPPED(status);
      if (WIFEXITED(status) || WIFSIGNALED(status)) note_end(child, status);
    }
  }
}

void Family::react_to(const siginfo_t& signal) {
  if (signal.si_signo == SIGCHLD) return;
  const auto now_ns = clock_.now_ns();
  const auto first_ns = interrupted_ns_.value_or(now_ns);
  if (interrupted_ns_ && static_cast<double>(now_ns - first_ns) < kSameRequestS * 1e9) return;
  // Asked twice, the ranks have had their time; one that is stopped would never end.
  if (interrupted_ns_ && !grace_.bounded()) grace_ = Deadline::after(clock_, kForkGraceS);
  interrupted_ns_ = first_ns;
  if (options_.report != nullptr) options_.report->interrupted = true;
  // A terminal sends Ctrl-C to the whole group: the children have it already.
  if (signal.si_code == SI_KERNEL) return;
  for (const auto& child : children_)
    if (!child.ended) (void)::kill(child.pid, signal.si_signo);
}

std::string Family::why_kill() {
  // Children that are continued together with their parent are seen stopped for a moment.
  constexpr double kMomentS = 0.5;
  std::string stopped;
  bool all_stopped = true;
  for (const auto& child : children_) {
    if (child.ended) continue;
    all_stopped &= child.stopped;
    stopped += (stopped.empty() ? "" : ", ") + text_of(child);
  }
  const auto seconds = all_stopped_.seconds(all_stopped, clock_.now_ns());
  if (grace_.bounded() && seconds >= kMomentS) return stopped + " stopped: killing what remains";
  if (options_.timeout_s > 0 && seconds >= options_.timeout_s)
    return fmt::format("{} stopped for {:.1f} s: killing them", stopped, seconds);
  if (grace_.passed()) return "the remaining ranks do not end by themselves: killing them";
  return {};
}

int Family::wait_ms() const {
  const bool looks = options_.timeout_s > 0 || grace_.bounded();
  if (!looks) return -1;
  return grace_.bounded() ? std::min(grace_.poll_ms(), SeenFor::kLookMs) : SeenFor::kLookMs;
}

ExitCode Family::wait_for_all() {
  for (reap(); !all_ended(); reap()) {
    if (const auto why = why_kill(); !why.empty()) {
      gave_up_ = true;
      note_hung();
      say(why);
      kill_all();
      code_ = worse_of(code_, ExitCode::lost);
      break;
    }
    if (const auto signal = signals_.next(wait_ms())) react_to(*signal);
  }
  return one_was_killed_ ? ExitCode::lost : code_;
}

// Later ones say more about the cause.
constexpr std::array kByWeight{ExitCode::ok,          ExitCode::finding, ExitCode::lost,
                               ExitCode::interrupted, ExitCode::failed,  ExitCode::unavailable,
                               ExitCode::usage};

// A code that is none of ours is a sanitizer's or a library's: it stands for `failed`.
const ExitCode* weight(ExitCode code) {
  const auto* found = std::ranges::find(kByWeight, code);
  return found != kByWeight.end() ? found : std::ranges::find(kByWeight, ExitCode::failed);
}

}  // namespace

ExitCode worse_of(ExitCode one, ExitCode other) { return *std::max(weight(one), weight(other)); }

ExitCode fork_process(const Identity& identity,
                      const std::function<ExitCode(const Identity&)>& body,
                      const ForkOptions& options) {
  (void)std::fflush(nullptr);
  const WaitedSignals signals;
  Family family(signals, options);
  family.start(identity, body);
  if (identity.listener_fd >= 0) ::close(identity.listener_fd);  // the store ends with its rank
  return family.wait_for_all();
}

ExitCode fork_processes(int nprocs, const std::function<ExitCode(const Identity&)>& body,
                        const ForkOptions& options) {
  assert(nprocs > 0);
  auto listener = open_loopback();
  Identity identity{.launcher = Launcher::nprocs,
                    .nranks = nprocs,
                    .master_host = "127.0.0.1",
                    .master_port = listener.address().port,
                    .token = random_token(),
                    .ranks_per_process = options.ranks_per_process};
  (void)std::fflush(nullptr);  // else every child would write the buffered bytes again
  const WaitedSignals signals;
  Family family(signals, options);
  for (identity.rank = 0; identity.rank < nprocs; ++identity.rank) {
    identity.listener_fd = identity.rank == 0 ? listener.fd() : -1;
    family.start(identity, body);
    // The store must end with rank 0, so nobody else keeps its socket.
    if (identity.rank == 0) listener = Listener();
  }
  return family.wait_for_all();
}

}  // namespace linerate
