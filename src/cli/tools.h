// What the first words of a command line ask for: a tool by its name or link, or a sub-command.
#pragma once

#include "base/result.h"
#include "cli/option.h"
#include "collectives/collective.h"

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace linerate {

enum class Command : std::uint8_t {
  perf,
  suite,
  memcpy,
  topo,
  tune,
  compare,
  scale,
  sweep,
  replay,
  results,
  plan,
  doctor,
  report,
  docs,
  info,
  help,
  version
};

struct CommandRow {
  Command command;
  std::string_view name;
  std::string_view arguments;
  std::string_view summary;
  std::optional<Audience> options = std::nullopt;  // that it has in the table
  std::string_view about = {};                     // sentences above the options in -h
  std::string_view docs = {};                      // likewise in docs/cli.md
};

// The sub-commands of linerate.
std::span<const CommandRow> commands();
// The row of this name, or null; of a program's options, or null.
const CommandRow* find_command(std::string_view name);
const CommandRow* find_command(Audience options);

constexpr std::string_view kLinerate = "linerate";
constexpr std::string_view kPairs = "p2p_perf";
constexpr std::string_view kMemcpy = "memcpy_perf";

// A tool: a program of its own, and a name behind `linerate perf`.
struct ToolRow {
  std::string_view program, name, summary;
  const Collective* collective = nullptr;  // null: p2p_perf, memcpy_perf
  Command command = Command::perf;
};

// Those of the collectives, then p2p_perf and memcpy_perf.
std::span<const ToolRow> tools();

// One call of the program, split but not yet read.
struct Invocation {
  Command command = Command::help;
  // perf, memcpy: what the table's header says: argv[0]'s basename, or the tool's name when it was
  // chosen by a sub-command.
  std::string program;
  const Collective* collective = nullptr;  // perf: null for p2p_perf; others: null
  std::vector<std::string> args;           // the whole argv
  // What is left for the command; of help, the command that it is about, or none.
  std::vector<std::string> words;

  Audience audience() const {
    if (command == Command::memcpy) return Audience::memcpy;
    if (command == Command::suite) return Audience::suite;
    return collective == nullptr ? Audience::p2p : Audience::collectives;
  }
};

// argv[0]'s basename chooses the tool: the longest known name that it begins with, so that
// all_reduce_perf_mpi and copies work. linerate reads its tool or sub-command from argv[1].
Result<Invocation> read_invocation(std::span<const char* const> argv);

}  // namespace linerate
