// The variables of a shell's statements, and of a Dockerfile's ENV.
#include "base/text.h"
#include "diagnose/env/sources.h"
#include "diagnose/env/statements.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <optional>
#include <set>
#include <utility>

namespace linerate::env {
namespace {

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

// With the ends of lines that printf and echo -e make of "\\n".
std::string as_printed(std::string text) {
  for (auto at = text.find("\\n"); at != std::string::npos; at = text.find("\\n", at))
    text.replace(at, 2, "\n");
  return text;
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
    if (written_file(statement).ends_with("nccl.conf")) return take_conf(statement);
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
        if (exporting || is_passing(before)) pass_on(word);
      }
      before = word.text;
    }
    here_ = scope;
  }

  void add(std::string_view name, const Word& word, std::string_view value) {
    if (!is_name(name) || family_of(name) == nullptr) return;
    const bool itself = value == fmt::format("${{{}}}", name) || value == fmt::format("${}", name);
    if (itself && std::ranges::find(settings_, name, &Setting::name) != settings_.end()) return;
    const auto fallback = fallback_in(value);
    keep({.name = std::string(name),
          .value = std::string(fallback.value_or(value)),
          .where = fmt::format("{}:{}", place_.file, word.line),
          .computed = word.computed && !fallback,
          .scope = here_});
  }

  std::vector<Setting> settings() { return std::move(settings_); }

  // What a statement writes into nccl.conf: a here-document, or echo "NAME=VALUE".
  void take_conf(const Statement& statement) {
    bool printed = false;  // by echo or printf, which takes "\\n" for the end of a line
    for (const auto& word : statement) {
      if (word.document || (printed && word.text.find('=') != std::string::npos))
        for (auto& setting :
             read_nccl_conf(place_.file, as_printed(word.text), kNewest, word.line)) {
          setting.computed =
              word.computed && setting.value.find_first_of("$`") != std::string::npos;
          keep(std::move(setting));
        }
      printed = printed || one_of_words(word.text, {"echo", "printf"});
    }
  }

 private:
  void keep(Setting setting) {
    if (settings_.size() <= kMostSettings) settings_.push_back(std::move(setting));
  }
  // A name alone: its value is the one that is set before, or outside.
  void pass_on(const Word& word) {
    add(word.text, {.computed = true, .line = word.line}, fmt::format("${}", word.text));
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
        take_option({.text = parts[i], .computed = word.computed, .line = word.line});
  }
  void take_option(const Word& word) {
    take(word, false, false);
    pass_on(word);
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
  auto statements = statements_of(text, place.line).statements;
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

void put_within(int scope, Setting& setting) {
  if (setting.scope == 0)
    setting.scope = scope;
  else if (setting.within == 0)
    setting.within = scope;
}

// Only ENV reaches the run, and what is written into nccl.conf.
std::vector<Setting> read_dockerfile(std::string_view name, std::string_view text) {
  Collector collector({.file = name});
  for (const auto& words : statements_of(text, 1, true).statements) {
    if (written_file(words).ends_with("nccl.conf")) collector.take_conf(words);
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
