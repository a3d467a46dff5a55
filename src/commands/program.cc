// One flag holds what signals said; the rest reads it.
#include "commands/program.h"

#include "base/log.h"
#include "launch/local_fork.h"

#include <fcntl.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <ctime>
#include <exception>
#include <string_view>

namespace linerate {
namespace {

constexpr auto kSameRequestNs = static_cast<std::int64_t>(kSameRequestS * 1e9);
constexpr std::int64_t kNotYet = 0;
constexpr std::int64_t kNotYetAndMute = -1;  // somebody else answers
constexpr std::string_view kAnswer =
    "linerate: interrupted: waiting for the calls under way; once more to end at once\n";
constexpr std::string_view kEnd = "linerate: interrupted\n";

std::atomic<std::int64_t> interrupted_ns{kNotYet};  // CLOCK_MONOTONIC

std::int64_t monotonic_ns() {
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC, &now);
  return std::int64_t{now.tv_sec} * 1'000'000'000 + now.tv_nsec;
}

// The first signal asks for the footer at the next pause, which a call that hangs never reaches; a
// second one ends at once. What follows the first immediately is the same request, sent by a shell
// and a launcher both.
extern "C" void on_interrupt(int) {
  const auto now_ns = monotonic_ns();
  auto first_ns = interrupted_ns.load();
  while (first_ns <= kNotYet)
    if (interrupted_ns.compare_exchange_weak(first_ns, now_ns)) {
      const int error = errno;
      if (first_ns == kNotYet) (void)!write(STDERR_FILENO, kAnswer.data(), kAnswer.size());
      errno = error;
      return;
    }
  if (now_ns - first_ns > kSameRequestNs) _exit(static_cast<int>(ExitCode::interrupted));
}

// Of commands that have nothing to save.
extern "C" void end_on_interrupt(int) {
  (void)!write(STDERR_FILENO, kEnd.data(), kEnd.size());
  _exit(static_cast<int>(ExitCode::interrupted));
}

// Of a job of several processes one speaks, and while it starts the guard of the start does.
void answer_interrupts(bool answers) {
  auto before = answers ? kNotYetAndMute : kNotYet;
  interrupted_ns.compare_exchange_strong(before, answers ? kNotYet : kNotYetAndMute);
}

void catch_interrupts(void (*handler)(int)) {
  struct sigaction action {};
  action.sa_handler = handler;
  action.sa_flags = SA_RESTART;
  for (const int signal : kEndingSignals) {
    struct sigaction before {};
    sigaction(signal, nullptr, &before);
    const bool nohup = signal == SIGHUP && before.sa_handler == SIG_IGN;
    if (!nohup) sigaction(signal, &action, nullptr);
  }
}

void ignore_failed_writes() {
  std::signal(SIGPIPE, SIG_IGN);  // a closed pipe is an error of the write, not of the process
  std::signal(SIGXFSZ, SIG_IGN);  // as is a file beyond `ulimit -f`
}

// A file that is opened later must not become the closed stdout or stderr.
void open_missing_stdio() {
  for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; ++fd)
    if (fcntl(fd, F_GETFD) == -1) (void)!open("/dev/null", O_RDWR);
}

// A library that writes to stdout, as NCCL does with NCCL_DEBUG, buffers whole pages by itself: the
// table would come in the middle of one of its lines.
void write_library_lines_at_once() { (void)std::setvbuf(stdout, nullptr, _IOLBF, BUFSIZ); }

// What help and lists printed has reached its reader; the table is written at once anyway.
bool flushed() { return std::fflush(stdout) == 0 && std::ferror(stdout) == 0; }

// After a failure that reaches main no exit handlers run: those of a library whose work failed may
// wait for that work, as CUDA's do for a GPU that hangs.
[[noreturn]] void leave(const char* sentence, ExitCode code) {
  say(sentence);
  (void)std::fflush(nullptr);
  _exit(static_cast<int>(code));
}

}  // namespace

Signals catch_signals(bool keeps_what_it_has) {
  catch_interrupts(keeps_what_it_has ? on_interrupt : end_on_interrupt);
  return {.interrupted = [] { return interrupted_ns.load() > kNotYet; },
          .answer_interrupts = answer_interrupts};
}

int run_program(const std::function<ExitCode()>& body) {
  try {
    open_missing_stdio();
    ignore_failed_writes();
    write_library_lines_at_once();
    const auto code = body();
    if (!flushed()) throw SystemError(errno, "Not all of the output could be written to stdout");
    return static_cast<int>(code);
  } catch (const Error& error) {
    leave(error.what(), error.exit_code());
  } catch (const std::exception& error) {
    leave(error.what(), ExitCode::failed);
  }
}

}  // namespace linerate
