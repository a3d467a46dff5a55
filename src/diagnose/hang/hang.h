// Says why a job hangs: which rank is missing in which collective, and what processes wait for.
//
// Three sources, and no debugger. The parts:
//   document, pickle  a dump's bytes as values; code in a pickle is refused, never run
//   dumps             dumps of PyTorch's flight recorder: a rank's calls of each process group
//   calls             findings of these: a missing rank, calls that differ, all in the same call
//   proc              what /proc says of a process; the only part that reads the machine
//   processes         findings of that: stopped, ended, in the kernel, spinning, waiting for what
//   ras               findings of what NCCL's RAS service prints: ranks that are missing or behind
//   report            text and JSON
//   examples          what docs/doctor shows of them
//   rule_texts        what docs/doctor says of the findings: their severity and advice too
#pragma once

#include "base/result.h"
#include "record/finding.h"
#include "record/rule_text.h"

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace linerate::hang {

// The texts of a call; those of many calls are alike.
struct CallText {
  std::string operation{};  // "all_reduce", "send 0->1"
  std::string tensors{};    // "[1024, 8] Float -> [8192, 8] Float"; empty: not recorded
  std::string compared{};   // what all ranks must have alike: types and numbers of elements
  std::string place{};      // "train.py:88 (step)"; empty: not recorded
  auto operator<=>(const CallText&) const = default;
};

enum class CallState : std::uint8_t { scheduled, started, completed };
inline constexpr std::string_view kCallStates[] = {"scheduled", "started", "completed"};

struct Call {
  std::int64_t sequence = 0;  // counts the collectives of a process group
  CallState state = CallState::scheduled;
  const CallText* text = nullptr;
};

// What one rank did in a process group, in order.
struct RankCalls {
  std::vector<Call> collectives{};  // by sequence, one for each
  std::vector<Call> sends{};        // and receives
};

struct ProcessGroup {
  std::string name{}, description{};
  std::vector<int> members{};  // ranks of the job; empty: not recorded
  std::map<int, RankCalls> ranks{};

  std::string title() const;  // "process group 0 (default_pg)"
};

class Dumps {
 public:
  // One rank's dump, in Python's or JSON's form. A sentence that goes on behind the name: refused.
  std::optional<std::string> add(const std::string& file, std::string_view bytes);

  const std::vector<ProcessGroup>& groups() const { return groups_; }
  const std::map<int, std::string>& files() const { return files_; }  // by rank

 private:
  friend class DumpReader;
  std::vector<ProcessGroup> groups_;
  std::map<std::pair<std::string, std::vector<int>>, std::size_t> places_;  // by name and members
  std::map<int, std::string> files_;
  std::set<CallText> texts_;
};

inline constexpr std::size_t kMostDumpBytes = 64U << 20U;

// The rank that a file's name ends in, as in nccl_trace_rank_3 and trace_3.json; -1: none.
int rank_of_dump(const std::filesystem::path& file);

std::vector<Finding> examine(const Dumps& dumps);

struct ThreadSeen {
  int tid = 0;
  std::string name{};
  char state = '?';        // R, S, D, T, t, Z, as Linux has them
  std::string waits_in{};  // a function or system call of the kernel; empty: nowhere, or unknown
  double user_s = 0, system_s = 0;  // time on processors so far
  double queued_s = 0;              // in which it could run and no processor was free
  bool of_kernel = false;
};

struct ConnectionSeen {
  std::string peer{};  // "10.0.0.2:4711"
  std::uint64_t unsent_bytes = 0, unread_bytes = 0;
  std::uint64_t retransmits = 0;  // of what waits for its acknowledgement
};

struct ProcessSeen {
  int pid = 0;
  std::string name{};
  char state = '?';                                // of the main thread; X: it has gone
  bool of_kernel = false;                          // a thread of Linux' own
  int tracer = 0;                                  // a debugger's pid; 0: none
  std::map<std::string, std::string> variables{};  // of an allow-list
  std::vector<ThreadSeen> threads{};               // the main one first
  std::vector<ConnectionSeen> connections{};       // TCP, established
  std::vector<std::string> stages{};  // what the watch of a run of linerate says its threads do
  std::vector<std::string> unseen{};  // what /proc did not tell

  std::string title() const;  // "rank 3 (pid 4711, python)"
};

// Nothing: no such process below `proc`.
std::optional<ProcessSeen> look_at(const std::filesystem::path& proc, int pid);

// The same process twice, `seconds` apart.
struct Observed {
  ProcessSeen before{}, after{};
  double seconds = 1;
};
std::vector<Finding> examine(std::span<const Observed> processes);

// What NCCL's RAS service (2.24 on) said at two moments to VERBOSE STATUS.
struct RasAnswers {
  std::string address{};  // "localhost:28028"; empty: it was not asked
  std::string before{}, after{};
  double seconds = 0;  // between them
};
// Ranks behind the others count where they have not moved between the answers.
std::vector<Finding> examine(const RasAnswers& ras);

struct HangReport {
  std::vector<Observed> processes{};
  RasAnswers ras{};
  Dumps dumps{};
  std::vector<Finding> findings{};  // the worst first
};
std::vector<RuleText> rule_texts();
std::string example_of(std::string_view rule);  // as it is printed; RAS' are none
// Of that rule, with its severity and advice. REQUIRES: rule_texts() has it.
Finding found(std::string_view id, std::string subject, std::string evidence,
              double confidence = 1);
// Of dumps that cannot be read, for these reasons, a sentence each; `ndumps` is the number of all.
Finding left_out(const std::vector<std::string>& reasons, std::size_t ndumps);
std::string hang_text(const HangReport& report);
std::string hang_json(const HangReport& report);

}  // namespace linerate::hang
