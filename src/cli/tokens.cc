// See tokens.h. CLI11 splits the words; the sentences are ours.
#include "cli/tokens.h"

#include "base/text.h"
#include "cli/option_table.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <cctype>
#include <map>

namespace linerate {
namespace {

constexpr std::string_view kSeeHelp = "-h lists all options.";

std::vector<std::string_view> long_names(Audience audience) {
  std::vector<std::string_view> names;
  for (const auto* row : option_rows(audience))
    if (has_option(audience, *row)) names.push_back(row->long_name);
  return names;
}

// The long name that begins with `typed`, else the one with the fewest edits; empty: none is near.
std::string_view nearest_option(std::string_view typed, Audience audience) {
  const auto names = long_names(audience);
  for (const auto name : names)
    if (!typed.empty() && name.starts_with(typed)) return name;
  return nearest_match(typed, names);
}

std::string unknown_long(std::string_view word, Audience audience) {
  const auto name = word.substr(2, word.find('=') - 2);
  const auto near = nearest_option(name, audience);
  if (near.empty()) return fmt::format("Unknown option '--{}'. {}", name, kSeeHelp);
  return fmt::format("Unknown option '--{}': did you mean '--{}'? {}", name, near, kSeeHelp);
}

// -B for -b, the one slip that a letter shows.
std::string unknown_short(char letter, Audience audience) {
  const auto byte = static_cast<unsigned char>(letter);
  const char other =
      static_cast<char>(std::isupper(byte) ? std::tolower(byte) : std::toupper(byte));
  if (other != letter && find_option(audience, other) != nullptr)
    return fmt::format("Unknown option '-{}': did you mean '-{}'? {}", letter, other, kSeeHelp);
  return fmt::format("Unknown option '-{}'. {}", letter, kSeeHelp);
}

bool looks_like_variable(std::string_view word) {
  const auto equals = word.find('=');
  if (equals == 0 || equals == std::string_view::npos) return false;
  const auto fits = [](unsigned char c) { return std::isalnum(c) || c == '_'; };
  return std::all_of(word.begin(), word.begin() + static_cast<std::ptrdiff_t>(equals), fits);
}

std::string stray(std::string_view word, Audience audience) {
  if (word.starts_with("--") && word.size() > 2) return unknown_long(word, audience);
  if (word.starts_with('-') && word.size() > 1 && word[1] != '-' &&
      !std::isdigit(static_cast<unsigned char>(word[1])))
    return unknown_short(word[1], audience);
  if (looks_like_variable(word))
    return fmt::format(
        "'{}' is not an option: environment variables go before the program, as in "
        "{} all_reduce_perf -b 8.",
        word, word);
  return fmt::format("'{}' belongs to no option: each option takes one value, as in -b 8. {}", word,
                     kSeeHelp);
}

// The option whose value is missing: only the last word can lack one.
std::string value_missing(std::string_view last_word, Audience audience) {
  const OptionRow* row = last_word.starts_with("--") ? find_option(audience, last_word.substr(2))
                                                     : find_option(audience, last_word.back());
  if (row == nullptr) return fmt::format("'{}' needs a value.", last_word);
  return fmt::format("{} needs a value: {} ({}).", row->label(), row->metavar, row->help);
}

// Words that CLI11 would read as something else than what was meant.
Refusal misread(std::span<const std::string> words, Audience audience) {
  for (const std::string_view word : words) {
    if (word.starts_with("--") && word.size() > 3 && word.ends_with('='))
      return fmt::format("'{}' has no value behind the '='.", word);
    if (!word.starts_with('-') || word.starts_with("--") || word.size() < 4) continue;
    const auto* row = find_option(audience, word.substr(1, word.find('=') - 1));
    if (row != nullptr)
      return fmt::format("'{}' is read as -{} with a value: did you mean '--{}'?", word, word[1],
                         row->long_name);
  }
  return {};
}

class Tokeniser {
 public:
  explicit Tokeniser(Audience audience) {
    app_.set_help_flag();
    app_.allow_extras();
    for (const auto* row : option_rows(audience)) add(*row);
  }

  void split(std::span<const std::string> words) {
    app_.parse(std::vector<std::string>(words.rbegin(), words.rend()));
  }

  std::vector<std::string> strays() const { return app_.remaining(); }

  std::vector<Token> tokens() const {
    std::vector<Token> found;
    std::map<const CLI::Option*, std::size_t> taken;
    for (const CLI::Option* option : app_.parse_order())
      found.push_back({rows_.at(option), option->results().at(taken[option]++)});
    return found;
  }

 private:
  void add(const OptionRow& row) {
    const auto names = row.short_name == 0 ? fmt::format("--{}", row.long_name)
                                           : fmt::format("-{},--{}", row.short_name, row.long_name);
    CLI::Option* option = row.is_flag() ? app_.add_flag(names) : app_.add_option(names);
    option->take_all();
    rows_.emplace(option, &row);
  }

  CLI::App app_;
  std::map<const CLI::Option*, const OptionRow*> rows_;
};

// Takes the "true" off flags; any other text was typed behind a '='.
Refusal flag_value(Token& token) {
  if (!token.row->is_flag()) return {};
  if (token.text != "true")
    return fmt::format("{} takes no value, so '={}' has no meaning.", token.row->label(),
                       token.text);
  token.text.clear();
  return {};
}

}  // namespace

Result<std::vector<Token>> tokenise(std::span<const std::string> words, Audience audience) {
  if (const auto refusal = misread(words, audience)) return Failure{*refusal};
  Tokeniser tokeniser(audience);
  try {
    tokeniser.split(words);
  } catch (const CLI::ParseError&) {
    return Failure{value_missing(words.back(), audience)};
  }
  if (const auto strays = tokeniser.strays(); !strays.empty())
    return Failure{stray(strays.front(), audience)};
  auto tokens = tokeniser.tokens();
  for (auto& token : tokens)
    if (const auto refusal = flag_value(token)) return Failure{*refusal};
  return tokens;
}

}  // namespace linerate
