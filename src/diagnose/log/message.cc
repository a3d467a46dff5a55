// "NCCL INFO" or "NCCL WARN" is found first; what stands before it is read backwards.
#include "diagnose/log/message.h"

#include "base/text.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstddef>

namespace linerate::logs {
namespace {

using std::string_view;
using std::literals::operator""sv;  // compared without strlen()
constexpr auto kNone = string_view::npos;
// Of a progress bar too, which a line of PyTorch may follow.
constexpr std::size_t kMostPrefix = 1000;

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

// What GPUDirect-TCPX has before its function: "tcpxResult_t f(int):12".
bool is_type(string_view word) { return word.ends_with("_t"); }

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
    auto further = before;
    const auto device = last_word(further);
    if (is_type(word) && device.ends_with(']')) rest = before, before = further, word = device;
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

// "2025-05-10 23:09:41,123", or with a level behind it.
bool is_time(string_view text) {
  const auto time = time_in(text);
  if (time.empty() || !text.starts_with(time)) return false;
  const auto rest = text.substr(time.size());
  const auto level = rest.find_first_not_of("0123456789.,:+Z [|");
  return level == kNone || std::ranges::all_of(rest.substr(level), [](char c) {
           return (c >= 'A' && c <= 'Z') || c == ']' || c == '|' || c == ' ';
         });
}

// The number behind "rank", "rank=" or "rank " where that is a mark of the line: at its beginning,
// behind a time, or between brackets or bars, "[rank 3]", "rank=3 ", "| rank3 |".
int rank_of_mark(string_view prefix, std::size_t at) {
  const auto before = trim(prefix.substr(0, at));
  const bool timed = is_time(before);
  const bool bracketed = !before.empty() && string_view("[|").find(before.back()) != kNone;
  if (!before.empty() && !timed && !bracketed && before != "(") return -1;
  auto number = prefix.substr(at + string_view("rank").size());
  const bool equals = number.starts_with('=');
  if (equals || number.starts_with(' ')) number.remove_prefix(1);
  const int rank = leading_number(number);
  const auto end = number.find_first_not_of("0123456789");
  if (rank < 0 || end == kNone) return -1;
  const auto behind = trim(number.substr(end));
  const bool ends = !behind.empty() && string_view("]):|/").find(behind.front()) != kNone;
  return ends || ((equals || timed) && number[end] == ' ') ? rank : -1;
}

// Of PyTorch's "[Rank 3]" and "[rank3]:", mpirun's "[1,3]<stdout>:" and srun's "3: ".
int rank_in(string_view prefix) {
  static constexpr std::array<string_view, 3> kMarks{"Rank ", "[rank", "[1,"};
  const bool bracketed = prefix.find(']') != kNone;
  for (const auto mark : kMarks) {
    const auto at = bracketed ? prefix.find(mark) : kNone;
    if (at == kNone) continue;
    const auto number = prefix.substr(at + mark.size());
    const int rank = leading_number(number);
    const auto end = number.find_first_not_of("0123456789");
    if (rank >= 0 && end != kNone && (number[end] == ']' || (number[end] == '/' && mark != "[1,")))
      return rank;
  }
  constexpr std::size_t kNear = 60;
  for (const string_view word : {"rank", "RANK"}) {
    const auto near = prefix.substr(0, kNear);
    for (auto at = near.find(word); at != kNone; at = near.find(word, at + 1))
      if (const int rank = rank_of_mark(prefix, at); rank >= 0) return rank;
  }
  const auto start = prefix.find_first_not_of(' ');
  if (start == kNone) return -1;
  const auto number = prefix.substr(start);
  const auto end = number.find_first_not_of("0123456789");
  return end != kNone && end > 0 && number.substr(end).starts_with(": ") ? leading_number(number)
                                                                         : -1;
}

// Of Ray's "(Trainer pid=441, ip=10.0.0.7) "; -1: none.
int pid_in(string_view prefix) {
  const auto at = prefix.find(" pid=");
  if (!prefix.starts_with('(') || at == kNone || at > prefix.find(')')) return -1;
  return leading_number(prefix.substr(at + string_view(" pid=").size()));
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
  for (auto at = line.find("NCCL "sv, from); at != kNone; at = line.find("NCCL "sv, at + 1)) {
    const auto word = line.substr(at + 5, 4);
    if (word == "INFO"sv) return {at, 9, Level::info};
    if (word == "WARN"sv) return {at, 9, Level::warn};
    if (word == "ERRO"sv && has_site_before(line.substr(from, at - from)))
      return {at, 10, Level::warn};
  }
  if (from > 0) return {};
  const auto at = line.find("WARN"sv);
  if (at == kNone) return {};
  auto before = line.substr(0, at);
  auto file = last_word(before);
  const bool numbered = take_number(file) >= 0 && line.substr(at + 4).starts_with(' ');
  const bool site = numbered && (file.ends_with(".cc"sv) || file.ends_with(".cu"sv) ||
                                 file.ends_with(".h"sv) || file.ends_with(".c"sv));
  if (site || line.substr(at).starts_with("WARN: Function"sv)) return {at, 4, Level::warn};
  return {};
}

}  // namespace

bool has_shape(string_view text, string_view shape) {
  return text.size() >= shape.size() &&
         std::ranges::equal(shape, text.substr(0, shape.size()), [](char wanted, char c) {
           return wanted == 'd' ? is_digit(c) : c == wanted;
         });
}

string_view time_in(string_view prefix) {
  constexpr string_view kSpaced = "dddd-dd-dd dd:dd:dd", kJoined = "dddd-dd-ddTdd:dd:dd";
  for (auto at = prefix.find('-'); at != kNone; at = prefix.find('-', at + 1)) {
    const auto text = prefix.substr(at < 4 ? at : at - 4);
    if (has_shape(text, kSpaced) || has_shape(text, kJoined)) return text.substr(0, kSpaced.size());
  }
  return {};
}

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
    Message message{.text = text, .whole = text};
    message.time = time_in(line.substr(0, 80));
    message.rank = rank_in(line.substr(0, kMostPrefix));
    message.pid = pid_in(text);
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
