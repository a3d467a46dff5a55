// What the sub-commands that read their words with CLI11 share.
#pragma once

#include "cli/option.h"

#include <CLI/CLI.hpp>

#include <string>
#include <string_view>
#include <vector>

namespace linerate {

// What came of reading words: neither where they were all taken.
struct WordsRead {
  std::string help{};                 // asked for
  std::string refusal{};              // a sentence
  std::vector<std::string> strays{};  // words that it is refused for: no option's, in their order
};

// Reads `words` into what the app's options write to; empty values are refused. `name`: "linerate
// topo".
WordsRead read_words(CLI::App& app, const std::vector<std::string>& words, const std::string& name);

// Of options, at most one may be given: `what` is what they choose.
Refusal at_most_one(const std::vector<const char*>& given, std::string_view what);

// The app's options as a Markdown table; words without a dash are left out.
std::string options_markdown(const CLI::App& app);

}  // namespace linerate
