// What a line says by itself, and what the line before it makes of it.
#include "base/text.h"
#include "diagnose/log/progress.h"
#include "diagnose/log/report.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <utility>

namespace linerate::logs {
namespace {

using std::string_view;
constexpr auto kNowhere = string_view::npos;

// Open MPI and PRTE put what they explain between two such rules.
bool is_rule(string_view text) {
  constexpr std::size_t kDashes = 74;
  const auto before = text.substr(0, text.find_last_not_of('-') + 1);  // npos + 1: none
  return text.size() - before.size() == kDashes && is_prefix(before);
}

// Where a line of an error stack of MPICH's, "MPID_Init(1561)........: text", has its text; npos:
// it is none.
std::size_t stack_text_at(string_view line) {
  const auto open = line.find('(');
  if (open == kNowhere || open == 0 ||
      std::isalnum(static_cast<unsigned char>(line[open - 1])) == 0)
    return kNowhere;
  const auto close = line.find_first_not_of("0123456789", open + 1);
  if (close == kNowhere || close == open + 1 || line[close] != ')') return kNowhere;
  const auto colon = line.find_first_not_of('.', close + 1);
  if (colon == kNowhere || line[colon] != ':') return kNowhere;
  return std::min(line.find_first_not_of(' ', colon + 1), line.size());
}

// How much of a line is a launcher's prefix, as in the line before: "[rank0]: ".
std::size_t common_prefix(string_view before, string_view line) {
  const auto same = std::ranges::mismatch(before, line).in1 - before.begin();
  const auto end = before.substr(0, static_cast<std::size_t>(same)).rfind(": ");
  return end == kNowhere ? 0 : end + 2;
}

bool is_dotted_name(string_view text) {
  const auto is_part = [](char c) {
    return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '.';
  };
  return !text.empty() && std::ranges::all_of(text, is_part);
}

// The whole of an exception's last line that has no text: "queue.Empty".
bool is_exception_name(string_view text) {
  return text.find('.') != kNowhere && is_dotted_name(text);
}

// "jinja2.exceptions.TemplateNotFound: base.html", "StopIteration"; no "Epoch: 3", "INFO: x" or
// "0.5". A program ends by "SystemExit: 0" when all is well.
bool names_exception(string_view text) {
  const auto name = text.substr(0, text.find(':'));
  const auto last = name.substr(name.rfind('.') + 1);  // npos + 1: the whole
  const auto is_capital = [](char c) { return c >= 'A' && c <= 'Z'; };
  const auto is_small = [](char c) { return c >= 'a' && c <= 'z'; };
  const bool dotted = last.size() < name.size();
  const bool old = dotted && (last == "timeout" || last == "error");  // of Python's own modules
  const bool named = !last.empty() && is_capital(last[0]) && std::ranges::any_of(last, is_small) &&
                     (dotted || std::ranges::count_if(last, is_capital) > 1);
  return is_dotted_name(name) && !is_digit(name.front()) && (named || old) &&
         text != "SystemExit: 0" && (text == name || text.substr(name.size()).starts_with(": "));
}

// What launchers put before the lines of a process, and not words of a sentence: "n4:",
// "[1,0]<stderr>:", "worker-1  |", "[rank 3]", "(Worker pid=31)", a time.
bool is_mark(string_view text) {
  const auto time = time_in(text);
  if (!time.empty() && text.starts_with(time)) return text.size() < time.size() + 12;
  const bool enclosed = (text.front() == '[' && text.find(']') + 1 == text.size()) ||
                        (text.front() == '(' && text.find(')') + 1 == text.size());
  if (enclosed || text.ends_with('|')) return true;
  return text.find_first_of("0123456789") != kNowhere && text.find(' ') == kNowhere &&
         (text.ends_with(':') || text.ends_with('>'));
}

// What a shell writes of a process that a signal ended, alone in its line or behind a launcher's
// mark, "n4: "; null: something else.
const Signature* ended_by_signal(string_view text) {
  constexpr string_view kDumped = " (core dumped)";
  if (text.ends_with(kDumped)) text.remove_suffix(kDumped.size());
  const auto at = text.find_last_of(": >|])");
  const auto word = text.substr(at + 1);  // npos + 1: the whole
  const auto before = trim(text.substr(0, at + 1));
  if (!before.empty() && !is_mark(before)) return nullptr;
  if (word == "Killed") return signature_of("rank-killed", Role::killed);
  if (word == "Terminated") return signature_of("rank-ended", Role::relay);
  if (word == "Hangup") return signature_of("terminal-closed", Role::vague);
  return word == "Aborted" ? signature_of("rank-aborted", Role::exit) : nullptr;
}

Message as_level(Message message, Level level) {
  message.level = level;
  message.row.reset();
  return message;
}

}  // namespace

// Ranks write into each other's lines: the same one shows by its rank, else by the prefix.
bool LogReader::LastError::goes_on_in(const Message& message) const {
  return message.rank == rank && (rank >= 0 || message.text.starts_with(prefix));
}

// As the warning of NCCL that it quotes.
bool LogReader::take_quoted(Message message, LogFaults::Where where) {
  constexpr string_view kLastError = "Last error:",
                        kLastEntry = "(may be unrelated) '";  // XLA's
  bool quoted = last_error_ && last_error_->goes_on_in(message);
  for (const auto mark : {kLastError, kLastEntry})
    if (const auto at = message.text.find(mark); at != kNowhere) {
      message.text = message.whole = trim(message.text.substr(at + mark.size()));
      quoted = true;
    }
  if (!quoted) return false;
  report_.faults.take_quote(message.text);
  message = as_level(message, Level::warn);
  return find_signature(message) != nullptr && report_.faults.take(message, where);
}

// The innermost line of a stack says most: it is the cause if a row knows it, else quoted.
bool LogReader::take_stack_line(Message message, LogFaults::Where where) {
  const auto at = stack_text_at(message.text);
  if (at == kNowhere) stack_ = Stack::none;
  if (at == kNowhere || at == message.text.size()) return false;
  if (stack_ == Stack::first) report_.faults.take_stack_end(message.text.substr(at));
  message = as_level(message, Level::error);
  const auto* row = find_signature(message);
  if (row == nullptr || row->role > Role::vague || row->name == "mpi-failed") return false;
  return report_.faults.take(message, where);
}

// Open MPI's "  PML add procs failed", "  --> Returned "Not found" (-13) instead of …".
bool LogReader::take_returned(string_view text) {
  const bool returned = text.starts_with("--> Returned");
  if (!indented_ || !(returned || text.ends_with(" failed"))) return false;
  report_.faults.take_stack_end(returned ? fmt::format("{} {}", report_.faults.stack_end, text)
                                         : std::string(text));
  return returned;
}

// Charm++'s "Called CmiAbort" comes a line before its "Reason: ".
bool LogReader::take_reason(Message message, LogFaults::Where where) {
  if (message.text.find("Called CmiAbort") != kNowhere) abort_line_ = where.line;
  if (abort_line_ == 0 || where.line != abort_line_ + 1 || !message.text.starts_with("Reason: "))
    return false;
  return report_.faults.take(as_level(message, Level::error), where);
}

// Open MPI's "A system call failed during shared memory initialization" has the error lines below.
bool LogReader::take_shared_memory(Message message, LogFaults::Where where) {
  constexpr std::size_t kMostBelow = 9;
  if (message.text.starts_with("A system call failed during shared memory"))
    shared_memory_line_ = where.line;
  if (shared_memory_line_ == 0 || where.line > shared_memory_line_ + kMostBelow ||
      !message.text.starts_with("Error: "))
    return false;
  const auto text = fmt::format("shared memory: {}", message.text);
  message.text = message.whole = text;
  return report_.faults.take(as_level(message, Level::error), where);
}

// The first frame of interest in the back trace of a crash.
bool LogReader::take_frame(string_view text, std::size_t line) {
  constexpr std::size_t kMostBelow = 40;
  if (line > crash_line_ + kMostBelow) crash_ = nullptr;
  if (crash_ == nullptr) return false;
  auto frame = frame_in(text);
  if (!frame) return false;
  std::exchange(crash_, nullptr)->frame = *std::move(frame);
  return true;
}

// In a sentence that goes on in small letters, in an indented line below one that is not, and in
// what stands below a colon.
bool LogReader::goes_on(const Message& message) {
  constexpr std::size_t kMostText = 400;
  auto* const fault = std::exchange(open_, nullptr);
  if (fault == nullptr || message.level != Level::none || step_in(message.text)) return false;
  const string_view before = fault->text;
  const bool listed = has_details(fault->row, before);
  const bool of_tasks = listed && fault->row->name == "ranks-missing";
  const std::size_t most_lines = listed ? 8 : 3;
  const auto text = trim(message.text.substr(common_prefix(before, message.text)));
  const bool below_colon = before.ends_with(':');
  if (text.empty() && below_colon && (open_lines_ == 1 || listed)) {
    open_ = fault;
    return true;
  }
  if (text.empty() || before.ends_with('.') || open_lines_ == most_lines ||
      before.size() + text.size() > kMostText || is_rule(text))
    return false;
  const auto* row = find_signature(message);
  const bool silent = row == nullptr || row->role == Role::harmless;
  const bool small = silent && !of_tasks &&
                     std::islower(static_cast<unsigned char>(text[0])) != 0 &&
                     !text.substr(0, text.find(' ')).ends_with(':');
  const bool named = of_tasks && text.starts_with("/job:");
  if (!(silent || is_quoted(*row)) || !(below_colon || indented_ || small || named)) return false;
  fault->text += " " + plain_text(text);
  open_ = fault;
  ++open_lines_;
  return true;
}

void LogReader::take_rule(std::size_t line) {
  headed_ = line > rule_line_ + kMostFramed || rule_line_ == 0;  // else it ends a text
  rule_line_ = headed_ ? line : 0;
}

void LogReader::take_progress(const Message& message) {
  if (shows_results(message.text))
    report_.faults.take_results();
  else
    report_.faults.take_step(message);
}

// Python's "Exception ignored in: " has a traceback below it whose last line is no failure.
bool LogReader::take_ignored(const Message& message, std::size_t line) {
  constexpr std::size_t kMostTrace = 40, kMostPrefix = 60;  // lines, bytes
  if (message.text.find("Exception ignored ") <= kMostPrefix) {
    ignored_ = {.line = line, .rank = message.rank};
    return true;
  }
  if (ignored_.line == 0 || message.rank != ignored_.rank) return false;
  const bool traced = message.text.find("Traceback (most recent") != kNowhere;
  const bool over = line > ignored_.line + kMostTrace || (traced && ignored_.traced);
  if (!over && traced) return ignored_.traced = true;
  if (!over && message.level != Level::exception && !is_exception_name(message.text)) return false;
  ignored_ = {};
  return !over;
}

// Whatever its name, an exception ends Python's traceback: in the first line below its frames that
// is not indented.
void LogReader::follow_traceback(Message& message, std::size_t line) {
  constexpr string_view kBegins = "Traceback (most recent call last):";
  constexpr std::size_t kMostFrames = 200, kMostTorn = 3;  // lines; those of others within
  if (const auto at = message.text.find(kBegins); at != kNowhere) {
    traceback_ = {.line = line, .prefix = std::string(message.text.substr(0, at))};
    return;
  }
  if (line > traceback_.line + kMostFrames) traceback_ = {};
  if (traceback_.line == 0 || !message.text.starts_with(traceback_.prefix)) return;
  const auto text = message.text.substr(traceback_.prefix.size());
  if (traceback_.prefix.empty() ? indented_ : text.starts_with(' ')) return;
  const bool ends = message.level >= Level::error && message.level != Level::none;
  if (!ends && !names_exception(text) && ++traceback_.torn <= kMostTorn) return;
  traceback_ = {};
  if (ends || !names_exception(text)) return;
  message.level = Level::exception;
  message.row.reset();
  const auto* row = find_signature(message);
  message.row = row == nullptr ? &uncaught_row() : row;
}

void LogReader::take_other(Message message, LogFaults::Where where) {
  if (goes_on(message) || message.text.empty() || take_ignored(message, where.line)) return;
  follow_traceback(message, where.line);
  if (const auto* row = ended_by_signal(message.text)) message.row = row;
  if (crash_ != nullptr && take_frame(message.text, where.line)) return;
  const bool headed = std::exchange(headed_, false);
  if (is_rule(message.text)) return take_rule(where.line);
  if (message.text.ends_with("error stack:"))
    stack_ = report_.faults.stack_end.empty() ? Stack::first : Stack::other;
  else if (stack_ != Stack::none && take_stack_line(message, where))
    return;
  if (take_returned(message.text) || take_reason(message, where) ||
      take_shared_memory(message, where))
    return;
  const bool taken = take_quoted(message, where) || report_.faults.take(message, where);
  if (auto* fault = report_.faults.just_quoted()) open_ = fault, open_lines_ = 1;
  if (auto* fault = report_.faults.just_crashed()) crash_ = fault, crash_line_ = where.line;
  const bool passed_over = !taken || report_.faults.just_passed_over();
  if (passed_over && report_.faults.awaits_progress(where.line)) take_progress(message);
  if (taken) return;
  if (headed && std::isalpha(static_cast<unsigned char>(message.text.front())) != 0 &&
      !message.text.starts_with("WARNING"))
    report_.faults.take_heading(message, where);
  if (auto* fault = report_.faults.just_quoted()) open_ = fault, open_lines_ = 1;
  report_.facts.take(message);
}

void LogReader::take_line(string_view line, LogFaults::Where where) {
  constexpr string_view kLastError = "Last error:";
  std::optional<LastError> opened;
  indented_ = line.starts_with("  ") || line.starts_with('\t');
  if (line.find_first_not_of('-') == kNowhere && is_rule(line)) {  // no need to look for prefixes
    last_error_.reset();
    open_ = nullptr;
    return take_rule(where.line);
  }
  each_message(cleaned(line, room_), [&](Message message) {
    if (!is_nccls(message.level)) {
      const auto [level, row] = meanings_.of(message.text);
      message.level = level;
      message.row = row;
    }
    const bool opens = !is_nccls(message.level) && message.text.ends_with(kLastError);
    if (opens)
      opened = {std::string(message.text.substr(0, message.text.size() - kLastError.size())),
                message.rank};
    if (!is_nccls(message.level) && !opens) return take_other(message, where);
    report_.messages += is_nccls(message.level) ? 1 : 0;
    if (message.level == Level::info && report_.facts.take(message))
      return report_.faults.take_progress(message);
    if (!report_.faults.take(message, where) && opens) report_.facts.take(message);
  });
  last_error_ = std::move(opened);
}

void LogReader::read(const std::string& name, const ReadBytes& bytes) {
  ++report_.files;
  last_error_.reset();
  stack_ = Stack::none;
  headed_ = false;
  rule_line_ = abort_line_ = shared_memory_line_ = 0;
  open_ = crash_ = nullptr;
  ignored_ = {};
  traceback_ = {};
  const auto count =
      read_lines(bytes, [&](string_view line, std::size_t number, string_view before) {
        take_line(line, {.file = name, .line = number, .before = before});
        if (last_error_.has_value() || stack_ != Stack::none || headed_ || open_ != nullptr ||
            crash_ != nullptr || ignored_.line != 0 || traceback_.line != 0)
          return Wanted::next;
        return report_.faults.awaits_progress(number) ? Wanted::progress : Wanted::none;
      });
  report_.faults.end_file(name, count.lines);
  report_.count.lines += count.lines;
  report_.count.bytes += count.bytes;
  report_.count.cut += count.cut;
}

}  // namespace linerate::logs
