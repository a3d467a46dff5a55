// Single values: how they are read. What they do is rules_advice.cc.
#include "base/text.h"
#include "base/units.h"
#include "diagnose/env/rules.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cerrno>
#include <cstdlib>

namespace linerate::env {
namespace {

bool is_number(Kind kind) {
  return kind == Kind::whole || kind == Kind::flag || kind == Kind::decimal;
}

bool one_of(std::string_view word, std::initializer_list<std::string_view> words) {
  return std::ranges::find(words, lower(word)) != words.end();
}
bool means_yes(std::string_view value) { return one_of(value, {"true", "yes", "on", "y"}); }
bool means_no(std::string_view value) { return one_of(value, {"false", "no", "off", "n"}); }

// What strtoll() makes of a value, of base 0, or as PyTorch does of base 10.
struct Reading {
  long long value = 0;
  std::string_view rest{};  // dropped
  bool digits = false;
  bool octal = false;      // a leading zero, and another digit
  bool too_large = false;  // NCCL then takes the default

  bool is_plain() const { return digits && rest.empty() && !octal && !too_large; }
};

Reading read_whole(const std::string& text, Kind kind) {
  Reading reading;
  char* end = nullptr;
  errno = 0;
  reading.value = std::strtoll(text.c_str(), &end, kind == Kind::decimal ? 10 : 0);
  reading.too_large = errno == ERANGE;
  const auto used = static_cast<std::size_t>(end - text.c_str());
  reading.digits = used > 0;
  reading.rest = std::string_view(text).substr(used);
  const auto digits = trim(std::string_view(text).substr(0, used));
  const auto zero = std::min(digits.find_first_not_of("+-"), digits.size());
  reading.octal = kind != Kind::decimal && reading.value != 0 && digits.substr(zero).size() > 1 &&
                  digits[zero] == '0' && std::isdigit(static_cast<unsigned char>(digits[zero + 1]));
  return reading;
}

// The number that a misread value was meant to be; empty: who knows.
std::string meant_number(const Judged& of, const Reading& reading) {
  std::string_view bare = trim(of.setting.value);
  if (bare.size() > 2 && (bare.front() == '"' || bare.front() == '\''))
    bare = bare.substr(1, bare.size() - 2);
  if (means_yes(bare)) return "1";
  if (read_whole(std::string(bare), of.row.kind).is_plain()) return std::string(bare);
  if (reading.octal && reading.rest.empty())
    return std::string(bare.substr(std::min(bare.find_first_not_of('0'), bare.size())));
  const auto bytes = parse_bytes("size", bare);
  const bool fits = bytes && *bytes <= static_cast<std::size_t>(of.row.most);
  return fits ? std::to_string(*bytes) : std::string();
}

std::string misreading(const Judged& of, const Reading& reading) {
  if (reading.too_large)
    return fmt::format("{} reads a whole number of 64 bits, which cannot hold it.", of.library());
  if (!reading.digits)
    return fmt::format("{} reads a whole number, and this begins with none: it {}.", of.library(),
                       of.row.kind == Kind::decimal ? "stops" : "takes 0");
  if (reading.octal && reading.rest.empty())
    return fmt::format("{} reads a number with a leading zero as octal: it takes {}.", of.library(),
                       reading.value);
  return fmt::format("{} reads the number and drops '{}' behind it: it takes {}.", of.library(),
                     plain_text(std::string(reading.rest)), reading.value);
}

std::optional<Finding> misread_value(const Judged& of) {
  const auto& value = of.setting.value;
  const auto bare = std::string(trim(value));
  if (of.row.kind == Kind::path && value.starts_with('~'))
    return of.found("misread-value", Severity::problem,
                    "NCCL opens the path as it is, and there is no folder '~'.",
                    fmt::format("set {} to the path from / on", of.row.name));
  const auto& list = of.setting.conf ? bare : value;  // of nccl.conf's lines line_finding() tells
  if (of.row.kind == Kind::names && list.find_first_of(" \t") != std::string::npos)
    return of.found("misread-value", Severity::problem,
                    "The list is cut at its commas only: a blank becomes part of a name.",
                    "leave the blanks out, and put commas between the names");
  const auto reading = read_whole(bare, of.row.kind);
  if (!is_number(of.row.kind) || reading.is_plain() || bare.empty()) return {};
  if (means_no(bare) && of.row.kind != Kind::decimal) return {};  // the 0 that it is meant to be
  const auto meant = meant_number(of, reading);
  return of.found("misread-value", Severity::problem, misreading(of, reading),
                  meant.empty() ? fmt::format("set {} to a whole number", of.row.name)
                                : fmt::format("set {}={}", of.row.name, meant));
}

std::optional<Finding> out_of_range(const Judged& of) {
  const auto& row = of.row;
  const auto reading = read_whole(std::string(trim(of.setting.value)), row.kind);
  if (!is_number(row.kind) || !reading.is_plain()) return {};
  const auto value = reading.value;
  if (value >= row.least && value <= row.most && value % row.step == 0) return {};
  const auto range = row.most == Variable{}.most
                         ? fmt::format("from {} on", row.least)
                         : fmt::format("from {} to {}", row.least, row.most);
  const auto near = std::clamp<long long>(value - value % row.step, row.least, row.most);
  return of.found("out-of-range", Severity::problem,
                  row.step == 1 ? fmt::format("It takes whole numbers {}.", range)
                                : fmt::format("It takes multiples of {} {}.", row.step, range),
                  row.kind == Kind::flag ? fmt::format("set {0}=1 or {0}=0", row.name)
                                         : fmt::format("set {}={}", row.name, near));
}

// The words of "ring,tree", "^ring" and "allreduce:ring;broadcast:^tree", one after the other.
std::vector<std::string> words_in(const Judged& of, Kind kind) {
  const auto& value = of.setting.value;
  const bool trims = trims_words(of.row, of.nccl);
  if (kind == Kind::choice || kind == Kind::any_case || kind == Kind::level)
    return {trims ? std::string(trim(value)) : value};
  std::vector<std::string> words;
  for (std::string_view part : split(value, kind == Kind::by_function ? ';' : '\n')) {
    if (kind == Kind::by_function) part.remove_prefix(part.find(':') + 1);  // npos + 1 is 0
    if (part.starts_with('^')) part.remove_prefix(1);
    for (const auto& word : words_of(part, ','))
      words.push_back(trims ? std::string(trim(word)) : word);
  }
  return words;
}

std::optional<Finding> unknown_value(const Judged& of) {
  const auto kind = of.row.kind;
  const bool is_bool = kind == Kind::boolean;
  const auto choices = words_of(is_bool ? "1 t true y yes 0 f false n no" : of.row.choices, ' ');
  const bool is_old_level =
      kind == Kind::level && of.setting.value.find_first_of("0123456789") == 0;
  if (choices.empty() || is_old_level) return {};
  const bool to_the_letter = kind == Kind::choice || kind == Kind::level;
  const auto is_known = [&](const std::string& word) {
    return std::ranges::any_of(choices, [&](const std::string& choice) {
      return to_the_letter ? choice == word : lower(choice) == lower(word);
    });
  };
  const auto words = words_in(of, is_bool ? Kind::any_case : kind);
  const auto word = std::ranges::find_if_not(words, is_known);
  if (word == words.end()) return {};
  const std::vector<std::string_view> views(choices.begin(), choices.end());
  const auto same = std::ranges::find(views, lower(*word), [](auto view) { return lower(view); });
  const auto near = same == views.end() ? nearest_match(*word, views) : *same;
  return of.found("unknown-value", Severity::problem,
                  fmt::format("{} does not know '{}' here.", of.library(), plain_text(*word)),
                  is_bool
                      ? fmt::format("set {0}=1 or {0}=0: PyTorch stops at other words", of.row.name)
                  : !near.empty() && *word == of.setting.value
                      ? fmt::format("set {}={}", of.row.name, near)
                      : fmt::format("choose one of {}", join(views, ", ")));
}

constexpr std::array<ValueRule, 3> kValueRules{misread_value, out_of_range, unknown_value};

}  // namespace

std::vector<std::string> words_of(std::string_view text, char separator) {
  auto words = split(text, separator);
  std::erase(words, "");
  return words;
}

std::optional<long long> whole_of(const Process& process, std::string_view name) {
  const auto* setting = process.find(name);
  if (setting == nullptr || setting->computed) return {};
  const auto reading = read_whole(setting->value, Kind::whole);
  return reading.is_plain() ? std::optional(reading.value) : std::nullopt;
}

namespace {

// Of its range nothing is known.
void judge_undocumented(const Setting& setting, const Release& nccl, Findings& findings) {
  const auto* names = find_undocumented(setting.name);
  if (names == nullptr || !is_undocumented_number(setting.name)) return;
  if (names->since > nccl || (names->until != Release{} && names->until < nccl)) return;
  const Variable row{.name = setting.name, .kind = Kind::whole};
  if (auto finding = misread_value({setting, row, nccl})) findings.push_back(*std::move(finding));
}

}  // namespace

// Those whose value is here and means something to this version.
void judge_value(const Setting& setting, const Release& nccl, Findings& findings) {
  if (setting.computed || setting.value.empty()) return;
  const auto* row = find_variable(setting.name);
  if (row == nullptr) return judge_undocumented(setting, nccl, findings);
  if (row->since > nccl || (row->until != Release{} && row->until < nccl)) return;
  const Judged judged{setting, *row, nccl};
  for (const auto rules : {std::span<const ValueRule>(kValueRules), advice_rules()})
    for (const auto rule : rules)
      if (auto finding = rule(judged)) findings.push_back(*std::move(finding));
}

}  // namespace linerate::env
