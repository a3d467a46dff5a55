// One run of a study: a command of a shell, within a limit of time. `linerate scale`, `sweep`,
// `tune`.
#pragma once

#include "commands/child.h"
#include "commands/command.h"
#include "record/json_lines.h"

#include <filesystem>
#include <set>
#include <string>
#include <string_view>

namespace linerate {

struct LimitedCall {
  std::string command{};            // one command of a shell, without --jsonl
  std::filesystem::path records{};  // for its --jsonl; what is there is removed first
  double limit_s = 0;               // 0: none
};

struct LimitedEnd {
  ChildEnd child{};
  bool hung = false;         // it was ended for the limit
  bool interrupted = false;  // this process was asked to end, and so was the command
  // The last line of what it said, on stderr or else on stdout, without linerate's own name; of one
  // that failed without a word, how it ended.
  std::string said{};
};

// PATH begins with the folder of this program, so that the command finds linerate's tools.
LimitedEnd run_limited(const LimitedCall& call, const CommandInput& input);

// What it measured, and the text of these records as JSON Lines; both empty: nothing.
struct MeasuredRecords {
  RunFile records{};
  std::string text{};
};
// Where rank 0 ran on another host, its file is there, and the table on stdout is what is left.
MeasuredRecords records_of(const LimitedEnd& end, const std::filesystem::path& path);

// Where linerate and its tools are.
std::filesystem::path programs_folder();
// Of the last minute; 0 where nobody tells.
double load_1min();

// That runs of several `names`, such as hosts, are counted together, where it is so.
void warn_of_several(std::string_view what, const std::set<std::string>& names,
                     std::string_view advice);

}  // namespace linerate
