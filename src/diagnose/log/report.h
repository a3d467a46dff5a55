// Reads logs of NCCL, and says what was wrong with the job: the first cause, and what followed.
//
// Everything here is pure but for the reading that the caller gives. The parts:
//   lines        lines of a stream, of which only those that may matter are handed on
//   reader       which lines are understood by the line before them
//   message      NCCL's, RCCL's and PyTorch's messages in a line, whoever has put what before them
//   facts        what INFO lines say: versions, ranks, hosts, channels, network, settings
//   meanings     which level and which row of a table a line has
//   signatures   tables of known messages: cause, remedy, source, and what they follow from
//   alone        processes that each say that they are the only one
//   frames       back traces of crashes
//   progress     steps and results, which show that a program goes on after a complaint
//   faults       which of them a log has, and which came first; survival: which were no end
//   slow_paths   what costs speed although nothing fails
//   xids         what numbers of NVIDIA's driver mean
//   report       findings of all that, root cause first; text and JSON
//   in_order     what the log says of failures, line by line
//   rule_texts   what docs/doctor says of them
// A new message is a row of a table and a line of its test; `make docs` makes its page.
#pragma once

#include "diagnose/log/facts.h"
#include "diagnose/log/faults.h"
#include "diagnose/log/lines.h"
#include "diagnose/log/meanings.h"
#include "record/finding.h"
#include "record/rule_text.h"

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace linerate::logs {

struct LogReport {
  LineCount count{};
  std::size_t messages = 0;  // of NCCL's own
  std::size_t files = 0;
  LogFacts facts{};
  LogFaults faults{};
  std::vector<Finding> findings{};  // the worst first
};

class LogReader {
 public:
  // One file, or what one pipe brings: each name once.
  void read(const std::string& name, const ReadBytes& bytes);
  LogReport report() &&;

 private:
  void take_line(std::string_view line, LogFaults::Where where);

  // Of lines that are not NCCL's.
  bool goes_on(const Message& message);  // a quoted one, in this one
  void take_rule(std::size_t line);
  void take_progress(const Message& message);
  bool take_ignored(const Message& message, std::size_t line);
  void follow_traceback(Message& message, std::size_t line);
  void take_other(Message message, LogFaults::Where where);
  bool take_quoted(Message message, LogFaults::Where where);
  bool take_frame(std::string_view text, std::size_t line);
  bool take_returned(std::string_view text);
  bool take_reason(Message message, LogFaults::Where where);
  bool take_shared_memory(Message message, LogFaults::Where where);
  bool take_stack_line(Message message, LogFaults::Where where);

  LogReport report_;
  Meanings meanings_;
  std::string room_;

  // PyTorch's "Last error:", whose text is the next line.
  struct LastError {
    std::string prefix{};
    int rank = -1;
    bool goes_on_in(const Message& message) const;
  };
  std::optional<LastError> last_error_{};
  // Python's last "Exception ignored"; line 0: its traceback has ended.
  struct Ignored {
    std::size_t line = 0;
    int rank = -1;
    bool traced = false;  // the traceback has begun
  };
  Ignored ignored_{};
  // Python's traceback of which not all frames have come; line 0: none.
  struct Traceback {
    std::size_t line = 0;
    std::string prefix{};  // that a launcher or a logger puts before its lines
    std::size_t torn = 0;  // lines of others that stood within
  };
  Traceback traceback_{};
  // MPICH's "error stack:" has come, and its lines follow.
  enum class Stack : std::uint8_t { none, first, other };
  Stack stack_ = Stack::none;
  static constexpr std::size_t kMostFramed = 60;  // lines of a text between two rules of dashes
  std::size_t abort_line_ = 0;                    // of Charm++'s last "Called CmiAbort"; 0: none
  std::size_t shared_memory_line_ = 0;            // of Open MPI's that a call failed for it
  Fault* open_ = nullptr;                         // a quoted one whose text may go on
  Fault* crash_ = nullptr;                        // whose back trace may follow
  std::size_t crash_line_ = 0;                    // of its last line
  std::size_t open_lines_ = 0;                    // of it so far
  bool indented_ = false;                         // the line at hand
  std::size_t rule_line_ = 0;                     // of the one that began it; 0: none is open
  bool headed_ = false;                           // it was the line before
};

// The root cause with what followed from it, other faults, and what was not understood.
std::vector<Finding> fault_findings(const LogFacts& facts, const LogFaults& faults);

// Ways that data takes and that are slower than they need to be, and ranks that are unlike.
std::vector<Finding> slow_path_findings(const LogFacts& facts);

// "0-3, 7"; at most a dozen ranges.
std::string ranges_text(std::span<const int> sorted);
// "rank 3", "ranks 0-3, 7".
std::string ranks_text(std::span<const int> sorted, std::string_view word = "rank");

// Ranks of the job that the log does not show, or that did not end their initialisation; empty:
// none.
std::string missing_text(const LogFacts& facts);

// Where PyTorch's watchdog saw the ranks, and who is behind; empty: no rank was seen.
std::string waiting_text(const LogFaults& faults);
// Whether ranks of one process group wait in different collectives.
bool calls_differ(const LogFaults& faults);

// " Xid 79: …", what the number in a line of NVIDIA's driver means; empty: it is not known here.
std::string xid_text(std::string_view line);

// Of all findings that a log may give.
std::vector<RuleText> rule_texts();

// The lines that faults were read from, in their order, if there is a cause and more than one.
std::string in_order_text(const LogReport& report);

// For people, as lines; and for programs: an object that ends in a newline.
std::string log_text(const LogReport& report);
std::string log_json(const LogReport& report);

}  // namespace linerate::logs
