// What lines of logs mean: a row for each known message, with its cause and its remedy.
//
// A row is data; faults.cc looks rows up and says which of several comes first. A new one is one
// line of a table (signatures_network.cc, _node.cc, _mpi.cc, _job.cc) and one in
// signatures_test.cc. What none of them knows is named by its parts (signatures_general.cc): the
// error of the system that it quotes, the part of NCCL that wrote it. What is left and reads like
// an error is quoted (signatures_unknown.cc).
#pragma once

#include "diagnose/log/message.h"
#include "diagnose/log/pattern_index.h"

#include <array>
#include <cstdint>
#include <span>
#include <string_view>

namespace linerate::logs {

// Rows of jobs that go on: one begins again, or its launcher has seen all ranks end well.
inline constexpr std::string_view kBeginsAgain = "job-begins-again", kEndsWell = "job-ends-well";

// In the order of causality: of two faults of one run, the first of these is nearer to the root.
enum class Role : std::uint8_t {
  origin,       // breaks by itself, before messages do: a link goes down, memory is used up
  fault,        // says what is wrong
  killed,       // from outside: a fault, or an ending where the program had aborted itself before
  crash,        // says so of its own process: a fault, or a trace where a failure was told before
  signalled,    // says so of another process: a fault, or an exit where a call had failed before
  vague,        // something is wrong here, without a cause
  suspect,      // may happen in healthy jobs, and is the likely cause where something failed
  report,       // a program says that it failed, no more: the cause, or as good as the next
  consequence,  // another rank or another line failed before
  trace,        // the way of a failure through calls
  complaint,    // a line without a mark reads like an error: what no line above explains
  exit,         // how a rank ended after a failure
  relay,        // a launcher says that a part of it failed, and no more
  waiting,      // for other processes, as long as nothing fails
  ending,       // a rank is gone, after a failure or because it was done
  slow,         // nothing fails; it costs speed
  harmless,     // known, and no fault
};

// Whose lines may be meant: a bit for each level of message.h.
enum class Lines : std::uint8_t {
  warnings = 1 << 1,             // NCCL's
  nccl = warnings | 1 << 0,      // its INFO lines too
  exceptions = 1 << 3,           // of any program
  errors = exceptions | 1 << 2,  // what any program calls an error
  reports = warnings | errors,
  others = 1 << 4,                // of any program that neither NCCL's tag nor a level marks
  gpu = reports | 1 << 6,         // and any with "CUDA error" or its like
  any = nccl | reports | others,  // any program's; each alternative holds a word of lines.cc
};

struct Signature {
  std::string_view name;     // Finding::rule
  std::string_view pattern;  // see matches()
  Role role;
  Lines lines;
  std::string_view meaning{};  // empty, and the next two: as of the first row of this name
  std::string_view remedy{};
  std::string_view source{};  // where that is discussed or documented
  // The fault that it is the reason of, if that follows; a harmless one is kept for that alone.
  std::string_view explains{};
};

// The rows of a table in their order: the first that matches counts.
std::span<const Signature> network_signatures();
std::span<const Signature> node_signatures();
std::span<const Signature> mpi_signatures();
std::span<const Signature> job_signatures();
std::span<const Signature> general_signatures();
std::span<const Signature> unknown_signatures();
// All of them, in the order in which they are looked up.
std::array<std::span<const Signature>, 6> signature_tables();

// That of a line which reads like an error.
const Signature& unmarked_row();

// That of an exception.
const Signature& uncaught_row();

// Whether the row, or all of this name, know no more than that a line reports an error.
bool is_quoted(std::string_view name);
inline bool is_quoted(const Signature& row) { return is_quoted(row.name); }

// Whether it tells of a call that failed in a process, which may then crash or be ended for it.
bool tells_call(const Signature& row);

// Whether a quoted text only says that something failed, and not why: "ERROR: the run failed".
bool is_generic(std::string_view text);
bool gives_reason(std::string_view text);
// Whether it says that its program ends there.
bool is_fatal(std::string_view text);

// Whether lines below it, as of what RAS or a launcher says, tell more: indented ones, or XLA's
// names of tasks.
inline bool has_details(const Signature* row, std::string_view text) {
  return row != nullptr &&
         (row->name.starts_with("ras-") || row->name == "launcher-usage" ||
          (row->name == "ranks-missing" && text.find("task names:") != std::string_view::npos));
}

// The row that has the texts of this one.
const Signature& texts_of(const Signature& row);
const Signature& texts_of(Signature&&) = delete;

// The first row of that name and role; null: there is none.
const Signature* signature_of(std::string_view name, Role role);

// Null: none matches.
const Signature* find_signature(const Message& message);

}  // namespace linerate::logs
