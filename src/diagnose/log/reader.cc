// What a line says by itself, and what the line before it makes of it.
#include "base/text.h"
#include "diagnose/log/report.h"

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

}  // namespace

// Ranks write into each other's lines: the same one shows by its rank, else by the prefix.
bool LogReader::LastError::goes_on_in(const Message& message) const {
  return message.rank == rank && (rank >= 0 || message.text.starts_with(prefix));
}

// As the warning of NCCL that it quotes.
bool LogReader::take_quoted(Message message, LogFaults::Where where) {
  constexpr string_view kLastError = "Last error:",
                        kLastEntry = "log entry (may be unrelated) '";  // XLA's
  bool quoted = last_error_ && last_error_->goes_on_in(message);
  for (const auto mark : {kLastError, kLastEntry})
    if (const auto at = message.text.find(mark); at != kNowhere) {
      message.text = message.whole = trim(message.text.substr(at + mark.size()));
      quoted = true;
    }
  if (!quoted) return false;
  report_.faults.take_quote(message.text);
  message.level = Level::warn;
  return find_signature(message) != nullptr && report_.faults.take(message, where);
}

// The innermost line of a stack says most: it is the cause if a row knows it, else quoted.
bool LogReader::take_stack_line(Message message, LogFaults::Where where) {
  const auto at = stack_text_at(message.text);
  if (at == kNowhere) stack_ = Stack::none;
  if (at == kNowhere || at == message.text.size()) return false;
  if (stack_ == Stack::first) report_.faults.take_stack_end(message.text.substr(at));
  message.level = Level::error;
  const auto* row = find_signature(message);
  if (row == nullptr || row->role > Role::vague || row->name == "mpi-failed") return false;
  return report_.faults.take(message, where);
}

void LogReader::take_rule(std::size_t line) {
  headed_ = line > rule_line_ + kMostFramed || rule_line_ == 0;  // else it ends a text
  rule_line_ = headed_ ? line : 0;
}

void LogReader::take_other(const Message& message, LogFaults::Where where) {
  if (message.text.empty()) return;
  const bool headed = std::exchange(headed_, false);
  if (is_rule(message.text)) return take_rule(where.line);
  if (message.text.ends_with("error stack:"))
    stack_ = report_.faults.stack_end.empty() ? Stack::first : Stack::other;
  else if (stack_ != Stack::none && take_stack_line(message, where))
    return;
  if (take_quoted(message, where) || report_.faults.take(message, where)) return;
  if (headed && std::isalpha(static_cast<unsigned char>(message.text.front())) != 0 &&
      !message.text.starts_with("WARNING"))
    report_.faults.take_heading(message.text);
  report_.facts.take(message);
}

void LogReader::take_line(string_view line, LogFaults::Where where) {
  constexpr string_view kLastError = "Last error:";
  std::optional<LastError> opened;
  if (line.find_first_not_of('-') == kNowhere && is_rule(line)) {  // no need to look for prefixes
    last_error_.reset();
    return take_rule(where.line);
  }
  each_message(cleaned(line, room_), [&](const Message& message) {
    const bool opens = !is_nccls(message.level) && message.text.ends_with(kLastError);
    if (opens)
      opened = {std::string(message.text.substr(0, message.text.size() - kLastError.size())),
                message.rank};
    if (!is_nccls(message.level) && !opens) return take_other(message, where);
    report_.messages += is_nccls(message.level) ? 1 : 0;
    if (message.level == Level::info && report_.facts.take(message))
      return report_.faults.take_progress(message, where.file);
    if (!report_.faults.take(message, where) && opens) report_.facts.take(message);
  });
  last_error_ = std::move(opened);
}

void LogReader::read(const std::string& name, const ReadBytes& bytes) {
  ++report_.files;
  last_error_.reset();
  stack_ = Stack::none;
  headed_ = false;
  rule_line_ = 0;
  const auto count = read_lines(bytes, [&](string_view line, std::size_t number) {
    take_line(line, {.file = name, .line = number});
    return last_error_.has_value() || stack_ != Stack::none || headed_;
  });
  report_.count.lines += count.lines;
  report_.count.bytes += count.bytes;
}

}  // namespace linerate::logs
