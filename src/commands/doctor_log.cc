// linerate doctor log: reads the files from beginning to end, prints what they say.
#include "base/handle.h"
#include "base/text.h"
#include "cli/doctor_config.h"
#include "commands/doctor.h"
#include "commands/doctor_pages.h"
#include "diagnose/log/report.h"
#include "output/text_file.h"
#include "record/findings.h"

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

std::string shown_name(const std::string& file) { return plain_text(file == "-" ? "stdin" : file); }

// Why a log cannot be read from it; empty: it can. stdin may be anything; devices have no end.
std::string obstacle(const std::string& file) {
  struct stat status {};
  if (file == "-") return {};
  if (::stat(file.c_str(), &status) != 0) return fmt::format("{}.", std::strerror(errno));
  if (S_ISDIR(status.st_mode)) return "it is a directory, not a file.";
  return S_ISREG(status.st_mode) || S_ISFIFO(status.st_mode) ? "" : "it is a device, not a file.";
}

// Of a file or a pipe, however large. Whether it has NULs, which text has not.
Result<bool> read_log_file(const std::string& file, logs::LogReader& reader) {
  const auto name = shown_name(file);
  if (const auto why = obstacle(file); !why.empty())
    return Failure{fmt::format("{}: {}", name, why)};
  const FileDescriptor opened(file == "-" ? dup(STDIN_FILENO)
                                          : open(file.c_str(), O_RDONLY | O_CLOEXEC));
  int failed = opened ? 0 : errno;
  bool binary = false;
  const auto read_some = [&](std::span<char> room) -> std::size_t {
    ssize_t got = -1;
    do {
      got = ::read(opened.get(), room.data(), room.size());
    } while (got < 0 && errno == EINTR);
    if (got < 0) failed = errno;
    const auto bytes = static_cast<std::size_t>(std::max<ssize_t>(got, 0));
    binary |= std::memchr(room.data(), 0, bytes) != nullptr;
    return bytes;
  };
  if (failed == 0) reader.read(name, read_some);
  if (failed != 0)
    return Failure{fmt::format("{}: it cannot be read: {}.", name, std::strerror(failed))};
  return binary;
}

}  // namespace

ExitCode doctor_log(const CommandInput& input) {
  if (answers_help(input.call.words, Audience::doctor_log)) return ExitCode::ok;
  const auto config = parse_doctor_log(input.call.words);
  if (!config) return refuse(config.sentence());
  if (const auto why = unknown_finding(config->skip)) return refuse(*why);
  logs::LogReader reader;
  bool binary = false;
  for (const auto& file : config->files) {
    const auto read = read_log_file(file, reader);
    if (!read) return refuse(read.sentence());
    binary |= *read;
  }
  auto report = std::move(reader).report();
  const bool empty = report.count.bytes == 0;
  if (empty || (binary && report.messages == 0 && report.findings.empty()))
    return refuse(fmt::format(
        "{}: {}.",
        report.files == 1 ? shown_name(config->files.front()) : counted(report.files, "file"),
        empty ? "nothing is in it" : "it is no text"));
  leave_out(report.findings, config->skip);
  TextFile::standard_output().write(config->json ? logs::log_json(report) : logs::log_text(report));
  return any_from(report.findings, config->fail_on) ? ExitCode::finding : ExitCode::ok;
}

}  // namespace linerate
