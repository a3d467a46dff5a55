// Words of a shell, with its quotes and continued lines, and nothing else of its language.
#include "base/text.h"
#include "diagnose/env/sources.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <utility>

namespace linerate::env {
namespace {

struct Word {
  std::string text{};
  bool computed = false;  // it has a $, a ` or an unquoted ~ that the shell replaces
  bool quoted = false;
};

// Cuts one line, continued lines included, into words.
class Words {
 public:
  Words(std::string_view text, std::size_t& at) : text_(text), at_(at) {}

  // Those up to the end of the line; `lines` counts the line ends that were passed.
  std::vector<Word> read(int& lines) {
    while (at_ < text_.size()) {
      const char c = text_[at_++];
      if (c == '\n') lines += 1;
      if (c == '\n' && quote_ == 0) break;
      if (quote_ == 0 && c == '#' && !open_) {
        skip_comment();
      } else if (c == '\\' && quote_ != '\'') {
        take_escaped(lines);
      } else if (c == quote_) {
        quote_ = 0;
      } else if (quote_ == 0 && (c == '\'' || c == '"')) {
        quote_ = c;
        open_ = word_.quoted = true;
      } else if (quote_ == 0 && is_separator(c)) {
        end_word();
        if (c == ';' || c == '&' || c == '|') words_.push_back({.text = ";"});
      } else {
        if ((c == '$' || c == '`') && quote_ != '\'') word_.computed = true;
        if (c == '~' && quote_ == 0 && word_.text.ends_with('=')) word_.computed = true;
        add(c);
      }
    }
    end_word();
    return std::move(words_);
  }

 private:
  static bool is_separator(char c) {
    return std::isspace(static_cast<unsigned char>(c)) != 0 || c == ';' || c == '&' || c == '|' ||
           c == '(' || c == ')';
  }
  void add(char c) {
    word_.text += c;
    open_ = true;
  }
  void skip_comment() {
    while (at_ < text_.size() && text_[at_] != '\n') ++at_;
  }
  void take_escaped(int& lines) {
    if (at_ == text_.size()) return;
    const char c = text_[at_++];
    if (c == '\n')
      ++lines;
    else
      add(c);
  }
  void end_word() {
    if (open_) words_.push_back(std::exchange(word_, {}));
    open_ = false;
  }

  std::string_view text_;
  std::size_t& at_;
  char quote_ = 0;
  bool open_ = false;
  Word word_{};
  std::vector<Word> words_{};
};

bool is_name(std::string_view text) {
  return !text.empty() &&
         std::ranges::all_of(text, [](unsigned char c) { return std::isalnum(c) || c == '_'; }) &&
         std::isdigit(static_cast<unsigned char>(text.front())) == 0;
}

// Options that carry assignments in the same word, with commas between them or not.
constexpr auto kCarriers = std::to_array<std::string_view>({"--export=", "--env=", "-x", "-e"});

class Statements {
 public:
  Statements(std::string_view file, std::vector<Setting>& settings)
      : file_(file), settings_(settings) {}

  void read(const std::vector<Word>& words, int line) {
    std::string_view first, before;  // of the command; in front of this word
    for (std::size_t i = 0; i < words.size(); ++i) {
      const auto& word = words[i];
      if (word.text == ";" && !word.quoted) {
        first = before = {};
        continue;
      }
      if (first.empty()) first = word.text;
      if (first == "echo" || first == "printf" || first == "[" || first == "[[") continue;
      if (first == "unset") forget(word.text);
      const bool csh = before == "setenv" && i + 1 < words.size() && is_name(word.text);
      if (csh)
        add(word.text, words[i + 1].text, words[i + 1].computed, line);
      else
        take(word, before == "--export" || word.text.starts_with("--export="), line);
      before = word.text;
    }
  }

  void add(std::string_view name, std::string_view value, bool computed, int line) {
    if (!is_name(name) || family_of(name) == nullptr) return;
    settings_.push_back({.name = std::string(name),
                         .value = std::string(value),
                         .where = fmt::format("{}:{}", file_, line),
                         .computed = computed});
  }

 private:
  void take(const Word& word, bool several, int line) {
    std::string_view text = word.text;
    for (const auto carrier : kCarriers)
      if (text.starts_with(carrier)) text.remove_prefix(carrier.size());
    for (const auto& part : several ? split(text, ',') : std::vector{std::string(text)})
      if (const auto equals = part.find('='); equals != std::string::npos)
        add(part.substr(0, equals), part.substr(equals + 1), word.computed, line);
  }
  void forget(std::string_view name) {
    std::erase_if(settings_, [&](const Setting& setting) { return setting.name == name; });
  }

  std::string_view file_;
  std::vector<Setting>& settings_;
};

bool is_instruction(const std::vector<Word>& words, std::string_view name) {
  return words.size() > 1 && lower(words.front().text) == name;
}

std::vector<Setting> read_lines(std::string_view name, std::string_view text, int first_line,
                                bool dockerfile) {
  std::vector<Setting> settings;
  Statements statements(name, settings);
  int line = first_line;
  constexpr std::string_view kBatch = "#SBATCH";
  for (std::size_t at = 0; at < text.size();) {
    if (text.substr(at).starts_with(kBatch)) at += kBatch.size();
    const int begun = line;
    auto words = Words(text, at).read(line);
    const bool is_env = dockerfile && is_instruction(words, "env");
    if (is_env && words.size() > 2 && words[1].text.find('=') == std::string::npos) {
      std::string value = words[2].text;
      for (std::size_t i = 3; i < words.size(); ++i) value += ' ' + words[i].text;
      statements.add(words[1].text, value, words[2].computed, begun);
    } else {
      statements.read(words, begun);
    }
  }
  return settings;
}

}  // namespace

std::vector<Setting> read_shell(std::string_view name, std::string_view text, int first_line) {
  return read_lines(name, text, first_line, false);
}

std::vector<Setting> read_dockerfile(std::string_view name, std::string_view text) {
  return read_lines(name, text, 1, true);
}

}  // namespace linerate::env
