#include "commands/limited_run.h"

#include "base/clock.h"
#include "base/file.h"
#include "base/log.h"
#include "base/text.h"
#include "commands/compare_sources.h"
#include "compare/import.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cstdlib>
#include <system_error>
#include <utility>

namespace linerate {
namespace {

std::string last_line(std::string_view text) {
  constexpr std::string_view kSpeaker = "linerate: ";
  text = trim(text);
  const auto begin = text.rfind('\n');
  if (begin != std::string_view::npos) text.remove_prefix(begin + 1);
  return std::string(text.starts_with(kSpeaker) ? text.substr(kSpeaker.size()) : text);
}

std::string said_by(const ChildEnd& child) {
  constexpr int kKilled = 128;  // and the signal
  auto line = last_line(child.errors.empty() ? child.output : child.errors);
  if (!line.empty() || child.code == 0) return line;
  return child.code > kKilled ? fmt::format("it was killed by signal {}", child.code - kKilled)
                              : fmt::format("it ended with exit code {}", child.code);
}

}  // namespace

std::filesystem::path programs_folder() {
  return std::filesystem::read_symlink("/proc/self/exe").parent_path();
}

double load_1min() {
  double load = 0;
  return ::getloadavg(&load, 1) == 1 ? load : 0;
}

LimitedEnd run_limited(const LimitedCall& call, const CommandInput& input) {
  std::error_code none;
  std::filesystem::remove(call.records, none);
  const SteadyClock clock;
  const auto start_ns = clock.now_ns();
  LimitedEnd end;
  const auto ended_early = [&] {
    const double seconds = static_cast<double>(clock.now_ns() - start_ns) * 1e-9;
    end.hung = end.hung || (call.limit_s > 0 && seconds > call.limit_s);
    return end.hung || input.interrupted();
  };
  const auto path = programs_folder().string() + ':' + input.environment.get("PATH").value_or("");
  end.child = run_child({.program = "/bin/sh",
                         .argv = {"/bin/sh", "-c",
                                  fmt::format("exec env {} --jsonl {}", call.command,
                                              shell_word(call.records.string()))},
                         .variables = {{"PATH", path}},
                         .captured = true},
                        ended_early);
  end.interrupted = input.interrupted();
  end.said = said_by(end.child);
  return end;
}

MeasuredRecords records_of(const LimitedEnd& end, const std::filesystem::path& path) {
  constexpr std::size_t kMostBytes = std::size_t{256} << 20;  // of one run
  const auto written = read_regular_file(path.string(), kMostBytes);
  if (written && !written->empty()) {
    auto text = written->substr(0, written->rfind('\n') + 1);  // without a line that was torn
    auto file = read_jsonl(text);
    return file ? MeasuredRecords{*std::move(file), std::move(text)} : MeasuredRecords{};
  }
  auto table = read_runs("stdout", end.child.output);
  if (!table) return {};
  auto text = jsonl_of(*table);
  return {*std::move(table), std::move(text)};
}

void warn_of_several(std::string_view what, const std::set<std::string>& names,
                     std::string_view advice) {
  if (names.size() > 1)
    say(fmt::format("warning: runs of several {} are counted together: {}. {}", what,
                    fmt::join(names, ", "), advice));
}

}  // namespace linerate
