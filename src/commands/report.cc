// linerate report, which hands its words to the Python reports, and what else Python draws.
#include "commands/report.h"

#include "base/error.h"
#include "base/handle.h"
#include "base/installation.h"
#include "commands/command.h"

#include <fmt/format.h>

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <filesystem>

namespace linerate {
namespace {

// Of the installation that this program belongs to; a build has a link to those of its sources.
std::filesystem::path path_of(std::string_view file) {
  const auto inside = std::filesystem::path("share/linerate/reports") / file;
  const auto root = installation_root();
  if (!root)
    throw Unavailable(
        "This program is a copy outside of an installation, and brings no reports: call linerate "
        "where it is installed.");
  if (const auto reason = distrust(*root, inside))
    throw Unavailable(fmt::format("The reports are not run: {}.", *reason));
  const auto script = *root / inside;
  if (std::filesystem::exists(script)) return std::filesystem::canonical(script);
  throw Unavailable(fmt::format("The reports are not here: {} does not exist.", script.string()));
}

std::vector<char*> argv_of(std::vector<std::string>& command) {
  std::vector<char*> argv;
  for (auto& word : command) argv.push_back(word.data());
  argv.push_back(nullptr);
  return argv;
}

Unavailable cannot_start(const ReportScript& script, const std::string& python, int code) {
  return Unavailable(fmt::format("Cannot start {}: {}. Set PYTHON to {}.", python,
                                 std::strerror(code), script.needs));
}

struct Pipe {
  FileDescriptor in{}, out{};  // to read from, to write to

  Pipe() {
    std::array<int, 2> ends{};
    check_system(::pipe2(ends.data(), O_CLOEXEC), "pipe2");
    in = FileDescriptor(ends[0]);
    out = FileDescriptor(ends[1]);
  }
};

pid_t spawn(const ReportScript& script, std::vector<std::string>& command, const Pipe& input,
            const Pipe& output) {
  posix_spawn_file_actions_t actions;
  check_system(::posix_spawn_file_actions_init(&actions), "posix_spawn_file_actions_init");
  ::posix_spawn_file_actions_adddup2(&actions, input.in.get(), STDIN_FILENO);
  ::posix_spawn_file_actions_adddup2(&actions, output.out.get(), STDOUT_FILENO);
  pid_t child = -1;
  const int failed = ::posix_spawnp(&child, command.front().c_str(), &actions, nullptr,
                                    argv_of(command).data(), environ);
  ::posix_spawn_file_actions_destroy(&actions);
  if (failed != 0) throw cannot_start(script, command.front(), failed);
  return child;
}

// A reader that has gone shows in how it ends.
void write_all(int fd, std::string_view text) {
  while (!text.empty()) {
    const auto written = ::write(fd, text.data(), text.size());
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) return;
    text.remove_prefix(static_cast<std::size_t>(written));
  }
}

std::string read_all(int fd) {
  constexpr std::size_t kPiece = 65536;
  std::string text;
  std::array<char, kPiece> piece{};
  for (;;) {
    const auto read = ::read(fd, piece.data(), piece.size());
    if (read < 0 && errno == EINTR) continue;
    if (read <= 0) return text;
    text.append(piece.data(), static_cast<std::size_t>(read));
  }
}

}  // namespace

std::vector<std::string> command_of(const ReportScript& script, const Environment& environment) {
  return {environment.get("PYTHON").value_or("/usr/bin/python3"), path_of(script.file).string()};
}

std::string run_script(const ReportScript& script, std::vector<std::string> command,
                       std::string_view input) {
  Pipe to, from;
  const pid_t child = spawn(script, command, to, from);
  to.in.close();
  from.out.close();
  write_all(to.out.get(), input);
  to.out.close();
  auto text = read_all(from.in.get());
  int status = 0;
  while (::waitpid(child, &status, 0) < 0 && errno == EINTR) continue;
  if (WIFEXITED(status) && WEXITSTATUS(status) == 0) return text;
  throw Unavailable(
      fmt::format("{} {} failed. Set PYTHON to {}.", command[0], command[1], script.needs));
}

// This process becomes the script.
ExitCode report_command(const CommandInput& input) {
  constexpr ReportScript kReport{"report.py", "a Python 3 with matplotlib, numpy and jinja2"};
  auto command = command_of(kReport, input.environment);
  command.insert(command.end(), input.call.words.begin(), input.call.words.end());
  ::execvp(command.front().c_str(), argv_of(command).data());
  throw cannot_start(kReport, command.front(), errno);
}

}  // namespace linerate
