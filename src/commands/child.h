// Processes that a command starts one after the other, and what they leave.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace linerate {

struct ChildCall {
  std::string program{};            // a path, or a name that PATH finds
  std::vector<std::string> argv{};  // argv[0] included
  std::vector<std::pair<std::string, std::string>> variables{};  // set beside those of this process
  std::optional<std::string_view> input{};  // what it reads; nothing: what this process would
  // Its stdout and stderr are kept instead of shown, and it leads a process group of its own, which
  // an interruption ends whole. Otherwise it shares both with this process.
  bool captured = false;
  bool prints_on_stderr = false;  // where not captured: its stdout is this process' stderr
};

struct ChildEnd {
  int code = 0;  // its exit code; of one that a signal killed 128 and the signal
  double seconds = 0;
  std::string output{}, errors{};  // where captured; the first kMostOutputBytes of each
  bool cut = false;                // the output is longer
};

inline constexpr std::size_t kMostOutputBytes = std::size_t{64} << 20;
inline constexpr int kCannotStart = 127;  // as a shell says it; `errors` names the program, and why

// Runs the call to its end. Once `interrupted` says so, the child is asked to end; a captured one
// is killed some seconds later. The child is killed, too, where this process dies; what it has
// started itself, such as a shell's commands, is not. Throws SystemError where no process can be
// started. REQUIRES: no other thread runs.
ChildEnd run_child(const ChildCall& call, const std::function<bool()>& interrupted);

// Told while children run: once all have started, and with the exit code of each that has ended.
struct ChildEvents {
  std::function<void()> started{};
  std::function<void(std::size_t child, int code)> ended{};
};

// Any code but that of success and that of a finding.
bool is_failure(int code);

// The same of several at once, whose ends are in the order of the calls. Once one has failed, the
// others are asked to end too.
std::vector<ChildEnd> run_children(const std::vector<ChildCall>& calls,
                                   const std::function<bool()>& interrupted,
                                   const ChildEvents& events = {});

}  // namespace linerate
