// Which lines of other programs are errors: by a level that they name, or by an exception's name at
// their beginning. One pass over a line finds which of these marks it holds at all.
#include "diagnose/log/level.h"

#include "base/text.h"
#include "diagnose/log/word_set.h"

#include <algorithm>
#include <array>
#include <cstddef>

namespace linerate::logs {
namespace {

using std::string_view;
constexpr auto kNotThere = string_view::npos;

constexpr std::array<string_view, 33> kErrorMarks{"Error",
                                                  "Exception",
                                                  "Interrupt",
                                                  "error",
                                                  "fatal",
                                                  "Fatal",
                                                  "what():",
                                                  "Unhandled exception: ",
                                                  " E ",
                                                  " C ",
                                                  ".cpp:",
                                                  ".cc:",
                                                  ".c:",
                                                  ".h:",  // of a source
                                                  "ERROR",
                                                  "CCL_ERROR",
                                                  "FATAL",
                                                  "CRITICAL",
                                                  "<error>",
                                                  "Abort(",
                                                  "] *** ",
                                                  "Fatal ",
                                                  "[Error]",
                                                  "[error]",
                                                  "[fatal]",
                                                  "[Fatal]",
                                                  "terminate called",
                                                  "panic: ",
                                                  "panicked at",
                                                  "Error response",
                                                  "level=error",
                                                  "level=fatal",
                                                  "forrtl: "};
// The names of errors stand before the first of these, the names of levels from the second on.
constexpr std::size_t kNamesEnd = 6, kFirstLevel = 14;
static_assert(kErrorMarks[kNamesEnd - 1] == "Fatal" && kErrorMarks[kNamesEnd] == "what():");
static_assert(kErrorMarks[kFirstLevel - 1] == ".h:" && kErrorMarks[kFirstLevel] == "ERROR");
constexpr WordSet kMarkSet(kErrorMarks);
constexpr auto kOfSource =
    kMarkSet.bit(".cpp:") | kMarkSet.bit(".cc:") | kMarkSet.bit(".h:") | kMarkSet.bit(".c:");
using Marks = WordSet<kErrorMarks.size()>::Found;

bool is_name_char(char c) { return is_host_char(c) || c == ':'; }

bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }

bool is_code_char(char c) { return (c >= 'A' && c <= 'Z') || is_digit(c) || c == '_'; }

// A launcher's prefix, a quotation mark, pytest's "E ", a colour that lost its escape.
bool may_precede_name(string_view text) {
  const auto word = trim(text);
  return is_prefix(word) || word == "E" || word.ends_with("[0m") ||
         string_view("\"`'*").find(word.back()) != kNotThere;
}

// "Fortran runtime error: text" behind a prefix, and not "Test error: 0.5".
bool is_titled(string_view line, std::size_t at, string_view behind) {
  if (behind.size() < 3 || !behind.starts_with(": ") ||
      !(is_letter(behind[2]) || behind[2] == '\''))
    return false;
  auto begin = at;
  while (begin > 0 && (is_letter(line[begin - 1]) || line[begin - 1] == ' ')) --begin;
  return begin < at && may_precede_name(line.substr(0, begin));
}

// "Error in user input", "Error reading file", "Error EDDRMM: a call".
bool is_told(string_view line, std::size_t at, string_view behind) {
  if (!behind.starts_with(' ') || !may_precede_name(line.substr(0, at))) return false;
  const auto word = behind.substr(1, behind.find_first_of(" :", 1) - 1);
  const bool is_code = word.size() > 2 && std::ranges::all_of(word, is_code_char);
  if (is_code && behind.substr(word.size() + 1).starts_with(": ")) return true;
  return word.ends_with("ing") || word == "in" || word == "while" || word == "from" || word == "on";
}

bool names_level(string_view begin, std::size_t at, string_view level) {
  return at + level.size() <= begin.size() &&
         (at == 0 || !(is_letter(begin[at - 1]) || begin[at - 1] == '_')) &&
         !begin.substr(at + level.size()).starts_with('_');
}

// A program that calls it a warning goes on after it, and one that only notes that it tries again.
bool is_told_as_less(string_view before, string_view behind) {
  const auto names = [=](string_view level) {
    const auto at = before.find(level);
    return at != kNotThere && names_level(before, at, level);
  };
  const bool goes_on = behind.find("etrying") != kNotThere || behind.find("kipping") != kNotThere ||
                       behind.find("gnoring") != kNotThere;
  return names("WARN") || names("DEBUG") || (names("INFO") && goes_on) ||
         before.ends_with("Warning: ") || before.starts_with("XFAIL");
}

// "torch.OutOfMemoryError: …" behind a prefix is an exception, "error: …" an error.
Level level_by_name(string_view line, const Marks& marks) {
  for (std::size_t i = 0; i < kNamesEnd; ++i) {
    const auto end = kErrorMarks.at(i);
    auto at = marks.has(i) ? marks.first.at(i) : kNotThere;
    for (; at != kNotThere; at = line.find(end, at + 1)) {
      const auto behind = line.substr(at + end.size());
      if ((end == "error" && is_titled(line, at, behind)) ||
          (end == "Error" && is_told(line, at, behind)))
        return Level::error;
      const bool ends = behind.empty() || behind == ":" || behind.starts_with(": ") ||
                        behind.starts_with(" : ") || behind.starts_with('(');
      auto begin = at;
      while (begin > 0 && (is_name_char(line[begin - 1]))) --begin;
      while (begin < at && !is_letter(line[begin]) && line[begin] != '_') ++begin;
      const auto before = line.substr(0, begin);
      if (!ends || !may_precede_name(before) || is_told_as_less(before, behind)) continue;
      if (end == "Exception" && at == begin && behind.size() < 2) continue;  // says nothing
      if (end == "Exception" || (at > begin && (end == "Error" || end == "Interrupt")))
        return Level::exception;
      if (at == begin) return Level::error;
    }
  }
  return Level::none;
}

// "E0504 10:00:00.1 1 model.cc:3] " or with a year, also behind a launcher's prefix.
bool has_short_mark(string_view line) {
  for (std::size_t at = 0; at + 4 < line.size(); ++at) {
    if ((line[at] != 'E' && line[at] != 'F') || !is_digit(line[at + 1])) continue;
    const auto date = line.substr(at + 1, line.substr(at + 1).find(' '));
    if ((date.size() == 4 || date.size() == 8) && std::ranges::all_of(date, is_digit) &&
        is_prefix(line.substr(0, at)))
      return line.find(".cc:", at) != kNotThere || line.find(".cpp:", at) != kNotThere ||
             line.find(".c:", at) != kNotThere || line.find(".h:", at) != kNotThere;
  }
  return false;
}

// Ray's "[2025-03-04 19:28:30,014 E 27497 27497] ", or C where it ends.
bool has_ray_mark(string_view line) {
  static constexpr std::array<string_view, 2> kMarksOfRay{" E ", " C "};
  for (const auto mark : kMarksOfRay)
    for (auto at = line.find(mark); at != kNotThere; at = line.find(mark, at + 1))
      if (at >= 4 && line[at - 4] == ',' && is_digit(line[at - 1]) &&
          at + mark.size() < line.size() && is_digit(line[at + mark.size()]))
        return true;
  return false;
}

// Ascend's "EH9999: ", also behind a launcher's prefix.
bool has_ascend_mark(string_view line) {
  for (auto at = line.find(": "); at != kNotThere; at = line.find(": ", at + 1)) {
    if (at < 6) continue;
    const auto code = line.substr(at - 6, 6);
    if (code[0] == 'E' && code[1] >= 'A' && code[1] <= 'Z' &&
        std::ranges::all_of(code.substr(2), is_digit) && is_prefix(line.substr(0, at - 6)))
      return true;
  }
  return false;
}

// PyTorch's "[E socket.cpp:793] " and "[E1229 22:06:38.4 Process.cpp:16] ", TensorFlow's ": E ".
bool has_error_mark(string_view line, std::uint64_t marks) {
  constexpr std::size_t kMostPath = 120;  // of a source file, and a time before it
  static constexpr std::array<string_view, 4> kBegins{"[E", "[F", ": E ", ": F "};
  if ((marks & (kMarkSet.bit(" E ") | kMarkSet.bit(" C "))) != 0 && has_ray_mark(line)) return true;
  if (has_ascend_mark(line)) return true;
  if ((marks & kOfSource) == 0) return false;
  if (has_short_mark(line)) return true;
  for (const auto mark : kBegins)
    for (auto at = line.find(mark); at != kNotThere; at = line.find(mark, at + 1)) {
      const auto behind = line.substr(line.find_first_of("EF", at) + 1, kMostPath);
      if (!behind.empty() && (behind[0] == ' ' || is_digit(behind[0])) &&
          (behind.find(".cpp:") != kNotThere || behind.find(".cc:") != kNotThere))
        return true;
    }
  return false;
}

}  // namespace

Level level_of(string_view line) {
  static constexpr std::array<string_view, 6> kStatus{
      // absl's, at the beginning
      "INTERNAL: ", "ABORTED: ",   "UNAVAILABLE: ",
      "UNKNOWN: ",  "CANCELLED: ", "DEADLINE_EXCEEDED: "};
  constexpr std::size_t kLevelsWithin = 200;  // names of levels stand there
  // Of a progress bar too, which a line of PyTorch may follow.
  constexpr std::size_t kMostPrefix = 1000;
  const auto marks = kMarkSet.in(line.substr(0, kMostPrefix));
  const auto begin = line.substr(0, kLevelsWithin);
  const auto named = level_by_name(line.substr(0, kMostPrefix), marks);
  const auto what = (marks.words & kMarkSet.bit("what():")) == 0 ? kNotThere : line.find("what():");
  if (named == Level::exception || what == 0 || begin.find("Unhandled exception: ") != kNotThere ||
      (what < kLevelsWithin && may_precede_name(line.substr(0, what))))
    return Level::exception;
  const auto begins = [&](string_view status) { return begin.starts_with(status); };
  if (named == Level::error || has_error_mark(begin, marks.words) ||
      std::ranges::any_of(kStatus, begins))
    return Level::error;
  for (auto i = kFirstLevel; i < kErrorMarks.size(); ++i)
    if (marks.has(i) && names_level(begin, marks.first.at(i), kErrorMarks.at(i)))
      return Level::error;
  return Level::none;
}

}  // namespace linerate::logs
