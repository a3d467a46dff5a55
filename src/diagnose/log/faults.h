// The messages of a log that report a fault, by kind (faults.cc); which of them is the root
// (root.cc), or was survived (survival.cc).
#pragma once

#include "diagnose/log/alone.h"
#include "diagnose/log/facts.h"
#include "diagnose/log/frames.h"
#include "diagnose/log/signatures.h"

#include <cstddef>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

namespace linerate::logs {

// A line of a log.
struct Quote {
  std::string text{}, time{}, file{};  // the time as in Fault
  std::size_t line = 0;
};

struct Fault {
  const Signature* row = nullptr;  // null: a warning that no row knows
  std::string text{};              // of the first
  bool generic = false;            // the text is_generic()
  std::string time{};              // its time, "2025-05-10 23:09:41"; empty: not written
  std::string file{};
  std::size_t line = 0;
  std::size_t count = 0;
  Place first{};
  bool ordered = true;                // by one file or by times: `first` is known to be the first
  bool survived = false;              // what all of these processes did next went well
  std::set<Place> places{};           // all of them, up to a limit
  std::map<Place, double> pending{};  // that have not gone on since; their last step, or -1
  bool thrown = false;                // an exception of a program
  bool reported = false;              // what a program calls an error
  bool passed = false;                // steps came after it: a later fault may be the cause
  bool in_files = false;              // in several
  bool resumed = false;               // since then a run of the job has begun again
  double resumed_step = -1;           // the last step of that; -1: none
  std::size_t steps_behind = 0;       // that are known to be written after the last of them
  std::size_t stepped_bytes = 0;      // of the lines of steps behind it
  bool ended = false;                 // some were ended, or nobody will know that they went on
  std::vector<Quote> next{};          // of a quoted one: other lines of its kind
  std::vector<std::string> before{};  // of one that gives no reason: what stands just above it
  Frame frame{};                      // of a crash: the first of interest of its back trace
  std::string last_time{};            // of the last of them, or the last that stands above it
  std::string last_file{};            // of the last of them
  std::size_t last_line = 0;
  std::size_t lines_after = 0;  // in that file

  bool told = false;     // its file had told of a failure before
  bool aborted = false;  // and of a program that aborted itself
  bool called = false;   // and of a call that failed in a program

  std::string_view rule() const { return row == nullptr ? "unknown-warning" : row->name; }

  Role role() const {
    if (row == nullptr) return Role::vague;
    if (row->role == Role::crash) return told || called ? Role::trace : Role::fault;
    if (row->role == Role::killed && aborted) return Role::ending;
    if (row->role == Role::killed || row->role == Role::signalled)
      return called ? Role::exit : Role::fault;
    return row->role;
  }
};

// Nothing is awaited of its processes any more; how many there were.
std::size_t close_all(Fault& fault);

// Whether a line of it says that its program ends there.
bool tells_end(const Fault& fault);

// Whether NCCL's sockets use an interface by which these hosts mostly do not reach others.
bool keeps_hosts_apart(const Fault& fault);

// Whether the time is known and earlier; times as Message::time has them.
bool is_before(std::string_view time, std::string_view other);

// Where PyTorch's watchdog saw a rank: sequence numbers count the calls of a process group.
struct Waiting {
  std::string operation{};  // "ALLREDUCE"
  long sequence = -1;       // that timed out
  long completed = -1;      // the last that ended
};

class LogFaults {
 public:
  struct Where {
    std::string_view file{};
    std::size_t line = 0;
    std::string_view before{};  // lines of the file, as far as they are at hand
  };
  // Whether the line reports a fault, or is known to report none.
  bool take(const Message& message, Where where);

  // The fault whose first line the last take() has read, if it is a quoted one; else null.
  Fault* just_quoted() { return just_quoted_; }

  // The crash that the last take() has read, if no back trace of such a crash is known; else null.
  Fault* just_crashed() { return just_crashed_; }

  // Whether the last take() has read a line that reports no fault.
  bool just_passed_over() const { return just_passed_over_; }

  void end_file(std::string_view file, std::size_t lines);

  // An INFO line of something that a rank achieves: a warning of it before that was not its end.
  void take_progress(const Message& message);
  // A line that has a step.
  void take_step(const Message& message);
  // A line that shows_results().
  void take_results();
  // Whether a fault may yet turn out to have been survived, at this line.
  bool awaits_progress(std::size_t line) const { return !open_.empty() && line < awaited_until_; }

  // What PyTorch or XLA quote as NCCL's last warning: the first of them that is not empty is kept.
  void take_quote(std::string_view text);
  // What a launcher writes between two rules of dashes, and no row knows: the first is kept.
  void take_heading(const Message& message, Where where);
  // The innermost text of an error stack of MPICH's so far, or what Open MPI says a call returned.
  void take_stack_end(std::string_view text);

  // The fault from which others follow: the nearest to a root by Role, then the first. Null: none.
  const Fault* root() const;
  std::vector<const Fault*> all() const;
  // The first line of each, what only explains another one too, and other lines that are quoted: by
  // file and line, or where all lines of several files have times by these.
  struct Entry {
    const Fault* fault;
    Quote quote;
  };
  std::vector<Entry> in_order() const;
  // An earlier line whose row explains this one; null: none.
  const Fault* reason_of(const Fault& fault) const;
  // False: another fault of its role may have come before the root, in a file without times.
  bool order_is_known() const;

  std::map<std::string, std::map<int, Waiting>> waiting{};  // by process group ("": any), by rank
  std::string quote{};
  std::string heading{}, stack_end{};
  long first_timeout = -1;  // the rank whose timeout others were told of

 private:
  bool explains_any(const Fault& reason) const;
  void take_new_run(const Message& message, std::string_view file);
  void take_good_end();
  void pass_over(const Signature& row, const Message& message, Where where);
  void take_banner(const Signature& row, const Message& message, Where where);
  void take_member(const Signature& row, const Message& message, Where where);
  void record(const Signature* row, const Message& message, Where where);
  void add_place(Fault& fault, const Message& message, Where where);
  std::string time_of(const Fault& fault, Where where) const;
  void note_kind(const Signature& row, Where where);
  Fault* fault_of(const Signature* row, const Message& message);
  bool is_new_shape(const Message& message);
  void extend_error(Where where);
  void keep_first(Fault& fault, const Message& message, Where where);
  void take_watchdog(const Message& message);
  void open_fault(Fault& fault, const Signature* row, const Message& message);
  void note_speaker(const Message& message);
  template <typename Close>
  void close_faults(const Close& close);

  static constexpr std::size_t kMostPlaces = 300'000;
  std::map<std::string, Fault, std::less<>> faults_{};     // by the row's name or the text's shape
  std::unordered_map<const Signature*, Fault*> by_row_{};  // into it
  std::size_t entries_ = 0;                                // ranks and places, of all faults
  std::vector<Fault*> open_{};                             // that may yet be survived
  std::size_t awaited_until_ = 0;                          // line of the file
  Place speaker_{};                                        // the one process of the file so far
  bool speakers_differ_ = false;                           // there are others
  std::string clock_{};                                    // the last time in the file
  std::size_t clock_line_ = 0;                             // where it stands
  std::string told_{};                                     // the file that told of a failure last
  std::string aborted_{};                                  // and of a program that aborted itself
  std::string called_{};                                   // and of a call that failed in a program
  std::size_t called_line_ = 0;                            // there
  std::vector<std::string> files_{};                       // in the order in which they were read
  std::unordered_set<std::size_t> shapes_{};               // of lines that are quoted
  Banner banner_{};                                        // of one process, the last
  Members members_{};                                      // of the start that the file tells of
  Fault* just_quoted_ = nullptr;
  Fault* just_crashed_ = nullptr;
  bool just_passed_over_ = false;
};

}  // namespace linerate::logs
