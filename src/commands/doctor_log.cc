// linerate doctor log: reads the files from beginning to end, prints what they say.
#include "base/handle.h"
#include "base/text.h"
#include "cli/doctor_config.h"
#include "commands/doctor.h"
#include "commands/doctor_pages.h"
#include "commands/text_check.h"
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
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

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

// The bytes of a file or a pipe, however large, and what they tell of themselves.
class LogBytes {
 public:
  explicit LogBytes(const std::string& file)
      : opened_(file == "-" ? dup(STDIN_FILENO) : open(file.c_str(), O_RDONLY | O_CLOEXEC)) {
    if (!opened_) fail();
  }

  // As logs::ReadBytes. The end comes early where they are no text, or cannot be read.
  std::size_t read(std::span<char> room) {
    if (!obstacle_.empty()) return 0;
    const auto bytes = is_first_ ? read_first(room) : read_some(room);
    has_nuls_ |= std::memchr(room.data(), 0, bytes) != nullptr;
    return obstacle_.empty() ? bytes : 0;
  }

  const std::string& obstacle() const { return obstacle_; }
  bool has_nuls() const { return has_nuls_; }
  bool has_controls() const { return has_controls_; }

 private:
  // A pipe may bring few bytes at once.
  std::size_t read_first(std::span<char> room) {
    constexpr std::size_t kLongestMagic = 16;
    is_first_ = false;
    std::size_t bytes = 0, more = 0;
    do {
      more = read_some(room.subspan(bytes));
      bytes += more;
    } while (more > 0 && bytes < kLongestMagic);
    const std::string_view block(room.data(), bytes);
    has_controls_ = has_many_controls(block);
    if (obstacle_.empty()) obstacle_ = why_no_text(block, "linerate doctor log -");
    return bytes;
  }

  std::size_t read_some(std::span<char> room) {
    ssize_t got = -1;
    do {
      got = ::read(opened_.get(), room.data(), room.size());
    } while (got < 0 && errno == EINTR);
    if (got < 0) fail();
    return static_cast<std::size_t>(std::max<ssize_t>(got, 0));
  }

  void fail() { obstacle_ = fmt::format("it cannot be read: {}.", std::strerror(errno)); }

  FileDescriptor opened_;
  std::string obstacle_{};  // empty: there is none
  bool is_first_ = true, has_nuls_ = false, has_controls_ = false;
};

// Files that were read; not stdin.
using Seen = std::set<std::pair<dev_t, ino_t>>;

// Whether it is not the file of another name.
bool is_new(const std::string& file, Seen& seen) {
  struct stat status {};
  if (file == "-" || ::stat(file.c_str(), &status) != 0) return true;
  return seen.emplace(status.st_dev, status.st_ino).second;
}

// The first files whose bytes are not those of text; empty: there are none.
struct Doubtful {
  std::string with_nuls{}, with_controls{};
};

// Why one cannot be read; empty: all were.
std::string read_logs(const std::vector<std::string>& files, logs::LogReader& reader,
                      Doubtful& doubtful) {
  Seen seen;
  for (const auto& file : files) {
    const auto name = shown_name(file);
    if (const auto why = obstacle(file); !why.empty()) return fmt::format("{}: {}", name, why);
    if (!is_new(file, seen)) continue;
    LogBytes bytes(file);
    if (bytes.obstacle().empty())
      reader.read(name, [&](std::span<char> room) { return bytes.read(room); });
    if (!bytes.obstacle().empty()) return fmt::format("{}: {}", name, bytes.obstacle());
    if (bytes.has_nuls() && doubtful.with_nuls.empty()) doubtful.with_nuls = name;
    if (bytes.has_controls() && doubtful.with_controls.empty()) doubtful.with_controls = name;
  }
  return {};
}

// Why there is nothing to report; empty: there is.
std::string refusal_of(const logs::LogReport& report, const Doubtful& doubtful,
                       const std::string& first) {
  if (report.count.bytes == 0)
    return fmt::format("{}: nothing is in it.",
                       report.files == 1 ? shown_name(first) : counted(report.files, "file"));
  if (report.messages > 0) return {};
  const auto& name = doubtful.with_controls.empty() && report.findings.empty()
                         ? doubtful.with_nuls
                         : doubtful.with_controls;
  return name.empty() ? "" : fmt::format("{}: it is no text.", name);
}

}  // namespace

ExitCode doctor_log(const CommandInput& input) {
  if (answers_help(input.call.words, Audience::doctor_log)) return ExitCode::ok;
  const auto config = parse_doctor_log(input.call.words);
  if (!config) return refuse(config.sentence());
  if (const auto why = unknown_finding(config->skip)) return refuse(*why);
  logs::LogReader reader;
  Doubtful doubtful;
  if (const auto why = read_logs(config->files, reader, doubtful); !why.empty()) return refuse(why);
  auto report = std::move(reader).report();
  if (const auto why = refusal_of(report, doubtful, config->files.front()); !why.empty())
    return refuse(why);
  leave_out(report.findings, config->skip);
  TextFile::standard_output().write(config->json ? logs::log_json(report) : logs::log_text(report));
  return any_from(report.findings, config->fail_on) ? ExitCode::finding : ExitCode::ok;
}

}  // namespace linerate
