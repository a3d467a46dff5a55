// Statements of a shell, with its quotes and continued lines, and nothing else of its language.
#include "base/text.h"
#include "diagnose/env/sources.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <optional>
#include <set>
#include <utility>

namespace linerate::env {
namespace {

struct Word {
  std::string text{};
  bool computed = false;  // it has a $, a ` or an unquoted ~ that the shell replaces
  int line = 0;
};
using Statement = std::vector<Word>;

// Cuts a text into statements.
class Cutter {
 public:
  // `dockerfile`: a comment between continued lines does not end them.
  Cutter(std::string_view text, int first_line, bool dockerfile)
      : text_(text), line_(first_line), dockerfile_(dockerfile) {}

  std::vector<Statement> cut() {
    while (at_ < text_.size()) take(text_[at_++]);
    end_statement();
    return std::move(statements_);
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
      begin_word();
    } else if (!quoted && c == '#' && !open_) {
      skip_comment();
    } else if (!quoted && (c == '\n' || c == ';' || c == '&' || c == '|')) {
      end_statement();
    } else if (!quoted && (std::isspace(static_cast<unsigned char>(c)) || c == '(' || c == ')')) {
      end_word();
    } else {
      if ((c == '$' || c == '`') && quote_ != '\'') word_.computed = true;
      if (c == '~' && !quoted && word_.text.ends_with('=')) word_.computed = true;
      begin_word();
      word_.text += c;
    }
    if (c == '\n') ++line_;
  }
  void take_escaped() {
    if (at_ == text_.size()) return;
    const char c = text_[at_++];
    if (c != '\n') {
      begin_word();
      word_.text += c;
      return;
    }
    ++line_;
    continued_ = true;
  }
  void skip_comment() {
    constexpr std::string_view kBatch = "#SBATCH";
    if (text_.substr(at_ - 1).starts_with(kBatch)) {
      at_ += kBatch.size() - 1;
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
    if (!statement_.empty()) statements_.push_back(std::exchange(statement_, {}));
  }

  std::string_view text_;
  std::size_t at_ = 0;
  int line_;
  bool dockerfile_;
  bool continued_ = false;
  char quote_ = 0;
  bool open_ = false;
  Word word_{};
  Statement statement_{};
  std::vector<Statement> statements_{};
};

bool one_of_words(std::string_view text, std::initializer_list<std::string_view> words) {
  return std::ranges::find(words, text) != words.end();
}

bool is_name(std::string_view text) {
  return !text.empty() &&
         std::ranges::all_of(text, [](unsigned char c) { return std::isalnum(c) || c == '_'; }) &&
         std::isdigit(static_cast<unsigned char>(text.front())) == 0;
}

bool is_assignment(const Word& word) {
  const auto equals = word.text.find('=');
  return equals != std::string::npos && is_name(std::string_view(word.text).substr(0, equals));
}

// mpirun's, docker's and apptainer's options that pass a variable on.
bool is_passing(std::string_view option) { return one_of_words(option, {"-x", "-e", "--env"}); }

// Without `then` and such in front.
Statement bare(Statement statement) {
  const auto begin = std::ranges::find_if_not(statement, [](const Word& word) {
    return one_of_words(word.text, {"then", "else", "do", "{", "!", "if", "while", "time"});
  });
  statement.erase(statement.begin(), begin);
  return statement;
}

bool exports(const Statement& statement) {
  return one_of_words(statement[0].text, {"export", "setenv", "declare", "typeset"});
}

// The text of "${NAME:-text}", which holds where nothing else has set the variable.
std::optional<std::string_view> fallback_in(std::string_view value) {
  const auto dash = value.find(":-");
  if (!value.starts_with("${") || !value.ends_with('}') || dash == std::string_view::npos)
    return {};
  const auto text = value.substr(dash + 2, value.size() - dash - 3);
  const bool plain = text.find_first_of("$`{}") == std::string_view::npos;
  return plain && is_name(value.substr(2, dash - 2)) ? std::optional(text) : std::nullopt;
}

class Collector {
 public:
  Collector(std::string_view file, int first_scope) : file_(file), scope_(first_scope) {}

  // Assignments that are no words of a command are the script's own, unless it exports the names.
  // A file that exports nothing is read as one of variables.
  void learn_exports(const std::vector<Statement>& statements, bool script) {
    exports_all_ = !script;
    for (const auto& statement : statements) {
      const bool is_export = exports(statement);
      if (is_export) exports_all_ = false;
      for (std::size_t i = 1; i < statement.size(); ++i)
        if (is_export || is_passing(statement[i - 1].text)) exported_.insert(statement[i].text);
    }
    for (const auto& statement : statements)
      if (statement.size() > 1 && statement[0].text == "set" && statement[1].text == "-a")
        exports_all_ = true;
  }

  void read(const Statement& statement) {
    const auto& first = statement[0].text;
    if (one_of_words(first, {"echo", "printf", "[", "[[", "test"})) return;
    if (first == "unset") return forget(statement);
    if (first == "setenv") {
      if (statement.size() > 2) add(statement[1].text, statement[2], statement[2].text);
      return;
    }
    const bool plain = std::ranges::all_of(statement, is_assignment);
    const bool holds_on = plain || exports(statement) || first.starts_with("--");
    const int scope = std::exchange(here_, holds_on ? 0 : scope_++);
    for (std::size_t i = 0; i < statement.size(); ++i) {
      take_quoted(statement[i]);
      take(statement[i], plain, i > 0 && statement[i - 1].text == "--export");
    }
    here_ = scope;
  }

  void add(std::string_view name, const Word& word, std::string_view value) {
    if (!is_name(name) || family_of(name) == nullptr) return;
    if (value == fmt::format("${{{}}}", name) || value == fmt::format("${}", name)) return;
    const auto fallback = fallback_in(value);
    settings_.push_back({.name = std::string(name),
                         .value = std::string(fallback.value_or(value)),
                         .where = fmt::format("{}:{}", file_, word.line),
                         .computed = word.computed && !fallback,
                         .scope = here_});
  }

  std::vector<Setting> settings() { return std::move(settings_); }

 private:
  void take(const Word& word, bool plain, bool listed) {
    std::string_view text = word.text;
    const bool list = listed || text.starts_with("--export=");
    for (const std::string_view option : {"--export=", "--env=", "-x", "-e"})
      if (text.starts_with(option)) text.remove_prefix(option.size());
    for (const auto& part : list ? split(text, ',') : std::vector{std::string(text)}) {
      const auto equals = part.find('=');
      if (equals == std::string::npos) continue;
      const auto name = part.substr(0, equals);
      if (!plain || exports_all_ || exported_.contains(name))
        add(name, word, std::string_view(part).substr(equals + 1));
    }
  }
  // ARGS="-x NAME=VALUE": options that a later command gets.
  void take_quoted(const Word& word) {
    const auto parts = split(word.text, ' ');
    for (std::size_t i = 1; i < parts.size(); ++i)
      if (is_passing(parts[i - 1])) take({parts[i], word.computed, word.line}, false, false);
  }
  void forget(const Statement& statement) {
    for (const auto& word : statement)
      std::erase_if(settings_, [&](const Setting& s) { return s.name == word.text; });
  }

  std::string_view file_;
  int scope_;     // the next command's
  int here_ = 0;  // that of what is being read
  bool exports_all_ = false;
  std::set<std::string> exported_{};
  std::vector<Setting> settings_{};
};

}  // namespace

std::vector<Setting> read_shell(std::string_view name, std::string_view text, int first_scope,
                                int first_line) {
  auto statements = Cutter(text, first_line, false).cut();
  for (auto& statement : statements) statement = bare(std::move(statement));
  std::erase_if(statements, [](const Statement& statement) { return statement.empty(); });
  Collector collector(name, first_scope);
  collector.learn_exports(statements, text.starts_with("#!"));
  for (const auto& statement : statements) collector.read(statement);
  return collector.settings();
}

// Only ENV reaches the run.
std::vector<Setting> read_dockerfile(std::string_view name, std::string_view text) {
  Collector collector(name, 1);
  for (const auto& words : Cutter(text, 1, true).cut()) {
    if (words.size() < 2 || lower(words[0].text) != "env") continue;
    if (!is_assignment(words[1]) && words.size() > 2) {  // ENV NAME words of the value
      std::string value = words[2].text;
      for (std::size_t i = 3; i < words.size(); ++i) value += ' ' + words[i].text;
      collector.add(words[1].text, words[2], value);
      continue;
    }
    for (std::size_t i = 1; i < words.size(); ++i)
      if (const auto equals = words[i].text.find('='); equals != std::string::npos)
        collector.add(words[i].text.substr(0, equals), words[i], words[i].text.substr(equals + 1));
  }
  return collector.settings();
}

}  // namespace linerate::env
