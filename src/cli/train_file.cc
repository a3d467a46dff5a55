#include "cli/train_file.h"

#include "base/text.h"
#include "cli/dialect.h"
#include "yaml/document.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cctype>
#include <iterator>
#include <ranges>
#include <set>
#include <utility>

namespace linerate {
namespace {

constexpr int kMaxKeyDepth = 8;
constexpr std::size_t kMaxKeys = 2048;
constexpr std::string_view kBlanks = " \t\r\n";

// The leaves of a document, with dots between the keys above them. Aliases may make a small
// document large, or endless, so that depth and number have limits.
class Leaves {
 public:
  explicit Leaves(std::string_view null_text) : null_text_(null_text) {}

  Refusal add(const YAML::Node& node, const std::string& name, int depth = 0) {
    if (depth > kMaxKeyDepth || keys_.size() > kMaxKeys)
      return fmt::format(": it has more than {} keys, or nests deeper than {}.", kMaxKeys,
                         kMaxKeyDepth);
    if (node.IsMap()) return add_map(node, name, depth);
    if (!names_.insert(name).second)
      return fmt::format(", line {}: {} stands there twice.", node.Mark().line + 1,
                         plain_text(name));
    if (node.IsSequence() && !is_flat(node)) {
      std::size_t index = 0;
      for (const auto& item : node)
        if (auto refusal = add(item, fmt::format("{}.{}", name, index++), depth + 1))
          return refusal;
      return {};
    }
    keys_.push_back({name, text_of(node)});
    return {};
  }

  std::vector<DialectKey> take() { return std::move(keys_); }

 private:
  static bool is_flat(const YAML::Node& list) {
    return std::ranges::all_of(list, [](const auto& item) { return item.IsScalar(); });
  }

  std::string text_of(const YAML::Node& node) const {
    if (node.IsScalar()) return node.Scalar();
    if (!node.IsSequence()) return std::string(null_text_);
    std::string text;
    for (const auto& item : node) text += (text.empty() ? "" : ",") + item.Scalar();
    return text;
  }

  Refusal add_map(const YAML::Node& map, const std::string& above, int depth) {
    for (const auto& entry : map) {
      const auto line = entry.first.Mark().line + 1;
      if (!entry.first.IsScalar()) return fmt::format(", line {}: a key is one word.", line);
      const auto& key = entry.first.Scalar();
      const auto name = above.empty() ? key : fmt::format("{}.{}", above, key);
      if (entry.second.IsMap() && !names_.insert(name).second)
        return fmt::format(", line {}: {} stands there twice.", line, plain_text(name));
      if (auto refusal = add(entry.second, name, depth + 1)) return refusal;
    }
    return {};
  }

  const std::string_view null_text_;
  std::vector<DialectKey> keys_;
  std::set<std::string> names_;
};

// The sentence goes on behind the file's name.
Result<std::vector<DialectKey>> keys_in(std::string_view text, const Dialect& dialect) {
  const auto* language = &dialect == &deepspeed_dialect() ? "JSON" : "YAML";
  const auto document = yaml::load_document(text, kMostConfigBytes, language);
  if (!document) return document.failure();
  if (!document->IsMap()) return Failure{": it is no map of options, such as 'steps: 100'."};
  Leaves leaves(dialect.no_value);
  if (auto refusal = leaves.add(*document, "")) return Failure{*refusal};
  return leaves.take();
}

// Words as a shell splits them: quotes, a backslash before a line's end, comments.
Result<std::vector<std::string>> words_in_file(std::string_view text) {
  std::vector<std::string> words;
  std::string word;
  bool begun = false;
  char quote = 0;
  std::size_t opened = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    const bool blank = kBlanks.find(c) != std::string_view::npos;
    if (quote != 0 ? c == quote : c == '"' || c == '\'') {
      quote = quote != 0 ? char{0} : c;
      opened = i;
      begun = true;
    } else if (quote == 0 && c == '\\' && i + 1 < text.size() && text[i + 1] == '\n') {
      ++i;
    } else if (quote == 0 && c == '#' && !begun) {
      i = std::min(text.find('\n', i), text.size()) - 1;
    } else if (quote == 0 && blank) {
      if (begun) words.push_back(std::exchange(word, {}));
      begun = false;
    } else {
      word += c;
      begun = true;
    }
  }
  if (quote != 0)
    return Failure{fmt::format(", line {}: a quote is opened and not closed.",
                               1 + std::ranges::count(text.substr(0, opened), '\n'))};
  if (begun) words.push_back(word);
  return words;
}

// Words of our own, with their values, and flags of Megatron-LM.
struct SortedFlags {
  std::vector<std::string> own{};
  std::vector<DialectKey> theirs{};
};

// Reads word after word. Used by one call.
class FlagSorter {
 public:
  explicit FlagSorter(std::span<const std::string> words) : words_(words) {}

  Result<SortedFlags> sorted() {
    while (next_ < words_.size())
      if (auto refusal = take()) return Failure{*refusal};
    return std::move(flags_);
  }

 private:
  // Also "-t" and "-t4"; "-1" and "-" are values.
  static bool is_option(std::string_view word) {
    return word.starts_with("--") ||
           (word.size() > 1 && word[0] == '-' && find_option(Audience::train, word[1]) != nullptr);
  }

  Refusal take() {
    const auto& word = words_[next_++];
    if (!word.starts_with("--") || word.size() == 2) return take_own(word);
    const auto equals = std::min(word.find('='), word.size());
    const auto name = word.substr(2, equals - 2);
    if (const auto* row = find_row(megatron_dialect(), name))
      return take_theirs(*row, name, equals);
    if (find_option(Audience::train, name) != nullptr) return take_own(word);
    const auto near = nearest_name(megatron_dialect(), name);
    std::vector<std::string_view> own;
    for (const auto* row : option_rows(Audience::train)) own.push_back(row->long_name);
    if (near.empty() || !nearest_match(name, own).empty()) return take_own(word);
    return fmt::format("Unknown option '--{}': did you mean '--{}'? -h lists all options.",
                       plain_text(name), near);
  }

  Refusal take_own(const std::string& word) {
    const auto* row = word.starts_with("--") ? find_option(Audience::train, word.substr(2))
                      : word.size() == 2 && word[0] == '-' ? find_option(Audience::train, word[1])
                                                           : nullptr;
    flags_.own.push_back(word);
    if (row != nullptr && !row->is_flag() && next_ < words_.size())
      flags_.own.push_back(words_[next_++]);
    return {};
  }

  Refusal take_theirs(const DialectRow& row, const std::string& name, std::size_t equals) {
    const auto& word = words_[next_ - 1];
    const bool joined = equals < word.size();
    if (row.operands == Operands::none) {
      if (joined) return fmt::format("--{} takes no value.", name);
      flags_.theirs.push_back({name, "true"});
      return {};
    }
    std::string text = joined ? word.substr(equals + 1) : "";
    const auto is_value = [&] { return next_ < words_.size() && !is_option(words_[next_]); };
    if (!joined && is_value()) text = words_[next_++];
    while (!joined && row.operands == Operands::several && is_value())
      text += "," + words_[next_++];
    if (text.empty() && row.operands == Operands::one)
      return fmt::format("--{} needs a value.", name);
    flags_.theirs.push_back({name, text});
    return {};
  }

  const std::span<const std::string> words_;
  std::size_t next_ = 0;
  SortedFlags flags_;
};

Result<std::vector<DialectKey>> flags_in(std::string_view text) {
  if (text.size() > kMostConfigBytes) return Failure{": it is too long."};
  const auto words = words_in_file(text);
  if (!words) return words.failure();
  auto flags = FlagSorter(*words).sorted();
  if (!flags) return Failure{": " + flags.sentence()};
  auto keys = std::move(flags).value();
  const auto tokens = tokenise(keys.own, Audience::train);
  if (!tokens) return Failure{": " + tokens.sentence()};
  for (const auto& [row, value] : *tokens)
    keys.theirs.push_back({std::string(row->long_name), row->is_flag() ? "true" : value});
  return std::move(keys.theirs);
}

// By the first character that is no comment's.
const Dialect& dialect_of(std::string_view text) {
  for (auto begin = text.find_first_not_of(kBlanks); begin != std::string_view::npos;
       begin = text.find_first_not_of(kBlanks, begin)) {
    const auto rest = text.substr(begin);
    if (rest.front() == '#') {
      begin = std::min(text.find('\n', begin), text.size());
      continue;
    }
    if (rest.front() == '{') return deepspeed_dialect();
    return rest.starts_with("--") && !rest.starts_with("---") ? megatron_dialect() : yaml_dialect();
  }
  return yaml_dialect();
}

Result<UnderstoodKeys> understand_file(const TrainFile& file, TrainProgram program) {
  const auto& dialect = dialect_of(file.text);
  const auto keys =
      &dialect == &megatron_dialect() ? flags_in(file.text) : keys_in(file.text, dialect);
  if (!keys) return Failure{plain_text(file.name) + keys.sentence()};
  const auto* strategy = find_key(*keys, "distributed_strategy");
  const bool ours = &dialect == &yaml_dialect() && strategy != nullptr;
  if (ours && (strategy->text == "3d" || strategy->text == "auto") &&
      program != TrainProgram::three_d)
    return Failure{fmt::format("{}: distributed_strategy {} is of train_3d, not of {}.",
                               plain_text(file.name), strategy->text, name_of(program))};
  if (ours && strategy->text == "auto" && find_key(*keys, "plan") == nullptr)
    return Failure{
        fmt::format("{}: distributed_strategy auto goes by a machine: give plan: FILE "
                    "too, which linerate plan --measured FILE makes.",
                    plain_text(file.name))};
  auto understood = understand(dialect, *keys, true);
  if (!understood)
    return Failure{fmt::format("{}: {}", plain_text(file.name), understood.sentence())};
  return understood;
}

// Values that were left out first, so that all others win. One word each: none can be taken for
// another option.
void put_words(std::span<const GivenOption> options, std::vector<std::string>& into) {
  for (const bool implied : {true, false})
    for (const auto& given : options) {
      if (given.implied != implied) continue;
      const bool flag = find_option(Audience::train, given.option)->is_flag();
      if (flag && given.text == kFlagLeftOut) continue;
      into.push_back(flag ? "--" + given.option : fmt::format("--{}={}", given.option, given.text));
    }
}

// Words of YAML that are no text are quoted, so that they read back as they are.
std::string yaml_scalar(std::string_view text) {
  constexpr std::string_view kNoText[] = {"null", "Null",  "NULL",  "true", "True",
                                          "TRUE", "false", "False", "FALSE"};
  const bool plain = !text.empty() && std::ranges::all_of(text, [](unsigned char c) {
    return std::isalnum(c) ||
           std::string_view("_./-+%").find(static_cast<char>(c)) != std::string_view::npos;
  });
  if (plain && std::ranges::find(kNoText, text) == std::end(kNoText) && text.front() != '-' &&
      text.front() != '.' && text.front() != '%')
    return std::string(text);
  return nlohmann::json(text).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

}  // namespace

Result<std::vector<std::string>> config_files_of(const std::vector<std::string>& words) {
  const auto flags = FlagSorter(words).sorted();
  if (!flags) return flags.failure();
  const auto tokens = tokenise(flags->own, Audience::train);
  if (!tokens) return tokens.failure();
  std::vector<std::string> files;
  for (const auto& [row, text] : *tokens)
    if (row->long_name == "config") files.push_back(text);
  return files;
}

Result<TrainWords> train_words(const std::vector<std::string>& words,
                               std::span<const TrainFile> files, TrainProgram program) {
  TrainWords translated;
  std::vector<GivenOption> of_files;
  const auto add = [&](UnderstoodKeys keys, std::vector<GivenOption>& options) {
    std::ranges::move(keys.options, std::back_inserter(options));
    std::ranges::move(keys.without_effect, std::back_inserter(translated.without_effect));
  };
  for (const auto& file : files) {
    auto understood = understand_file(file, program);
    if (!understood) return understood.failure();
    auto keys = std::move(understood).value();
    for (auto& given : keys.options) given.file = static_cast<std::size_t>(&file - files.data());
    add(std::move(keys), of_files);
  }
  if (auto refusal = contradiction_of(of_files)) return Failure{*refusal};
  const auto flags = FlagSorter(words).sorted();
  if (!flags) return flags.failure();
  auto understood = understand(megatron_dialect(), flags->theirs, false);
  if (!understood) return understood.failure();
  std::vector<GivenOption> of_words;
  add(std::move(understood).value(), of_words);
  put_words(of_files, translated.words);
  put_words(of_words, translated.words);
  const auto tokens = tokenise(flags->own, Audience::train);
  if (!tokens) return tokens.failure();
  for (const auto& [row, text] : *tokens)
    of_words.push_back(
        {.name = row->label(), .said = text, .option = std::string(row->long_name), .text = text});
  if (auto refusal = contradiction_of(of_words)) return Failure{*refusal};
  translated.words.insert(translated.words.end(), flags->own.begin(), flags->own.end());
  return translated;
}

std::string options_yaml(std::span<const Token> given, int zero) {
  constexpr std::string_view kLeftOut[] = {"config",  "dump-config", "list",
                                           "dry-run", "version",     "zero"};
  std::string text = "# Options that are given; others as comments, with their defaults.\n";
  for (const auto& group : option_groups(Audience::train)) {
    if (group.title == "Help") continue;
    text += fmt::format("\n# {}\n", group.title);
    for (const auto& row : group.rows) {
      if (row.long_name == "zero" && !is_given(given, "plan"))
        text += fmt::format("zero: {}\n", zero);
      if (std::ranges::find(kLeftOut, row.long_name) != std::end(kLeftOut)) continue;
      const auto last_first = given | std::views::reverse;
      const auto token = std::ranges::find(last_first, &row, &Token::row);
      if (token != last_first.end())
        text += fmt::format("{}: {}\n", row.long_name,
                            row.is_flag() ? "true" : yaml_scalar(token->text));
      else
        text += fmt::format("# {}: {}\n", row.long_name,
                            row.is_flag()              ? "false"
                            : row.default_text.empty() ? row.metavar
                                                       : row.default_text);
    }
  }
  return text;
}

}  // namespace linerate
