#include "backends/nccl/ras.h"

#include "base/handle.h"

#include <fmt/format.h>

#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <csignal>

namespace linerate::nccl {
namespace {

using SteadyTime = std::chrono::steady_clock;

constexpr auto kTimeout = std::chrono::seconds(2);
constexpr std::size_t kMaxBytes = 16384;

// Up to kMaxBytes of what comes before `end`.
std::string read_until(int fd, SteadyTime::time_point end) {
  std::string text;
  std::array<char, 4096> piece{};
  while (text.size() < kMaxBytes) {
    const auto left =
        std::chrono::duration_cast<std::chrono::milliseconds>(end - SteadyTime::now()).count();
    pollfd wanted{fd, POLLIN, 0};
    if (left <= 0 || ::poll(&wanted, 1, static_cast<int>(left)) <= 0) break;
    const auto bytes = ::read(fd, piece.data(), piece.size());
    if (bytes <= 0) break;
    text.append(piece.data(), static_cast<std::size_t>(bytes));
  }
  return text;
}

// The tool's process, or -1; its stdout goes to `out`, its stderr nowhere.
pid_t start_tool(int out) {
  posix_spawn_file_actions_t actions;
  if (::posix_spawn_file_actions_init(&actions) != 0) return -1;
  ::posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  ::posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
  ::posix_spawn_file_actions_adddup2(&actions, out, STDOUT_FILENO);
  std::array<char, 8> name{"ncclras"};
  std::array<char, 3> limit{"-t"};  // seconds that it waits for ranks that do not answer
  std::array<char, 2> seconds{"1"};
  std::array<char*, 4> argv{name.data(), limit.data(), seconds.data(), nullptr};
  pid_t tool = -1;
  if (::posix_spawnp(&tool, name.data(), &actions, nullptr, argv.data(), environ) != 0) tool = -1;
  ::posix_spawn_file_actions_destroy(&actions);
  return tool;
}

}  // namespace

std::string ras_report() {
  std::array<int, 2> pipe_ends{};
  if (::pipe2(pipe_ends.data(), O_CLOEXEC) != 0) return {};
  const FileDescriptor in(pipe_ends[0]);
  FileDescriptor out(pipe_ends[1]);
  const pid_t tool = start_tool(out.get());
  out.close();
  if (tool < 0) return {};
  auto text = read_until(in.get(), SteadyTime::now() + kTimeout);
  ::kill(tool, SIGKILL);
  int status = 0;
  ::waitpid(tool, &status, 0);
  while (!text.empty() && text.back() == '\n') text.pop_back();
  return text.empty() ? text : fmt::format("ncclras says:\n{}", text);
}

}  // namespace linerate::nccl
