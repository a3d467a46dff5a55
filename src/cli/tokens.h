// The words of a command line as options with values, and those in a configuration.
#pragma once

#include "base/result.h"
#include "cli/option.h"

#include <cassert>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace linerate {

struct Token {
  const OptionRow* row;
  std::string text;  // a flag: empty
};

// Words as -b 8, -b8, --minbytes 8 or --minbytes=8, in the order typed. Refuses options that do not
// exist, values that are missing or too many, and words that belong to no option.
Result<std::vector<Token>> tokenise(std::span<const std::string> words, Audience program);

// Words that are options and their values, and the others, each in the order typed. A dash alone is
// no option.
struct SortedWords {
  std::vector<std::string> options{}, operands{};
};
SortedWords without_operands(std::span<const std::string> words, Audience program);

// The operand among the words of a command that takes one; empty: there is none. `takes` begins the
// refusal of several: "linerate scale reads one study".
Result<std::string> one_operand(std::span<const std::string> words, Audience program,
                                std::string_view takes);

// Whether -h stands in the line as a word of its own, so that it wins over all that is wrong.
bool asks_for_help(std::span<const std::string> words, Audience program);

bool is_given(std::span<const Token> tokens, std::string_view long_name);

// Options that lack the one they belong to, and required ones that are missing.
Refusal incomplete(std::span<const Token> tokens, Audience program);

// A value that is empty, or the name of the next option, which nobody means.
Refusal misplaced_value(const Token& token, Audience program);

// Gives `config` the defaults of the rows.
template <typename Config>
void set_defaults(std::span<const OptionRow> rows, Config& config) {
  for (const auto& row : rows) {
    if (row.default_text.empty()) continue;
    [[maybe_unused]] const auto refusal = apply(row, {row.long_name, row.default_text}, config);
    assert(!refusal);
  }
}

template <typename Config>
Refusal apply_options(std::span<const Token> tokens, Audience program, Config& config) {
  for (const auto& token : tokens) {
    const auto label = token.row->label();
    if (auto refusal = apply(*token.row, {label, token.text}, config)) return refusal;
    if (auto refusal = misplaced_value(token, program)) return refusal;
  }
  return {};
}

// The whole of it, for commands without variables: defaults, words, values.
template <typename Config>
Result<std::vector<Token>> read_options(std::span<const std::string> words, Audience program,
                                        Config& config) {
  for (const auto& group : option_groups(program)) set_defaults(group.rows, config);
  auto tokens = tokenise(words, program);
  if (!tokens) return tokens;
  if (auto refusal = incomplete(*tokens, program)) return Failure{*refusal};
  for (const auto& token : *tokens)
    if (auto refusal = misplaced_value(token, program)) return Failure{*refusal};
  if (auto refusal = apply_options<Config>(*tokens, program, config)) return Failure{*refusal};
  return tokens;
}

}  // namespace linerate
