// One character at a time.
#include "diagnose/env/statements.h"

#include "base/text.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <cstddef>
#include <iterator>
#include <utility>

namespace linerate::env {
namespace {

bool feeds_a_shell(const Statement& statement) {
  return std::ranges::any_of(statement, [](const Word& word) {
    const auto name = std::string_view(word.text).substr(word.text.rfind('/') + 1);
    return name == "bash" || name == "sh" || name == "ssh" || name == "sbatch";
  });
}

// As it is written: of one that is not literal, "\\$" is "$".
std::string document(std::string_view text, bool literal) {
  std::string written;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char next = i + 1 < text.size() ? text[i + 1] : '\0';
    if (literal || text[i] != '\\' || (next != '$' && next != '`')) written += text[i];
  }
  return written;
}

// Cuts a text into statements.
class Cutter {
 public:
  Cutter(std::string_view text, int first_line, bool dockerfile)
      : text_(text), line_(first_line), dockerfile_(dockerfile) {}

  Script cut() {
    while (at_ < text_.size()) take(text_[at_++]);
    end_statement();
    return {std::move(statements_), quote_ == 0 ? 0 : quote_line_};
  }

 private:
  void take(char c) {
    const bool quoted = quote_ != 0;
    if (c == '\\' && quote_ != '\'') {
      take_escaped();
    } else if (quoted && c == quote_) {
      quote_ = 0;
    } else if (!quoted && (c == '\'' || c == '"')) {
      quote_ = c;
      quote_line_ = line_;
      word_.quoted |= !open_;
      begin_word();
    } else if (!quoted && c == '#' && !open_) {
      skip_comment();
    } else if (!quoted && (c == '\n' || c == ';' || c == '&' || c == '|')) {
      const bool doubled =
          text_.substr(at_).starts_with('|') || text_.substr(0, at_).ends_with("||");
      end_statement();
      piped_ = c == '|' && !doubled;
    } else if (!quoted && (c == '(' || c == ')')) {
      take_bracket(c);
    } else if (!quoted && std::isspace(static_cast<unsigned char>(c))) {
      end_word();
    } else if (!quoted && c == '<' && text_.substr(at_).starts_with('<')) {
      begin_here_document();
    } else {
      if ((c == '$' || c == '`') && quote_ != '\'') word_.computed = true;
      if (c == '~' && !quoted && word_.text.ends_with('=')) word_.computed = true;
      begin_word();
      word_.text += c;
    }
    if (c != '\n') return;
    ++line_;
    if (!quoted) take_here_documents();
  }
  // What stands behind a bracket that none opens is a statement: "a) NAME=VALUE command".
  void take_bracket(char c) {
    end_word();
    brackets_ += c == '(' ? 1 : -1;
    if (brackets_ < 0) end_statement();
  }
  // With a quote in its end, a shell takes the document as it is.
  void begin_here_document() {
    at_ = std::min(text_.find_first_not_of("- \t", at_ + 1), text_.size());
    const auto mark = text_.substr(at_, text_.find_first_of(" \t\r\n;&|<>()", at_) - at_);
    auto end = std::string(mark);
    const bool literal =
        std::erase_if(end, [](char c) { return c == '\'' || c == '"' || c == '\\'; }) > 0;
    if (only_shifts_ || end.empty() || std::isdigit(static_cast<unsigned char>(end[0])) != 0)
      return;
    at_ += mark.size();
    here_ends_.push_back({std::move(end), literal});
  }
  // Where the end is missing, << was a shift: the ends of others are not looked for any more, which
  // could take long.
  void take_here_documents() {
    for (const auto& [end, literal] : std::exchange(here_ends_, {})) {
      auto rest = text_.substr(at_);
      std::size_t taken = 0;
      int line = line_;
      bool found = false;
      for (; !found && !rest.empty(); ++line) {
        const auto content = rest.substr(0, rest.find('\n'));
        found = trim(content) == end;
        if (!found) taken += content.size() + 1;
        rest.remove_prefix(std::min(content.size() + 1, rest.size()));
      }
      only_shifts_ = !found;
      if (only_shifts_) return;
      if (!statements_.empty() &&
          (feeds_a_shell(statements_.back()) || !written_file(statements_.back()).empty()))
        statements_.back().push_back({.text = document(text_.substr(at_, taken), literal),
                                      .computed = !literal,
                                      .quoted = true,
                                      .document = true,
                                      .line = line_});
      at_ = text_.size() - rest.size();
      line_ = line;
    }
  }
  void take_escaped() {
    if (at_ == text_.size()) return;
    const char c = text_[at_++];
    if (c != '\n') {
      begin_word();
      if (quote_ == '"' && std::string_view("$`\"\\").find(c) == std::string_view::npos)
        word_.text += '\\';
      word_.text += c;
      return;
    }
    ++line_;
    continued_ = true;
  }
  void skip_comment() {
    constexpr std::string_view kBatch = "#SBATCH";
    if (text_.substr(at_ - 1).starts_with(kBatch)) {
      begin_word();
      word_.text = '#';
      return;
    }
    at_ = std::min(text_.find('\n', at_), text_.size());
    if (!dockerfile_ || !continued_ || at_ == text_.size()) return;
    ++at_;
    ++line_;
  }
  void begin_word() {
    if (!open_) word_.line = line_;
    open_ = true;
  }
  void end_word() {
    if (open_) statement_.push_back(std::exchange(word_, {}));
    open_ = false;
  }
  void end_statement() {
    end_word();
    continued_ = false;
    brackets_ = 0;
    if (statement_.empty()) return;
    const bool joins = piped_ && !statements_.empty() && !written_file(statement_).empty();
    if (joins) std::ranges::move(statement_, std::back_inserter(statements_.back()));
    if (!joins) statements_.push_back(std::move(statement_));
    statement_.clear();
    piped_ = false;
  }

  std::string_view text_;
  std::size_t at_ = 0;
  int line_;
  bool dockerfile_;
  bool continued_ = false;
  bool piped_ = false;  // the statement before is written by this one, if this one is a tee
  char quote_ = 0;
  int quote_line_ = 0;
  int brackets_ = 0;  // open ones of the statement
  struct HereEnd {
    std::string text{};
    bool literal = false;
  };
  std::vector<HereEnd> here_ends_{};  // of here-documents that begin on the next line
  bool only_shifts_ = false;
  bool open_ = false;
  Word word_{};
  Statement statement_{};
  std::vector<Statement> statements_{};
};

}  // namespace

std::string_view written_file(const Statement& statement) {
  constexpr std::array kRead{"nccl.conf", ".sh", ".sbatch", ".slurm", ".env", "bashrc", "profile"};
  bool is_next = false;  // behind >, >>, tee and COPY, and their options
  for (const auto& word : statement) {
    const auto text = std::string_view(word.text);
    const auto name = text.substr(std::min(text.find_first_not_of('>'), text.size()));
    const bool is_target = is_next || name.size() < text.size();
    for (const std::string_view end : kRead)
      if (is_target && name.ends_with(end)) return name;
    is_next = name.empty() || name == "tee" || name == "COPY" || (is_next && name.starts_with('-'));
  }
  return {};
}

Script statements_of(std::string_view text, int first_line, bool dockerfile) {
  return Cutter(text, first_line, dockerfile).cut();
}

}  // namespace linerate::env
