// The words of a command line as options with values, in the order typed.
#pragma once

#include "base/result.h"
#include "cli/option.h"

#include <span>
#include <string>
#include <vector>

namespace linerate {

struct Token {
  const OptionRow* row;
  std::string text;  // a flag: empty
};

// Words as -b 8, -b8, --minbytes 8 or --minbytes=8. Refuses options that do not exist, values
// that are missing or too many, and words that belong to no option; `audience` is the program's.
Result<std::vector<Token>> tokenise(std::span<const std::string> words, Audience audience);

}  // namespace linerate
