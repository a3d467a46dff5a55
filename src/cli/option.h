// What one option and one variable are: a row that parsing, help and the docs read.
#pragma once

#include "cli/run_config.h"

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace linerate {

// A full sentence when the user's input is refused; nothing when it is taken.
using Refusal = std::optional<std::string>;

// What an option or variable was given; `label` names it in sentences ("-b/--minbytes").
struct Argument {
  std::string_view label;
  std::string_view text;
};

// Checks one value and writes it into the configuration.
using Apply = Refusal (*)(const Argument&, RunConfig&);

// The programs that have the option.
// `both` are the tools that run ranks, collectives and p2p; memcpy has rows of its own.
enum class Audience : std::uint8_t { both, collectives, p2p, memcpy };

// One option. Texts end without a period, except the note, which is whole sentences.
struct OptionRow {
  char short_name = 0;  // 0: none
  std::string_view long_name = {};
  std::string_view metavar = {};       // empty: a flag, which takes no value
  std::string_view default_text = {};  // as one would type it; empty: none
  std::string_view help = {};          // a phrase; -h wraps it
  std::string_view note = {};          // what the docs say beyond it; may be empty
  Audience audience = Audience::both;
  Apply apply = nullptr;  // null: -h and --version, which the parser acts on itself

  bool is_flag() const { return metavar.empty(); }
  // "-b/--minbytes", or "--backend" where there is no short name.
  std::string label() const;
  // "-b", or "--backend" where there is no short name.
  std::string shortest() const;
};

struct OptionGroup {
  std::string_view title;
  std::span<const OptionRow> rows;
};

// One environment variable. An empty value counts as unset.
struct VariableRow {
  std::string_view name = {};
  std::string_view metavar = {};
  std::string_view default_text = {};
  std::string_view help = {};
  std::string_view note = {};
  Apply apply = nullptr;
};

}  // namespace linerate
