// "NCCL INFO" or "NCCL WARN" is found first; what stands before it is read backwards. Other lines
// are errors by a level that they name, or by an exception's name at their beginning.
#include "diagnose/log/message.h"

#include "base/text.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstddef>

namespace linerate::logs {
namespace {

using std::string_view;
constexpr auto kNone = string_view::npos;
// Of a progress bar too, which a line of PyTorch may follow.
constexpr std::size_t kMostPrefix = 1000;

bool is_digit(char c) { return c >= '0' && c <= '9'; }

bool is_host_char(char c) {
  return is_digit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '.' || c == '_' ||
         c == '-';
}

// Takes the last word off `rest`.
string_view last_word(string_view& rest) {
  while (rest.ends_with(' ')) rest.remove_suffix(1);
  auto begin = rest.size();
  while (begin > 0 && rest[begin - 1] != ' ' && rest[begin - 1] != '\t') --begin;
  const auto word = rest.substr(begin);
  rest.remove_suffix(word.size());
  return word;
}

// Takes ":1234" off the end of `word`; -1: it does not end so.
int take_number(string_view& word) {
  const auto colon = word.rfind(':');
  if (colon == kNone || colon + 1 == word.size()) return -1;
  const auto digits = word.substr(colon + 1);
  if (!std::ranges::all_of(digits, is_digit)) return -1;
  word.remove_suffix(digits.size() + 1);
  return leading_number(digits);
}

// "path/file.cc:12" or "function:12", and not "host:12:13".
bool is_site(string_view word) { return take_number(word) >= 0 && word.find(':') == kNone; }

// host:pid:tid at the end of `rest`, glued to a launcher's prefix or not; the rest is what is left.
void take_process(string_view& rest, Message& message) {
  auto before = rest;
  auto word = last_word(before);
  const auto size = word.size();
  if (take_number(word) < 0) return;
  const int pid = take_number(word);
  if (pid < 0) return;
  std::size_t begin = word.size();
  while (begin > 0 && is_host_char(word[begin - 1])) --begin;
  if (begin == word.size()) return;
  message.host = word.substr(begin);
  message.pid = pid;
  while (rest.ends_with(' ')) rest.remove_suffix(1);
  rest.remove_suffix(size - begin);
}

// Where in the line the message begins, with what it says of its process.
std::size_t read_header(string_view line, std::size_t tag, Message& message) {
  auto rest = line.substr(0, tag);
  auto before = rest;
  auto word = last_word(before);
  if (word.starts_with('(') && word.ends_with(')')) {  // the function, since 2.30
    rest = before;
    word = last_word(before);
  }
  if (message.level == Level::warn && is_site(word)) {
    message.site = word;
    rest = before;
    word = last_word(before);
  }
  if (word.size() > 2 && word.ends_with(']') && is_digit(word[word.size() - 2])) {
    const auto open = word.rfind('[');
    if (open != kNone) {
      message.device = leading_number(word.substr(open + 1));
      rest.remove_suffix(rest.size() - before.size() - open);
    }
  }
  take_process(rest, message);
  return rest.size();
}

// "2025-05-10 23:09:41" or with a T.
string_view time_in(string_view prefix) {
  constexpr string_view kShape = "dddd-dd-dd dd:dd:dd";
  for (auto at = prefix.find('-'); at != kNone; at = prefix.find('-', at + 1)) {
    if (at < 4 || at - 4 + kShape.size() > prefix.size()) continue;
    const auto text = prefix.substr(at - 4, kShape.size());
    const bool fits = std::ranges::equal(text, kShape, [](char c, char shape) {
      return shape == 'd' ? is_digit(c) : c == shape || (shape == ' ' && c == 'T');
    });
    if (fits) return text;
  }
  return {};
}

// Of PyTorch's "[Rank 3]" and "[rank3]:", mpirun's "[1,3]<stdout>:" and srun's "3: ".
int rank_in(string_view prefix) {
  for (const string_view mark : {"Rank ", "[rank", "[1,"}) {
    const auto at = prefix.find(mark);
    if (at == kNone) continue;
    const auto number = prefix.substr(at + mark.size());
    const int rank = leading_number(number);
    const auto end = number.find_first_not_of("0123456789");
    if (rank >= 0 && end != kNone && number[end] == ']') return rank;
  }
  const auto start = prefix.find_first_not_of(' ');
  if (start == kNone) return -1;
  const auto number = prefix.substr(start);
  const auto end = number.find_first_not_of("0123456789");
  return end != kNone && end > 0 && number.substr(end).starts_with(": ") ? leading_number(number)
                                                                         : -1;
}

struct Tag {
  std::size_t at = kNone, size = 0;
  Level level = Level::none;
};

// Whether a site stands before, with the function behind it or not.
bool has_site_before(string_view before) {
  auto word = last_word(before);
  if (word.starts_with('(') && word.ends_with(')')) word = last_word(before);
  return is_site(word);
}

// "NCCL INFO", "NCCL WARN", "NCCL ERROR" since 2.31, which other programs write, too, and what NCCL
// before 2.4 and libfabric's plugin outside of NCCL write: "include/socket.h:344 WARN ", "WARN:
// Function: ".
Tag next_tag(string_view line, std::size_t from) {
  for (auto at = line.find("NCCL ", from); at != kNone; at = line.find("NCCL ", at + 1)) {
    const auto word = line.substr(at + 5, 4);
    if (word == "INFO") return {at, 9, Level::info};
    if (word == "WARN") return {at, 9, Level::warn};
    if (word == "ERRO" && has_site_before(line.substr(from, at - from)))
      return {at, 10, Level::warn};
  }
  if (from > 0) return {};
  const auto at = line.find("WARN");
  if (at == kNone) return {};
  auto before = line.substr(0, at);
  auto file = last_word(before);
  const bool numbered = take_number(file) >= 0 && line.substr(at + 4).starts_with(' ');
  const bool site = numbered && (file.ends_with(".cc") || file.ends_with(".cu") ||
                                 file.ends_with(".h") || file.ends_with(".c"));
  if (site || line.substr(at).starts_with("WARN: Function")) return {at, 4, Level::warn};
  return {};
}

bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }

// A launcher's prefix, a quotation mark, pytest's "E ", a colour that lost its escape.
bool may_precede_name(string_view text) {
  const auto word = trim(text);
  return is_prefix(word) || word == "E" || word.ends_with("[0m") ||
         string_view("\"`'*").find(word.back()) != kNone;
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

// "Error in user input", "Error reading file".
bool is_told(string_view line, std::size_t at, string_view behind) {
  if (!behind.starts_with(' ') || !may_precede_name(line.substr(0, at))) return false;
  const auto word = behind.substr(1, behind.find_first_of(" :", 1) - 1);
  return word.ends_with("ing") || word == "in" || word == "while" || word == "from" || word == "on";
}

// "torch.OutOfMemoryError: …" behind a prefix is an exception, "error: …" an error.
Level level_by_name(string_view line) {
  for (const string_view end : {"Error", "Exception", "Interrupt", "error", "fatal", "Fatal"})
    for (auto at = line.find(end); at != kNone; at = line.find(end, at + 1)) {
      const auto behind = line.substr(at + end.size());
      if ((end == "error" && is_titled(line, at, behind)) ||
          (end == "Error" && is_told(line, at, behind)))
        return Level::error;
      const bool ends = behind.empty() || behind == ":" || behind.starts_with(": ") ||
                        behind.starts_with(" : ") || behind.starts_with('(');
      auto begin = at;
      while (begin > 0 && (is_host_char(line[begin - 1]) || line[begin - 1] == ':')) --begin;
      while (begin < at && !is_letter(line[begin])) ++begin;
      if (!ends || !may_precede_name(line.substr(0, begin))) continue;
      if (end == "Exception" && at == begin && behind.size() < 2) continue;  // says nothing
      if (end == "Exception" || (at > begin && (end == "Error" || end == "Interrupt")))
        return Level::exception;
      if (at == begin) return Level::error;
    }
  return Level::none;
}

// "E0504 10:00:00.1 1 model.cc:3] " or with a year, also behind a launcher's prefix.
bool has_short_mark(string_view line) {
  for (auto at = line.find_first_of("EF"); at != kNone; at = line.find_first_of("EF", at + 1)) {
    const auto date = line.substr(at + 1, line.substr(at + 1).find(' '));
    if ((date.size() == 4 || date.size() == 8) && std::ranges::all_of(date, is_digit) &&
        is_prefix(line.substr(0, at)))
      return line.find(".cc:", at) != kNone || line.find(".cpp:", at) != kNone ||
             line.find(".h:", at) != kNone;
  }
  return false;
}

// Ray's "[2025-03-04 19:28:30,014 E 27497 27497] ", or C where it ends.
bool has_ray_mark(string_view line) {
  for (const string_view mark : {" E ", " C "})
    for (auto at = line.find(mark); at != kNone; at = line.find(mark, at + 1))
      if (at >= 4 && line[at - 4] == ',' && is_digit(line[at - 1]) &&
          leading_number(line.substr(at + mark.size())) >= 0)
        return true;
  return false;
}

// PyTorch's "[E socket.cpp:793] " and "[E1229 22:06:38.4 Process.cpp:16] ", TensorFlow's ": E ".
// Ascend's "EH9999: ", also behind a launcher's prefix.
bool has_ascend_mark(string_view line) {
  for (auto at = line.find(": "); at != kNone; at = line.find(": ", at + 1)) {
    if (at < 6) continue;
    const auto code = line.substr(at - 6, 6);
    if (code[0] == 'E' && code[1] >= 'A' && code[1] <= 'Z' &&
        std::ranges::all_of(code.substr(2), is_digit) && is_prefix(line.substr(0, at - 6)))
      return true;
  }
  return false;
}

bool has_error_mark(string_view line) {
  constexpr std::size_t kMostPath = 120;  // of a source file, and a time before it
  if (has_short_mark(line) || has_ray_mark(line) || has_ascend_mark(line)) return true;
  for (const string_view mark : {"[E", "[F", ": E ", ": F "})
    for (auto at = line.find(mark); at != kNone; at = line.find(mark, at + 1)) {
      const auto behind = line.substr(line.find_first_of("EF", at) + 1, kMostPath);
      if (!behind.empty() && (behind[0] == ' ' || is_digit(behind[0])) &&
          (behind.find(".cpp:") != kNone || behind.find(".cc:") != kNone))
        return true;
    }
  return false;
}

Level level_of(string_view line) {
  constexpr std::array<string_view, 19> kLevels{"ERROR",
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
  constexpr std::array<string_view, 6> kStatus{// absl's, at the beginning
                                               "INTERNAL: ", "ABORTED: ",   "UNAVAILABLE: ",
                                               "UNKNOWN: ",  "CANCELLED: ", "DEADLINE_EXCEEDED: "};
  constexpr std::size_t kLevelsWithin = 200;  // names of levels stand there
  const auto named = level_by_name(line.substr(0, kMostPrefix));
  const auto what = line.find("what():");
  const auto begin = line.substr(0, kLevelsWithin);
  if (named == Level::exception || what == 0 || begin.find("Unhandled exception: ") != kNone ||
      (what < kLevelsWithin && may_precede_name(line.substr(0, what))))
    return Level::exception;
  const auto begins = [&](string_view status) { return begin.starts_with(status); };
  if (named == Level::error || has_error_mark(begin) || std::ranges::any_of(kStatus, begins))
    return Level::error;
  const bool says = std::ranges::any_of(kLevels, [&](string_view level) {
    const auto at = begin.find(level);
    return at != kNone && (at == 0 || !(is_letter(begin[at - 1]) || begin[at - 1] == '_')) &&
           !begin.substr(at + level.size()).starts_with('_');
  });
  return says ? Level::error : Level::none;
}

}  // namespace

bool is_prefix(string_view text) {
  text = trim(text);
  if (text.ends_with('Z')) text.remove_suffix(1);
  return text.empty() || string_view(":])>|-0123456789").find(text.back()) != kNone ||
         static_cast<unsigned char>(text.back()) >= 0x80;  // a frame's
}

int leading_number(string_view text) {
  int value = -1;
  if (text.empty() || !is_digit(text.front())) return -1;
  std::from_chars(text.data(), text.data() + text.size(), value);
  return value;
}

string_view cleaned(string_view line, std::string& room) {
  if (line.ends_with('\r')) line.remove_suffix(1);
  if (line.find('\x1b') == kNone && line.find('\0') == kNone && line.find('\r') == kNone)
    return line;
  room.clear();
  for (std::size_t i = 0; i < line.size(); ++i) {
    const char c = line[i];
    if (c == '\x1b' && i + 1 < line.size() && line[i + 1] == '[') {
      i += 2;
      while (i < line.size() && (line[i] < '@' || line[i] > '~')) ++i;
    } else if (c != '\0' && c != '\r' && c != '\x1b') {
      room += c;
    }
  }
  return room;
}

void each_message(string_view line, const std::function<void(const Message&)>& take) {
  auto tag = next_tag(line, 0);
  if (tag.at == kNone) {
    const auto text = trim(line);
    Message message{.level = level_of(text), .text = text, .whole = text};
    message.time = time_in(line.substr(0, 80));
    message.rank = rank_in(line.substr(0, kMostPrefix));
    return take(message);
  }
  std::size_t from = 0;
  Message message{.level = tag.level};
  auto begin = read_header(line, tag.at, message);
  while (tag.at != kNone) {
    const auto prefix = line.substr(from, begin - from);
    message.time = time_in(prefix);
    message.rank = rank_in(prefix);
    const auto next = next_tag(line, tag.at + tag.size);
    Message following{.level = next.level};
    from = tag.at + tag.size;
    const auto end = next.at == kNone ? line.size() : read_header(line, next.at, following);
    const auto stop = std::max(end, from);
    message.text = trim(line.substr(from, stop - from));
    const auto start =
        message.site.empty() ? tag.at : static_cast<std::size_t>(message.site.data() - line.data());
    message.whole =
        message.level == Level::warn ? trim(line.substr(start, stop - start)) : message.text;
    take(message);
    message = following;
    begin = stop;
    tag = next;
  }
}

}  // namespace linerate::logs
