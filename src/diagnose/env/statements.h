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
  bool document = false;  // a here-document
  int line = 0;
};
using Statement = std::vector<Word>;

struct Script {
  std::vector<Statement> statements{};
  int open_quote = 0;  // the line of a quote that is not closed; 0: all are
};

// The file that it writes and jobs read later, of those whose text is known: "/etc/nccl.conf",
// "job.sbatch"; empty: none.
std::string_view written_file(const Statement& statement);

// Here-documents are words of their statement where a shell gets them or written_file() does.
// `dockerfile`: a comment between continued lines does not end them.
Script statements_of(std::string_view text, int first_line, bool dockerfile = false);

}  // namespace linerate::env
