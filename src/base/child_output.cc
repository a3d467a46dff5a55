// The other process writes to a pipe, and is killed when its time is over; it dies with this one.
#include "base/child_output.h"

#include "base/child_signal.h"
#include "base/clock.h"
#include "base/error.h"
#include "base/handle.h"

#include <fmt/format.h>

#include <fcntl.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <csignal>
#include <optional>

namespace linerate {
namespace {

constexpr int kNotFound = 127;  // as a shell says it

// Its status, once it has ended; nothing: it has not in time, as one that waits in a driver.
std::optional<int> status_of(pid_t child, const Deadline& deadline) {
  constexpr int kStepMs = 2;
  for (int status = 0;;) {
    const auto ended = ::waitpid(child, &status, WNOHANG);
    if (ended == child) return status;
    if ((ended < 0 && errno != EINTR) || deadline.passed()) return std::nullopt;
    (void)::poll(nullptr, 0, kStepMs);
  }
}

void kill_child(pid_t child) {
  constexpr double kPatience = 1;
  (void)::kill(child, SIGKILL);
  const SteadyClock clock;
  (void)status_of(child, Deadline::after(clock, kPatience));
}

Result<std::string> heard_from(pid_t child, const FileDescriptor& pipe,
                               const OutputLimits& limits) {
  const SteadyClock clock;
  const auto deadline = Deadline::after(clock, limits.seconds);
  const auto given_up = [&](std::string why) {
    kill_child(child);
    return Failure{std::move(why)};
  };
  std::string text;
  std::array<char, 65536> piece{};
  for (;;) {
    pollfd readable{.fd = pipe.get(), .events = POLLIN, .revents = 0};
    const auto ready = ::poll(&readable, 1, deadline.poll_ms());
    if (ready == 0) return given_up(fmt::format("took more than {:.3g} s", limits.seconds));
    const auto got = ready < 0 ? -1 : ::read(pipe.get(), piece.data(), piece.size());
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) break;
    text.append(piece.data(), static_cast<std::size_t>(got));
    if (text.size() > limits.bytes)
      return given_up(fmt::format("says more than {} bytes", limits.bytes));
  }
  const auto status = status_of(child, deadline);
  if (!status) return given_up(fmt::format("took more than {:.3g} s", limits.seconds));
  if (WIFSIGNALED(*status))
    return Failure{fmt::format("broke down (signal {})", WTERMSIG(*status))};
  if (WEXITSTATUS(*status) == kNotFound) return Failure{"is not installed"};
  if (WEXITSTATUS(*status) != 0 && !limits.any_code)
    return Failure{fmt::format("ended with code {}", WEXITSTATUS(*status))};
  return text;
}

// `speak` runs in the child with its end of the pipe, and yields its exit code.
Result<std::string> hear(const std::function<int(int)>& speak, const OutputLimits& limits) {
  std::array<int, 2> ends{};
  check_system(::pipe2(ends.data(), O_CLOEXEC), "pipe2");
  const FileDescriptor in(ends[0]);
  FileDescriptor out(ends[1]);
  const DefaultChildSignal keeps_codes;
  const auto parent = ::getpid();
  const auto child = check_system(::fork(), "fork");
  if (child == 0) {
    (void)::prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (::getppid() != parent) ::_exit(1);
    for (const int signal : {SIGSEGV, SIGBUS, SIGABRT, SIGFPE, SIGTERM, SIGINT, SIGHUP, SIGPIPE})
      (void)std::signal(signal, SIG_DFL);
    const auto answer = [&]() noexcept { return speak(out.get()); };
    ::_exit(answer());
  }
  out.close();
  return heard_from(child, in, limits);
}

}  // namespace

Result<std::string> output_of_copy(const std::function<std::string()>& tell,
                                   const OutputLimits& limits) {
  return hear(
      [&](int out) {
        const auto text = tell();
        for (std::size_t done = 0; done < text.size();) {
          const auto put = ::write(out, text.data() + done, text.size() - done);
          if (put < 0 && errno != EINTR) return 1;
          done += put > 0 ? static_cast<std::size_t>(put) : 0;
        }
        return 0;
      },
      limits);
}

Result<std::string> output_of_program(const std::vector<std::string>& argv,
                                      const OutputLimits& limits) {
  return hear(
      [&](int out) {
        const int nowhere = ::open("/dev/null", O_RDWR);
        (void)::dup2(nowhere, STDIN_FILENO);
        (void)::dup2(nowhere, STDERR_FILENO);
        (void)::dup2(out, STDOUT_FILENO);
        std::vector<char*> words;
        for (const auto& word : argv) words.push_back(const_cast<char*>(word.c_str()));
        words.push_back(nullptr);
        ::execvp(words[0], words.data());
        return kNotFound;
      },
      limits);
}

}  // namespace linerate
