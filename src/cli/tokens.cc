// CLI11 splits the words; the sentences are ours.
#include "cli/tokens.h"

#include "base/text.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <map>

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

// The option whose value is missing: only the last word can lack one.
std::string value_missing(std::string_view last_word, Audience program) {
  const OptionRow* row = last_word.starts_with("--") ? find_option(program, last_word.substr(2))
                                                     : find_option(program, last_word.back());
  if (row == nullptr) return fmt::format("'{}' needs a value.", last_word);
  return fmt::format("{} needs a value: {} ({}).", row->label(), row->metavar, row->help);
}

// CLI11 takes --flag=true for --flag.
Refusal flag_with_value(std::string_view word, Audience program) {
  const auto equals = word.find('=');
  if (!word.starts_with("--") || equals == std::string_view::npos) return {};
  const auto* row = find_option(program, word.substr(2, equals - 2));
  if (row == nullptr || !row->is_flag()) return {};
  return fmt::format("{} takes no value, so '{}' has no meaning.", row->label(),
                     word.substr(equals));
}

// Words that CLI11 would read as something else than what was meant.
Refusal misread(std::span<const std::string> words, Audience program) {
  for (const std::string_view word : words) {
    if (word.starts_with("--") && word.size() > 3 && word.ends_with('='))
      return fmt::format("'{}' has no value behind the '='.", word);
    if (const auto refusal = flag_with_value(word, program)) return refusal;
    if (!word.starts_with('-') || word.starts_with("--") || word.size() < 4) continue;
    const auto* row = find_option(program, word.substr(1, word.find('=') - 1));
    if (row != nullptr)
      return fmt::format("'{}' is read as -{} with a value: did you mean '--{}'?", word, word[1],
                         row->long_name);
  }
  return {};
}

// CLI11, told of each row.
class Splitter {
 public:
  explicit Splitter(Audience program) {
    app_.set_help_flag();
    app_.allow_extras();
    for (const auto* row : option_rows(program)) add(*row);
  }

  // Throws CLI::ParseError where the last word lacks a value.
  void split(std::span<const std::string> words) {
    app_.parse(std::vector<std::string>(words.rbegin(), words.rend()));
  }

  std::vector<std::string> strays() const { return app_.remaining(); }

  std::vector<Token> tokens() const {
    std::vector<Token> found;
    std::map<const CLI::Option*, std::size_t> taken;
    for (const CLI::Option* option : app_.parse_order()) {
      const auto& text = option->results().at(taken[option]++);
      const OptionRow* row = rows_.at(option);
      found.push_back({row, row->is_flag() ? "" : text});  // a flag's is "true"
    }
    return found;
  }

 private:
  void add(const OptionRow& row) {
    const auto names = row.short_name == 0 ? fmt::format("--{}", row.long_name)
                                           : fmt::format("-{},--{}", row.short_name, row.long_name);
    CLI::Option* option = row.is_flag() ? app_.add_flag(names) : app_.add_option(names);
    option->take_all();
    if (row.several) option->expected(-1);
    rows_.emplace(option, &row);
  }

  CLI::App app_;
  std::map<const CLI::Option*, const OptionRow*> rows_;
};

// The option that is called "-b" or "--minbytes", or null.
const OptionRow* option_called(std::string_view word, Audience program) {
  if (word.starts_with("--")) return find_option(program, word.substr(2));
  return word.size() == 2 && word[0] == '-' ? find_option(program, word[1]) : nullptr;
}

}  // namespace

SortedWords without_operands(std::span<const std::string> words, Audience program) {
  SortedWords sorted;
  bool is_value = false;
  for (const auto& word : words) {
    const bool is_option = word.starts_with('-') && word.size() > 1;
    (is_value || is_option ? sorted.options : sorted.operands).push_back(word);
    const auto* row = is_option && !is_value ? option_called(word, program) : nullptr;
    is_value = row != nullptr && !row->is_flag();
  }
  return sorted;
}

Result<std::string> one_operand(std::span<const std::string> words, Audience program,
                                std::string_view takes) {
  const auto operands = without_operands(words, program).operands;
  if (operands.size() > 1)
    return Failure{fmt::format("{}, and got {}: '{}' and '{}' …", takes, operands.size(),
                               plain_text(operands[0]), plain_text(operands[1]))};
  return operands.empty() ? std::string() : operands.front();
}

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
  if (const auto refusal = misread(words, program)) return Failure{*refusal};
  Splitter splitter(program);
  try {
    splitter.split(words);
  } catch (const CLI::ParseError&) {
    return Failure{value_missing(words.back(), program)};
  }
  const auto tokens = splitter.tokens();
  const auto strays = splitter.strays();
  if (strays.empty()) return tokens;
  for (const auto& token : tokens)  // that took a name for its value may have made it stray
    if (const auto refusal = misplaced_value(token, program)) return Failure{*refusal};
  return Failure{stray(strays.front(), program)};
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
    if (owner == nullptr) continue;  // a row of several commands, and this one needs no owner
    return fmt::format("{} belongs to --{}{}{}: give both, or leave it out.", row->label(),
                       owner->long_name, owner->is_flag() ? "" : " ", owner->metavar);
  }
  return {};
}

}  // namespace linerate
