// Which fault a line tells of, and what is kept of it. Of those that are quoted only lines of
// another shape, without numbers, are kept.
#include "diagnose/log/faults.h"

#include "base/text.h"
#include "diagnose/log/lines.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <utility>

namespace linerate::logs {
namespace {

constexpr std::size_t kMostShapes = 100'000, kMostFaults = 200, kMostGroups = 1000;
constexpr auto kEnd = std::string_view::npos;

// Whether the number behind this says what happened: "exitcode: -9", "signal 11", "error 802",
// "init.cc:1079 -> 3".
bool counts_behind(std::string_view before) {
  constexpr std::array<std::string_view, 9> kMarks{"exitcode",  "exit code", "turn code",
                                                   "EXIT CODE", "status",    "ignal",
                                                   "rror",      "rrno",      "ailure"};
  if (before.ends_with(" -> ")) return before.find(".cc:") != kEnd;
  before = before.substr(0, before.find_last_not_of(" :=-([") + 1);
  return std::ranges::any_of(kMarks, [&](auto word) { return before.ends_with(word); });
}

// FNV-1a over the level, what is no number, and numbers that count.
std::size_t shape_of(const Message& message) {
  const auto text = message.text;
  std::size_t hash = 0xcbf29ce484222325U + static_cast<std::size_t>(message.level);
  bool hex = false, counts = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (i == 0 || !is_digit(text[i - 1])) counts = is_digit(c) && counts_behind(text.substr(0, i));
    hex = (c == 'x') || (hex && (is_digit(c) || (c >= 'a' && c <= 'f')));
    if (!counts && (is_digit(c) || (hex && c != 'x'))) continue;
    hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3U;
  }
  return hash;
}

std::string key_of(const Signature* row, const Message& message) {
  if (row != nullptr) return std::string(row->name);
  std::string key(message.site);
  for (const char c : message.text.substr(0, 60))
    if (!is_digit(c)) key += c;
  return key;
}

long number_after(std::string_view text, std::string_view mark) {
  long value = -1;
  if (const auto at = text.find(mark); at != kEnd)
    std::from_chars(text.data() + at + mark.size(), text.data() + text.size(), value);
  return value;
}

std::string_view until(std::string_view text, std::string_view ends) {
  return text.substr(0, text.find_first_of(ends));
}

// The last of the lines that speak, without what stands far above.
template <typename Speaks>
std::vector<std::string> last_lines(std::string_view text, std::size_t most, const Speaks& speaks) {
  constexpr std::size_t kMostSeen = 8;
  std::vector<std::string> lines;
  for (std::size_t seen = 0; !text.empty() && seen < kMostSeen && lines.size() < most; ++seen) {
    text.remove_suffix(text.ends_with('\n') ? 1 : 0);
    const auto begin = text.rfind('\n') + 1;  // npos + 1: the first line
    const auto whole = trim(text.substr(begin));
    const auto line = trim(whole.substr(whole.rfind('\r') + 1));  // the last state of a bar
    if (speaks(line)) lines.insert(lines.begin(), shortened(plain_text(line), 160));
    text = text.substr(0, begin);
  }
  return lines;
}

// No rule of dashes, nor what a launcher says in one.
bool has_words(std::string_view line) {
  const auto is_letter = [](char c) { return std::isalpha(static_cast<unsigned char>(c)) != 0; };
  return std::ranges::any_of(line, is_letter) && line.find("-----") == kEnd;
}

// What a program does without: it may be why a call fails below.
bool tells_doubt(std::string_view line) {
  return line.find(" NCCL INFO ") == kEnd &&
         matches(
             "WARN|arning|Skipp|skipp|allback|alling back|issing| not |Not |n't |nable to |No |"
             " no |enied|efused|nsupported",
             line);
}

// What the log says just above a fault that gives no reason.
std::vector<std::string> lines_above(const Fault& fault, std::string_view text) {
  if (fault.role() >= Role::exit && fault.role() <= Role::relay)
    return last_lines(text, 2, has_words);
  if (fault.role() == Role::vague && fault.row != nullptr && !is_quoted(*fault.row))
    return last_lines(text, 1, tells_doubt);
  return {};
}

// Where no more workers came to a barrier than there are, some are missing, or still awaited.
const Signature* by_workers(const Signature* row, const Message& message) {
  static const auto* const kMissing = signature_of("ranks-missing", Role::consequence);
  static const auto* const kAwaited = signature_of("workers-waited-for", Role::waiting);
  if (row == nullptr || row->name != "store-of-another-job") return row;
  const auto came = number_after(message.text, "worker_count="),
             expected = number_after(message.text, "world_size=");
  if (came < 0 || expected < 0 || came > expected) return row;
  return message.level == Level::none ? kAwaited : kMissing;
}

// What says that a job resumes tells of no new run where that fails, or is only possible.
const Signature* by_new_run(const Signature* row, const Message& message) {
  if (row == nullptr || row->name != kBeginsAgain) return row;
  if (matches("an be |ay be |o be ", message.whole)) return nullptr;
  const bool fails = gives_reason(message.whole) || matches("ailed |rror", message.whole);
  return fails ? &unmarked_row() : row;
}

// Whether the first of several quoted lines gives its place to a later one: it gave no reason, or
// the program went on after it.
bool is_said_better(const Fault& fault, const Signature* row, const Message& message) {
  if (fault.count == 0 || row == nullptr || fault.row == nullptr || !is_quoted(*row)) return false;
  if (row->role > fault.row->role) return false;
  return fault.passed || (fault.generic && gives_reason(message.whole));
}

bool is_of_watchdog(const Signature* row, const Message& message) {
  return (row != nullptr && row->name == "collective-timeout") ||
         message.text.find("last completed NCCL work") != kEnd;
}

// Whether another line that is quoted may be kept; later ones explain nothing.
bool keeps_more(const Fault& fault) {
  constexpr std::size_t kMostNext = 3, kMostLooked = 10'000;
  return fault.next.size() < kMostNext && fault.count < kMostLooked;
}

Quote quoted(const Message& message, LogFaults::Where where) {
  Quote quote{shortened(plain_text(message.whole), 200), std::string(message.time),
              std::string(where.file), where.line};
  std::ranges::replace(quote.time, 'T', ' ');
  return quote;
}

// Of one name: whether this line is nearer to a root than the one that is kept, or as near and
// earlier. How a rank ended depends on what came before.
bool is_nearer(const Fault& fault, const Signature* row, const Message& message) {
  const bool both = fault.row != nullptr && row != nullptr && fault.row->role >= Role::vague;
  if (both && row->role != fault.row->role) return row->role < fault.row->role;
  return !message.time.empty() && is_before(message.time, fault.time);
}

}  // namespace

// One may have a T where the other has a space.
bool is_before(std::string_view a, std::string_view b) {
  constexpr std::size_t kDate = 10;
  if (a.empty() || b.empty()) return false;
  const auto by_date = a.substr(0, kDate) <=> b.substr(0, kDate);
  return by_date < 0 || (by_date == 0 && a.substr(kDate + 1) < b.substr(kDate + 1));
}

// "[PG 1 Rank 3] … WorkNCCL(SeqNum=5, OpType=ALLREDUCE, …", "… last completed NCCL work: 4."
void LogFaults::take_watchdog(const Message& message) {
  const auto rank = message.rank;
  const auto sequence =
      std::max({number_after(message.text, "SeqNum="), number_after(message.text, "at NCCL work: "),
                number_after(message.text, "at work: ")});
  const auto completed = number_after(message.text, "last completed NCCL work: ");
  first_timeout = std::max(first_timeout, number_after(message.text, "timeout from  rank "));
  if (rank < 0 || (sequence < 0 && completed < 0)) return;
  std::string group;
  if (const auto at = message.text.find("[PG "); at != kEnd)
    group = plain_text(until(message.text.substr(at + 4, 60), "]"));
  if (const auto end = group.find(" Rank"); end != std::string::npos) group.resize(end);
  if (waiting.size() >= kMostGroups && !waiting.contains(group)) return;
  auto& ranks = waiting[group];
  if (entries_ >= kMostPlaces) return;
  const auto [known, is_new] = ranks.try_emplace(rank);
  entries_ += is_new ? 1 : 0;
  auto& one = known->second;
  if (one.completed < 0) one.completed = completed;
  if (one.sequence >= 0) return;
  one.sequence = sequence;
  if (const auto at = message.text.find("OpType="); at != kEnd)
    one.operation = plain_text(until(message.text.substr(at + 7, 40), ",)"));
}

void LogFaults::take_quote(std::string_view text) {
  if (quote.empty()) quote = shortened(plain_text(text), 200);
}

void LogFaults::take_heading(const Message& message, Where where) {
  if (heading.empty()) heading = shortened(plain_text(message.text), 200);
  record(&unmarked_row(), message, where);
}

void LogFaults::take_stack_end(std::string_view text) {
  stack_end = shortened(plain_text(text), 200);
}

// Whether no line of its shape has been quoted.
bool LogFaults::is_new_shape(const Message& message) {
  if (shapes_.size() >= kMostShapes) shapes_.clear();
  return shapes_.insert(shape_of(message)).second;
}

void LogFaults::keep_first(Fault& fault, const Message& message, Where where) {
  fault.told = told_ == where.file;
  fault.aborted = aborted_ == where.file;
  constexpr std::size_t kSoon = 200;  // lines
  fault.called = called_ == where.file && where.line <= called_line_ + kSoon;
  fault.text = shortened(plain_text(message.whole), 400);
  fault.generic = is_generic(fault.text);
  fault.file = where.file;
  fault.line = where.line;
  fault.first = place_of(message);
  fault.before = lines_above(fault, where.before);
}

// Where the program goes on for long after its last error, it was none that ended it.
void LogFaults::end_file(std::string_view file, std::size_t lines) {
  for (auto& [key, fault] : faults_)
    if (fault.last_file == file) fault.lines_after = lines - fault.last_line;
  files_.emplace_back(file);
  awaited_until_ = clock_line_ = 0;
  clock_.clear();
  speaker_ = {};
  speakers_differ_ = false;
  // No line of another file says whose those without a mark were.
  std::erase_if(open_, [](Fault* fault) {
    fault->ended = fault->pending.contains(Place());
    return fault->ended;
  });
}

// A traceback right below an error is part of it.
void LogFaults::extend_error(Where where) {
  constexpr std::size_t kNear = 5;  // lines
  const auto error = faults_.find("error-line");
  if (error == faults_.end() || error->second.last_file != where.file) return;
  auto& last = error->second.last_line;
  if (where.line <= last + kNear) last = where.line;
}

bool LogFaults::take(const Message& message, Where where) {
  just_quoted_ = just_crashed_ = nullptr;
  just_passed_over_ = false;
  if (!message.time.empty()) clock_ = message.time, clock_line_ = where.line;
  note_speaker(message);
  const auto* row = by_new_run(by_workers(find_signature(message), message), message);
  if (row == nullptr && message.level != Level::warn) return false;
  if (row != nullptr && row->name == kRanksAlone) {
    take_banner(*row, message, where);
    return true;
  }
  if (row != nullptr && row->name == kRankTwice && message.level == Level::none) {
    take_member(*row, message, where);
    return true;
  }
  if (row != nullptr && row->role == Role::harmless && row->explains.empty()) {
    pass_over(*row, message, where);
    return just_passed_over_ = true;
  }
  record(row, message, where);
  return true;
}

void LogFaults::pass_over(const Signature& row, const Message& message, Where where) {
  if (row.name == "of-a-traceback") extend_error(where);
  if (row.name == kBeginsAgain) take_new_run(message, where.file);
  if (row.name == kEndsWell) take_good_end();
}

// A process that is alone is worth a warning where another one beside it is, too.
void LogFaults::take_banner(const Signature& row, const Message& message, Where where) {
  Banner banner{.alternative = alone_by(row, message.whole),
                .text = std::string(message.whole),
                .file = std::string(where.file),
                .line = where.line};
  std::swap(banner, banner_);
  if (!is_beside(banner, banner_)) return;
  record(&row, message, where);
  auto* const fault = fault_of(&row, message);
  if (fault == nullptr || fault->count > 1) return;
  fault->text = shortened(plain_text(banner.text), 400);
  fault->line = banner.line;
  ++fault->count;
}

void LogFaults::take_member(const Signature& row, const Message& message, Where where) {
  const auto twice = members_.take(message.text, where.file, where.line);
  const auto told = faults_.find(row.name);
  if (told != faults_.end() && members_.all_came()) told->second.survived = true;
  if (twice.empty()) return;
  record(&row, message, where);
  if (auto* const fault = fault_of(&row, message); fault != nullptr && fault->count == 1)
    fault->text += fmt::format(" (only {} came, as many times as there are ranks)", twice);
}

// Null: there are too many.
Fault* LogFaults::fault_of(const Signature* row, const Message& message) {
  if (const auto known = by_row_.find(row); row != nullptr && known != by_row_.end())
    return known->second;
  auto key = key_of(row, message);
  if (faults_.size() >= kMostFaults && !faults_.contains(key)) return nullptr;
  auto* const fault = &faults_[std::move(key)];
  if (row != nullptr) by_row_[row] = fault;
  return fault;
}

void LogFaults::add_place(Fault& fault, const Message& message, Where where) {
  if (entries_ < kMostPlaces || fault.places.empty())
    entries_ += fault.places.insert(place_of(message)).second ? 1 : 0;
  if (fault.count > 0 && where.file != fault.file && (message.time.empty() || fault.time.empty()))
    fault.ordered = false;
}

// What the roles of later faults of this file depend on.
void LogFaults::note_kind(const Signature& row, Where where) {
  if (row.role >= Role::trace && row.role <= Role::relay && row.role != Role::complaint)
    told_ = where.file;
  if (row.name == "program-aborted") aborted_ = where.file;
  if (tells_call(row)) called_ = where.file, called_line_ = where.line;
}

// The last time above it, or in it: a traceback has none.
std::string LogFaults::time_of(const Fault& fault, Where where) const {
  constexpr std::size_t kTrace = 100, kMostLooked = 100;  // lines; times
  if (!clock_.empty() && where.line <= clock_line_ + kTrace) return clock_;
  if (fault.count >= kMostLooked) return {};
  const auto lines = last_lines(where.before, 1, [](auto line) { return !time_in(line).empty(); });
  auto time = lines.empty() ? std::string() : std::string(time_in(lines.front()));
  std::ranges::replace(time, 'T', ' ');
  return time;
}

void LogFaults::record(const Signature* row, const Message& message, Where where) {
  if (is_of_watchdog(row, message)) take_watchdog(message);
  auto* const kept = fault_of(row, message);
  if (kept == nullptr) return;
  auto& fault = *kept;
  add_place(fault, message, where);
  if (row != nullptr) note_kind(*row, where);
  if (row != nullptr && row->name == "rank-crashed" && fault.frame.place.empty())
    just_crashed_ = &fault;
  const bool says_more = is_said_better(fault, row, message);
  if (says_more) fault.next = {{fault.text, fault.time, fault.file, fault.line}};
  fault.passed = false;
  if (std::exchange(fault.resumed, false)) entries_ -= close_all(fault);
  if (!fault.ended) open_fault(fault, row, message);
  fault.stepped_bytes = fault.steps_behind = 0;
  awaited_until_ = where.line + kFarthestStep;
  fault.in_files = fault.in_files || (fault.count > 0 && fault.last_file != where.file);
  fault.last_file = where.file, fault.last_line = where.line;
  fault.last_time = time_of(fault, where);
  const bool is_new =
      row != nullptr && is_quoted(*row) && keeps_more(fault) && is_new_shape(message);
  if (fault.count++ > 0 && !says_more && !is_nearer(fault, row, message)) {
    if (is_new) fault.next.push_back(quoted(message, where));
    return;
  }
  fault.row = row;
  fault.time = message.time;
  std::ranges::replace(fault.time, 'T', ' ');
  keep_first(fault, message, where);
  if (row != nullptr && (is_quoted(*row) || has_details(row, message.whole))) just_quoted_ = &fault;
}

}  // namespace linerate::logs
