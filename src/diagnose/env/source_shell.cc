// Statements of a shell, with its quotes, continued lines and here-documents, and nothing else of
// its language.
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
  bool quoted = false;    // from its beginning on
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

  // The line of a quote that was open at the end; 0: none was.
  int open_quote() const { return quote_ == 0 ? 0 : quote_line_; }

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
      end_statement();
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
    if (!quoted) skip_here_documents();
  }
  // What stands behind a bracket that none opens is a statement: "a) NAME=VALUE command".
  void take_bracket(char c) {
    end_word();
    brackets_ += c == '(' ? 1 : -1;
    if (brackets_ < 0) end_statement();
  }
  void begin_here_document() {
    at_ = std::min(text_.find_first_not_of("- \t", at_ + 1), text_.size());
    const auto mark = text_.substr(at_, text_.find_first_of(" \t\r\n;&|<>()", at_) - at_);
    auto end = std::string(mark);
    std::erase_if(end, [](char c) { return c == '\'' || c == '"' || c == '\\'; });
    if (only_shifts_ || end.empty() || std::isdigit(static_cast<unsigned char>(end[0])) != 0)
      return;
    at_ += mark.size();
    here_ends_.push_back(std::move(end));
  }
  // Where the end is missing, << was a shift: the ends of others are not looked for any more, which
  // could take long.
  void skip_here_documents() {
    for (const auto& end : std::exchange(here_ends_, {})) {
      auto rest = text_.substr(at_);
      int line = line_;
      bool found = false;
      for (; !found && !rest.empty(); ++line) {
        const auto content = rest.substr(0, rest.find('\n'));
        rest.remove_prefix(std::min(content.size() + 1, rest.size()));
        found = trim(content) == end;
      }
      only_shifts_ = !found;
      if (only_shifts_) return;
      at_ = text_.size() - rest.size();
      line_ = line;
    }
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
    if (!statement_.empty()) statements_.push_back(std::exchange(statement_, {}));
  }

  std::string_view text_;
  std::size_t at_ = 0;
  int line_;
  bool dockerfile_;
  bool continued_ = false;
  char quote_ = 0;
  int quote_line_ = 0;
  int brackets_ = 0;                      // open ones of the statement
  std::vector<std::string> here_ends_{};  // of here-documents that begin on the next line
  bool only_shifts_ = false;
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

bool is_assignment(std::string_view text) {
  const auto equals = text.find('=');
  return equals != std::string_view::npos && is_name(text.substr(0, equals));
}

// "A=1,B=2", as apptainer's --env and qsub's -v take it.
bool is_list(std::string_view text) {
  const auto parts = split(text, ',');
  return std::any_of(parts.begin() + 1, parts.end(), is_assignment);
}

// mpirun's, docker's and apptainer's options that pass a variable on.
bool is_passing(std::string_view option) { return one_of_words(option, {"-x", "-e", "--env"}); }

// Without `then`, `name {` and such in front.
Statement bare(Statement statement) {
  const auto group = std::ranges::find(statement, "{", &Word::text);
  const auto behind = group == statement.end() ? statement.begin() : group + 1;
  const auto begin = std::find_if_not(behind, statement.end(), [](const Word& word) {
    return one_of_words(word.text, {"then", "else", "do", "!", "if", "while", "time"});
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

struct Place {
  std::string_view file{};
  int scope = 1;  // the next command's
  int line = 1;
  int depth = 0;  // of texts within words
};
std::vector<Setting> read_statements(std::string_view text, const Place& place);

class Collector {
 public:
  explicit Collector(const Place& place) : place_(place) {}

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
    const bool plain = std::ranges::all_of(statement, is_assignment, &Word::text);
    const bool exporting = exports(statement);
    const bool holds_on = plain || exporting || first == "#SBATCH";
    const int scope = std::exchange(here_, holds_on ? 0 : place_.scope++);
    std::string_view before;
    for (const auto& word : statement) {
      const bool is_text = word.quoted && word.text.find_first_of(" \t\n") != std::string::npos;
      if (is_text && !exporting && !is_passing(before)) {
        take_statements(word);
      } else {
        take_quoted(word);
        take(word, plain, before == "--export");
      }
      before = word.text;
    }
    here_ = scope;
  }

  void add(std::string_view name, const Word& word, std::string_view value) {
    if (!is_name(name) || family_of(name) == nullptr) return;
    if (value == fmt::format("${{{}}}", name) || value == fmt::format("${}", name)) return;
    const auto fallback = fallback_in(value);
    keep({.name = std::string(name),
          .value = std::string(fallback.value_or(value)),
          .where = fmt::format("{}:{}", place_.file, word.line),
          .computed = word.computed && !fallback,
          .scope = here_});
  }

  std::vector<Setting> settings() { return std::move(settings_); }

 private:
  void keep(Setting setting) {
    if (settings_.size() <= kMostSettings) settings_.push_back(std::move(setting));
  }
  void take(const Word& word, bool plain, bool listed) {
    std::string_view text = word.text;
    const bool list = listed || text.starts_with("--export=") || is_list(text);
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
  // sh -c "NAME=VALUE command"
  void take_statements(const Word& word) {
    constexpr int kMostDepth = 4;  // each reads its text again
    if (place_.depth == kMostDepth) return;
    for (auto& setting :
         read_statements(word.text, {place_.file, place_.scope, word.line, place_.depth + 1})) {
      place_.scope = std::max(place_.scope, setting.scope + 1);
      put_within(here_, setting);
      keep(std::move(setting));
    }
  }
  // ARGS="-x NAME=VALUE": options that a later command gets.
  void take_quoted(const Word& word) {
    const auto parts = split(word.text, ' ');
    for (std::size_t i = 1; i < parts.size(); ++i)
      if (is_passing(parts[i - 1]))
        take({.text = parts[i], .computed = word.computed, .line = word.line}, false, false);
  }
  void forget(const Statement& statement) {
    for (const auto& word : statement)
      std::erase_if(settings_, [&](const Setting& s) { return s.name == word.text; });
  }

  Place place_;
  int here_ = 0;  // the scope of what is being read
  bool exports_all_ = false;
  std::set<std::string> exported_{};
  std::vector<Setting> settings_{};
};

std::vector<Setting> read_statements(std::string_view text, const Place& place) {
  auto statements = Cutter(text, place.line, false).cut();
  for (auto& statement : statements) statement = bare(std::move(statement));
  std::erase_if(statements, [](const Statement& statement) { return statement.empty(); });
  Collector collector(place);
  collector.learn_exports(statements, text.starts_with("#!"));
  for (const auto& statement : statements) collector.read(statement);
  return collector.settings();
}

}  // namespace

std::vector<Setting> read_shell(std::string_view name, std::string_view text, int first_scope,
                                int first_line) {
  return read_statements(text, {name, first_scope, first_line});
}

int open_quote(std::string_view text) {
  Cutter cutter(text, 1, false);
  cutter.cut();
  return cutter.open_quote();
}

void put_within(int scope, Setting& setting) {
  if (setting.scope == 0)
    setting.scope = scope;
  else if (setting.within == 0)
    setting.within = scope;
}

// Only ENV reaches the run.
std::vector<Setting> read_dockerfile(std::string_view name, std::string_view text) {
  Collector collector({.file = name});
  for (const auto& words : Cutter(text, 1, true).cut()) {
    if (words.size() < 2 || lower(words[0].text) != "env") continue;
    if (!is_assignment(words[1].text) && words.size() > 2) {  // ENV NAME words of the value
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
