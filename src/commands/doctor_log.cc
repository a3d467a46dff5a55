// linerate doctor log: reads the files from beginning to end, prints what they say.
#include "base/handle.h"
#include "base/text.h"
#include "cli/doctor_config.h"
#include "commands/doctor.h"
#include "diagnose/log/report.h"
#include "output/text_file.h"

#include <fmt/format.h>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <string>
#include <utility>

namespace linerate {
namespace {

// Of a file or a pipe, however large.
Result<bool> read_log_file(const std::string& file, logs::LogReader& reader) {
  const bool from_stdin = file == "-";
  const auto name = plain_text(from_stdin ? "stdin" : file);
  const FileDescriptor opened(from_stdin ? dup(STDIN_FILENO)
                                         : open(file.c_str(), O_RDONLY | O_CLOEXEC));
  struct stat status {};
  if (!opened || fstat(opened.get(), &status) != 0)
    return Failure{fmt::format("{}: it cannot be read: {}.", name, std::strerror(errno))};
  if (S_ISDIR(status.st_mode))
    return Failure{fmt::format("{}: it is a directory, not a file.", name)};
  int failed = 0;
  reader.read(name, [&](std::span<char> room) -> std::size_t {
    for (;;) {
      const auto got = ::read(opened.get(), room.data(), room.size());
      if (got >= 0) return static_cast<std::size_t>(got);
      if (errno == EINTR) continue;
      failed = errno;
      return 0;
    }
  });
  if (failed != 0)
    return Failure{fmt::format("{}: it cannot be read: {}.", name, std::strerror(failed))};
  return true;
}

}  // namespace

ExitCode doctor_log(const CommandInput& input) {
  if (answers_help(input.call.words, Audience::doctor_log)) return ExitCode::ok;
  const auto config = parse_doctor_log(input.call.words);
  if (!config) return refuse(config.sentence());
  logs::LogReader reader;
  for (const auto& file : config->files)
    if (const auto read = read_log_file(file, reader); !read) return refuse(read.sentence());
  const auto report = std::move(reader).report();
  TextFile::standard_output().write(config->json ? logs::log_json(report) : logs::log_text(report));
  const bool fails =
      config->fail_on && std::ranges::any_of(report.findings, [&](const Finding& finding) {
        return finding.severity >= *config->fail_on;
      });
  return fails ? ExitCode::finding : ExitCode::ok;
}

}  // namespace linerate
