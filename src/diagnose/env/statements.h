// Statements of a shell, with its quotes, continued lines and here-documents, and nothing else of
// its language.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace linerate::env {

struct Word {
  std::string text{};
  bool computed = false;  // it has a $, a ` or an unquoted ~ that the shell replaces
  bool quoted = false;    // from its beginning on
  int line = 0;
};
using Statement = std::vector<Word>;

struct Script {
  std::vector<Statement> statements{};
  int open_quote = 0;  // the line of a quote that is not closed; 0: all are
};

// `dockerfile`: a comment between continued lines does not end them.
Script statements_of(std::string_view text, int first_line, bool dockerfile = false);

}  // namespace linerate::env
