// linerate report, which hands its words to the Python reports, and what else Python draws.
#include "commands/report.h"

#include "base/error.h"
#include "base/handle.h"
#include "base/installation.h"
#include "commands/command.h"

#include <fmt/format.h>

#include <spawn.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
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

// A file in memory, which ends with its owner.
using MemoryFile = Handle<std::FILE, std::fclose>;

MemoryFile memory_file() {
  FileDescriptor fd(check_system(::memfd_create("linerate", MFD_CLOEXEC), "memfd_create"));
  MemoryFile file(::fdopen(fd.get(), "w+"));
  if (!file) throw SystemError(errno, "fdopen");
  (void)fd.release();
  return file;
}

pid_t spawn(const ReportScript& script, std::vector<std::string>& command, std::FILE* input,
            std::FILE* output) {
  posix_spawn_file_actions_t actions;
  check_system(::posix_spawn_file_actions_init(&actions), "posix_spawn_file_actions_init");
  ::posix_spawn_file_actions_adddup2(&actions, ::fileno(input), STDIN_FILENO);
  ::posix_spawn_file_actions_adddup2(&actions, ::fileno(output), STDOUT_FILENO);
  pid_t child = -1;
  const int failed = ::posix_spawnp(&child, command.front().c_str(), &actions, nullptr,
                                    argv_of(command).data(), environ);
  ::posix_spawn_file_actions_destroy(&actions);
  if (failed != 0) throw cannot_start(script, command.front(), failed);
  return child;
}

std::string read_all(std::FILE* file) {
  const auto bytes = ::lseek(::fileno(file), 0, SEEK_END);
  if (bytes < 0) throw SystemError(errno, "lseek");
  std::string text(static_cast<std::size_t>(bytes), '\0');
  std::rewind(file);
  text.resize(std::fread(text.data(), 1, text.size(), file));
  return text;
}

}  // namespace

std::vector<std::string> command_of(const ReportScript& script, const Environment& environment) {
  return {environment.get("PYTHON").value_or("/usr/bin/python3"), path_of(script.file).string()};
}

std::string run_script(const ReportScript& script, std::vector<std::string> command,
                       std::string_view input) {
  const auto to = memory_file(), from = memory_file();
  const bool written = std::fwrite(input.data(), 1, input.size(), to.get()) == input.size();
  check_system(written && std::fflush(to.get()) == 0 ? 0 : -1, "fwrite");
  std::rewind(to.get());
  const pid_t child = spawn(script, command, to.get(), from.get());
  int status = 0;
  while (::waitpid(child, &status, 0) < 0 && errno == EINTR) continue;
  const auto text = read_all(from.get());
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
