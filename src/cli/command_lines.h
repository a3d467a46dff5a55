// Every command line that has options, and what shells and man are told of them: all by the tables
// that the parser reads.
#pragma once

#include "cli/option.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace linerate {

// One or several spellings of what takes the same options.
struct CommandLine {
  std::vector<std::string> spellings{};  // "linerate topo place"; a program's own name first
  std::string_view summary{}, about{};   // a phrase, sentences; the latter may be empty
  std::string_view arguments{};          // behind the spelling: "FILE… [options]"
  Audience options = Audience::both;
};
// Of linerate's commands, of each tool, and of the trainers.
std::vector<CommandLine> command_lines();

// The rows of a program in the order of its help.
std::vector<const OptionRow*> own_rows(Audience program);

enum class Shell : std::uint8_t { bash, zsh, fish };
// What the shell sources.
std::string completion(Shell shell);

// Pages of section 1 with their file names: linerate.1, linerate-topo-place.1, all_reduce_perf.1.
std::vector<std::pair<std::string, std::string>> man_pages();

}  // namespace linerate
