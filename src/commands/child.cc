// Captured text goes to memory files, so that nobody has to read while the child runs.
#include "commands/child.h"

#include "base/child_signal.h"
#include "base/clock.h"
#include "base/error.h"
#include "base/handle.h"
#include "launch/local_fork.h"
#include "launch/quiet_thread.h"

#include <poll.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <deque>
#include <iterator>

namespace linerate {
namespace {

constexpr int kLookMs = 200;      // how soon an interruption is noticed that came between two looks
constexpr double kPatienceS = 3;  // of a captured child that was asked to end

// Memory files; empty where the child shares this process' streams.
struct Streams {
  FileDescriptor in{}, out{}, err{};
};

FileDescriptor memory_file(const char* name) {
  return FileDescriptor(check_system(::memfd_create(name, MFD_CLOEXEC), "memfd_create"));
}

FileDescriptor memory_file_of(std::string_view text) {
  auto file = memory_file("stdin");
  const auto written = ::write(file.get(), text.data(), text.size());
  if (written != std::ssize(text))
    throw SystemError(written < 0 ? errno : EFBIG, "what a program reads");
  (void)::lseek(file.get(), 0, SEEK_SET);
  return file;
}

std::string text_of(const FileDescriptor& file) {
  std::string text;
  std::array<char, 65536> piece{};
  while (text.size() < kMostOutputBytes) {
    const auto got =
        ::pread(file.get(), piece.data(), piece.size(), static_cast<off_t>(text.size()));
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) break;
    text.append(piece.data(), static_cast<std::size_t>(got));
  }
  return text;
}

std::size_t size_of(const FileDescriptor& file) {
  const auto size = ::lseek(file.get(), 0, SEEK_END);
  return size > 0 ? static_cast<std::size_t>(size) : 0;
}

// What this process ignores, a child must not: it expects the system's defaults.
void restore_signals() {
  std::signal(SIGPIPE, SIG_DFL);
  std::signal(SIGXFSZ, SIG_DFL);
}

// Until exec a child has this process' handlers, which would answer an end that is asked of it.
void forget_handlers() {
  for (const int signal : kEndingSignals)
    if (std::signal(signal, SIG_DFL) == SIG_IGN) std::signal(signal, SIG_IGN);
}

pid_t fork_without_handlers() {
  const SignalsBlocked until_forgotten;
  const auto pid = check_system(::fork(), "fork");
  if (pid == 0) forget_handlers();
  return pid;
}

// In the child: never returns.
[[noreturn]] void become(const ChildCall& call, const Streams& streams, pid_t parent) {
  (void)::prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (::getppid() != parent) ::_exit(kCannotStart);  // it died before the prctl
  restore_signals();
  if (streams.in) (void)::dup2(streams.in.get(), STDIN_FILENO);
  if (call.captured) {
    (void)::setpgid(0, 0);
    (void)::dup2(streams.out.get(), STDOUT_FILENO);
    (void)::dup2(streams.err.get(), STDERR_FILENO);
  } else if (call.prints_on_stderr) {
    (void)::dup2(STDERR_FILENO, STDOUT_FILENO);
  }
  for (const auto& [name, value] : call.variables) ::setenv(name.c_str(), value.c_str(), 1);
  std::vector<char*> argv;
  for (const auto& word : call.argv) argv.push_back(const_cast<char*>(word.c_str()));
  argv.push_back(nullptr);
  ::execvp(call.program.c_str(), argv.data());
  std::perror(call.program.c_str());
  ::_exit(kCannotStart);
}

int code_of(int status) { return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status); }

class Child {
 public:
  explicit Child(const ChildCall& call) : captured_(call.captured) {
    if (call.input) streams_.in = memory_file_of(*call.input);
    if (captured_) {
      streams_.out = memory_file("stdout");
      streams_.err = memory_file("stderr");
    }
    (void)std::fflush(nullptr);  // else the child would write the buffered bytes again
    began_ns_ = clock_.now_ns();
    const auto parent = ::getpid();
    pid_ = fork_without_handlers();
    if (pid_ == 0) become(call, streams_, parent);
    if (captured_) (void)::setpgid(pid_, pid_);  // whoever comes first
    handle_ = FileDescriptor(static_cast<int>(::syscall(SYS_pidfd_open, pid_, 0)));
  }

  // Where something failed meanwhile, nothing goes on behind it.
  ~Child() {
    if (ended_) return;
    (void)::kill(captured_ ? -pid_ : pid_, SIGKILL);
    (void)::waitpid(pid_, nullptr, 0);
  }
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;

  // Whether it has ended, which is told once.
  bool just_ended() {
    int status = 0;
    if (ended_ || check_system(::waitpid(pid_, &status, WNOHANG), "waitpid") == 0) return false;
    if (captured_) (void)::kill(-pid_, SIGKILL);  // what it left behind
    ended_ = true;
    end_.code = code_of(status);
    end_.seconds = static_cast<double>(clock_.now_ns() - began_ns_) * 1e-9;
    return true;
  }

  void ask_to_end() {
    if (ended_) return;
    const auto now_s = static_cast<double>(clock_.now_ns()) * 1e-9;
    if (!asked_s_) {
      asked_s_ = now_s;
      (void)::kill(captured_ ? -pid_ : pid_, captured_ ? SIGTERM : SIGINT);
    } else if (captured_ && now_s - *asked_s_ > kPatienceS) {
      (void)::kill(-pid_, SIGKILL);
    }
  }

  int code() const { return end_.code; }
  int handle() const { return ended_ ? -1 : handle_.get(); }  // -1 also of a kernel before 5.3

  ChildEnd end() {
    if (!captured_) return end_;
    end_.output = text_of(streams_.out);
    end_.cut = size_of(streams_.out) > end_.output.size();
    end_.errors = text_of(streams_.err);
    return std::move(end_);
  }

 private:
  bool captured_;
  Streams streams_;
  pid_t pid_ = 0;
  FileDescriptor handle_;
  SteadyClock clock_;
  std::int64_t began_ns_ = 0;
  std::optional<double> asked_s_;
  bool ended_ = false;
  ChildEnd end_;
};

// Until a child ends, a signal comes, or some time has passed.
void pause(const std::deque<Child>& children) {
  constexpr int kLookWithoutHandleMs = 20;
  std::vector<pollfd> ends;
  for (const auto& child : children)
    if (child.handle() >= 0) ends.push_back({.fd = child.handle(), .events = POLLIN, .revents = 0});
  (void)::poll(ends.data(), ends.size(), ends.empty() ? kLookWithoutHandleMs : kLookMs);
}

}  // namespace

bool is_failure(int code) {
  return code != static_cast<int>(ExitCode::ok) && code != static_cast<int>(ExitCode::finding);
}

ChildEnd run_child(const ChildCall& call, const std::function<bool()>& interrupted) {
  return std::move(run_children({call}, interrupted).front());
}

std::vector<ChildEnd> run_children(const std::vector<ChildCall>& calls,
                                   const std::function<bool()>& interrupted,
                                   const ChildEvents& events) {
  const DefaultChildSignal keeps_codes;
  std::deque<Child> children;
  for (const auto& call : calls) children.emplace_back(call);
  if (events.started) events.started();
  bool failed = false;
  for (auto left = children.size(); left > 0;) {
    for (std::size_t i = 0; i < children.size(); ++i) {
      auto& child = children[i];
      if (!child.just_ended()) continue;
      --left;
      failed = failed || is_failure(child.code());
      if (events.ended) events.ended(i, child.code());
    }
    if (failed || (interrupted && interrupted()))
      for (auto& child : children) child.ask_to_end();
    if (left > 0) pause(children);
  }
  std::vector<ChildEnd> ends;
  for (auto& child : children) ends.push_back(child.end());
  return ends;
}

}  // namespace linerate
