// From left to right: the first word that is wrong is the sentence.
#include "cli/tokens.h"

#include "base/text.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <optional>
#include <utility>

namespace linerate {
namespace {

constexpr std::string_view kSeeHelp = "-h lists all options.";

// The long name that begins with `typed`, else the one with the fewest edits; empty: none is near.
std::string_view nearest_option(std::string_view typed, Audience program) {
  std::vector<std::string_view> names;
  for (const auto* row : option_rows(program))
    if (has_option(program, *row)) names.push_back(row->long_name);
  for (const auto name : names)
    if (!typed.empty() && name.starts_with(typed)) return name;
  return nearest_match(typed, names);
}

std::string unknown_long(std::string_view word, Audience program) {
  const auto name = word.substr(2, word.find('=') - 2);
  const auto near = nearest_option(name, program);
  if (near.empty()) return fmt::format("Unknown option '--{}'. {}", name, kSeeHelp);
  return fmt::format("Unknown option '--{}': did you mean '--{}'? {}", name, near, kSeeHelp);
}

// -B for -b, the one slip that a letter shows.
std::string unknown_short(char letter, Audience program) {
  const auto byte = static_cast<unsigned char>(letter);
  const char other =
      static_cast<char>(std::isupper(byte) ? std::tolower(byte) : std::toupper(byte));
  if (other != letter && find_option(program, other) != nullptr)
    return fmt::format("Unknown option '-{}': did you mean '-{}'? {}", letter, other, kSeeHelp);
  return fmt::format("Unknown option '-{}'. {}", letter, kSeeHelp);
}

bool looks_like_variable(std::string_view word) {
  const auto equals = word.find('=');
  if (equals == 0 || equals == std::string_view::npos) return false;
  const auto fits = [](unsigned char c) { return std::isalnum(c) || c == '_'; };
  return std::all_of(word.begin(), word.begin() + static_cast<std::ptrdiff_t>(equals), fits);
}

std::string stray(std::string_view word, Audience program) {
  if (word.starts_with("--") && word.size() > 2) return unknown_long(word, program);
  if (word.starts_with('-') && word.size() > 1 && word[1] != '-' &&
      !std::isdigit(static_cast<unsigned char>(word[1])))
    return unknown_short(word[1], program);
  if (looks_like_variable(word))
    return fmt::format(
        "'{}' is not an option: environment variables go before the program, as in "
        "{} all_reduce_perf -b 8.",
        word, word);
  return fmt::format("'{}' belongs to no option: each option takes one value, as in -b 8. {}", word,
                     kSeeHelp);
}

std::string value_missing(const OptionRow& row) {
  return fmt::format("{} needs a value: {} ({}).", row.label(), row.metavar, row.help);
}

// A word that names an option, and what is written behind the name: "8" of -b8, "=8" of
// --minbytes=8.
struct Named {
  const OptionRow* row = nullptr;  // null: it names none
  std::string_view attached = {};
};

Named named_by(std::string_view word, std::span<const OptionRow* const> rows) {
  const bool is_long = word.starts_with("--");
  if (!is_long && (word.size() < 2 || word[0] != '-')) return {};
  const auto end = is_long ? std::min(word.find('='), word.size()) : 2;
  for (const auto* row : rows)
    if (is_long ? row->long_name == word.substr(2, end - 2) : row->short_name == word[1])
      return {row, word.substr(end)};
  return {};
}

// "-minbytes", which getopt reads as -m with a value.
Refusal one_dash_too_few(std::string_view word, Audience program) {
  constexpr std::size_t kShortest = 4;
  if (!word.starts_with('-') || word.starts_with("--") || word.size() < kShortest) return {};
  const auto* row = find_option(program, word.substr(1, word.find('=') - 1));
  if (row == nullptr) return {};
  return fmt::format("'{}' is read as -{} with a value: did you mean '--{}'?", word, word[1],
                     row->long_name);
}

// The value that is part of the word; nothing: it is the next word.
Result<std::optional<std::string>> attached_value(std::string_view word, const Named& named) {
  const auto text = named.attached;
  if (text.empty()) return std::optional<std::string>();
  if (named.row->is_flag())
    return Failure{
        fmt::format("{} takes no value, so '{}' has no meaning.", named.row->label(), text)};
  if (text == "=") return Failure{fmt::format("'{}' has no value behind the '='.", word)};
  return std::optional(std::string(word.starts_with("--") ? text.substr(1) : text));
}

// The option that is called "-b" or "--minbytes", or null.
const OptionRow* option_called(std::string_view word, Audience program) {
  if (word.starts_with("--")) return find_option(program, word.substr(2));
  return word.size() == 2 && word[0] == '-' ? find_option(program, word[1]) : nullptr;
}

}  // namespace

Refusal misplaced_value(const Token& token, Audience program) {
  const auto& [row, text] = token;
  if (row->is_flag()) return {};
  if (text.empty())
    return fmt::format("{} is given an empty value: give {}, or leave it out.", row->label(),
                       row->metavar);
  if (option_called(text.substr(0, text.find('=')), program) != nullptr)
    return fmt::format("{} is followed by the option {}: give {} between them.", row->label(), text,
                       row->metavar);
  return {};
}

Result<std::vector<Token>> tokenise(std::span<const std::string> words, Audience program) {
  const auto rows = option_rows(program);
  std::vector<Token> tokens;
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (const auto refusal = one_dash_too_few(words[i], program)) return Failure{*refusal};
    const auto named = named_by(words[i], rows);
    if (named.row == nullptr) {
      const auto cause = tokens.empty() ? Refusal() : misplaced_value(tokens.back(), program);
      return Failure{cause.value_or(stray(words[i], program))};
    }
    auto value = attached_value(words[i], named);
    if (!value) return value.failure();
    const auto& row = *named.row;
    if (row.is_flag()) {
      tokens.push_back({&row, {}});
      continue;
    }
    if (!*value && i + 1 == words.size()) return Failure{value_missing(row)};
    tokens.push_back({&row, *value ? **value : words[++i]});
    while (row.several && i + 1 < words.size() && !words[i + 1].starts_with('-'))
      tokens.push_back({&row, words[++i]});
  }
  return tokens;
}

bool asks_for_help(std::span<const std::string> words, Audience program) {
  const auto takes_next = [&](std::string_view word) {
    const auto* row = option_called(word, program);
    return row != nullptr && !row->is_flag();
  };
  for (std::size_t i = 0; i < words.size(); ++i)
    if ((words[i] == "-h" || words[i] == "--help") && (i == 0 || !takes_next(words[i - 1])))
      return true;
  return false;
}

bool is_given(std::span<const Token> tokens, std::string_view long_name) {
  return std::ranges::any_of(tokens,
                             [&](const Token& token) { return token.row->long_name == long_name; });
}

Refusal incomplete(std::span<const Token> tokens, Audience program) {
  for (const auto* row : option_rows(program))
    if (row->required && !is_given(tokens, row->long_name))
      return fmt::format("{} is required: {}.", row->label(), row->help);
  for (const auto& [row, text] : tokens) {
    if (row->belongs_to.empty() || is_given(tokens, row->belongs_to)) continue;
    const auto* owner = find_option(program, row->belongs_to);
    return fmt::format("{} belongs to --{}{}{}: give both, or leave it out.", row->label(),
                       owner->long_name, owner->is_flag() ? "" : " ", owner->metavar);
  }
  return {};
}

}  // namespace linerate
