// A word and the number behind it.
#include "diagnose/log/progress.h"

#include "diagnose/log/message.h"
#include "diagnose/log/pattern_index.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>

namespace linerate::logs {
namespace {

using std::string_view;
constexpr auto kAbsent = string_view::npos;

std::optional<double> number_at(string_view text) {
  double value = 0;
  if (text.empty() || !is_digit(text.front())) return {};
  const auto [end, error] =
      std::from_chars(text.data(), text.data() + text.size(), value, std::chars_format::fixed);
  return error == std::errc() ? std::optional(value) : std::nullopt;
}

// Behind "tep" of "steps: 7", "step_num=7", "step [7/9]", "'epoch': 7"; no "iterator 7".
std::optional<double> number_behind(string_view text) {
  constexpr std::size_t kMostBetween = 16;
  constexpr std::array<string_view, 8> kEnds{"",     "s",     "ation",   "ations",
                                             "_num", "_step", "_number", "_idx"};
  const auto word = text.find_first_not_of("abcdefghijklmnopqrstuvwxyz_");
  if (word == kAbsent || std::ranges::find(kEnds, text.substr(0, word)) == kEnds.end()) return {};
  const auto number = text.find_first_not_of(" \t:=#[('\"", word);
  if (number == kAbsent || number > word + kMostBetween) return {};
  return number_at(text.substr(number));
}

// "writer", "biter", "max_steps"; a "timestep" is a step.
bool is_in_word(string_view text, std::size_t at) {
  static constexpr std::array<string_view, 4> kOfNumbers{"max_", "num_", "total_", "per_"};
  const auto before = text.substr(0, at);
  if (std::ranges::any_of(kOfNumbers, [=](auto word) { return before.ends_with(word); }))
    return true;
  return at > 0 && text[at] != 's' && std::isalpha(static_cast<unsigned char>(text[at - 1])) != 0;
}

// Of the last state of a bar, as carriage returns join them, if it is one of steps.
std::optional<double> number_of_bar(string_view text) {
  const auto bar = text.rfind("%|");
  const auto end = bar == kAbsent ? kAbsent : text.find("| ", bar + 2);
  if (end == kAbsent || matches("Loading|ownload|Map|Filter", text.substr(0, bar))) return {};
  const auto number = text.find_first_not_of(' ', end + 2);
  return number == kAbsent ? std::nullopt : number_at(text.substr(number));
}

}  // namespace

std::optional<double> step_in(string_view text) {
  static constexpr std::array<string_view, 3> kWords{"tep", "ter", "poch"};
  static constexpr string_view kFirst = "sSiIeE";
  for (std::size_t i = 0; i < kWords.size(); ++i)
    for (auto at = text.find(kWords.at(i)); at != kAbsent; at = text.find(kWords.at(i), at + 1)) {
      if (at == 0 || kFirst.substr(2 * i, 2).find(text[at - 1]) == kAbsent) continue;
      if (is_in_word(text, at - 1)) continue;
      if (const auto number = number_behind(text.substr(at + kWords.at(i).size()))) return number;
    }
  return number_of_bar(text);
}

bool is_unbuffered(string_view text) {
  constexpr std::size_t kNear = 120;  // where a level stands
  if (text.find("%|") != kAbsent) return true;
  const auto begin = text.substr(0, kNear);
  const auto glog = begin.find("[I");
  if (has_shape(begin, "Idddd ") || (glog != kAbsent && has_shape(begin.substr(glog), "[Id")))
    return true;
  if (!matches("INFO|DEBUG|WARNING", begin)) return false;
  for (auto at = begin.find(':'); at != kAbsent; at = begin.find(':', at + 1))
    if (has_shape(begin.substr(at), ":dd:dd")) return true;
  return matches(".py:", begin);
}

// Of nccl-tests, and of a server of models.
bool shows_results(string_view text) {
  return text.find("# Avg bus bandwidth") != kAbsent || matches("\"POST *\" 200 OK", text);
}

}  // namespace linerate::logs
