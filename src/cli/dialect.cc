#include "cli/dialect.h"

#include "base/text.h"
#include "cli/train_config.h"
#include "cli/values.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

namespace linerate {
namespace {

constexpr std::string_view kAny = "*";
constexpr double kMostPlainNumber = 1e15;

// What one may not give in a file.
constexpr std::string_view kOfWords[] = {"config", "dump-config", "help",
                                         "list",   "dry-run",     "version"};

std::vector<std::string> words_in(std::string_view text) {
  return text.empty() ? std::vector<std::string>() : split(text, ' ');
}

std::string shown_value(std::string_view text) {
  constexpr std::size_t kMostColumns = 41;  // with the ellipsis
  return shortened(plain_text(text), kMostColumns);
}

// 5e8 and 1.0 as whole numbers, where they are.
std::string plain_number(const std::string& text) {
  if (text.find_first_of(".eE") == std::string::npos) return text;
  const auto number = parse_number("value", text);
  const bool whole =
      number && std::abs(*number) < kMostPlainNumber && std::trunc(*number) == *number;
  return whole ? fmt::format("{:.0f}", *number == 0 ? 0.0 : *number) : text;
}

// The text where the option takes it as it is, such as a file's name; else it may be a number.
std::string text_for(std::string_view option, const std::string& text) {
  TrainOptions scratch;
  const auto* row = find_option(Audience::train, option);
  return row == nullptr || !apply(*row, {option, text}, scratch) ? text : plain_number(text);
}

struct ValuePair {
  std::string theirs, ours;
};
std::vector<ValuePair> pairs_of(const DialectRow& row) {
  std::vector<ValuePair> pairs;
  for (const auto& pair : words_in(row.values)) {
    const auto sign = pair.find('=');
    pairs.push_back({pair.substr(0, sign), pair.substr(sign + 1)});
  }
  return pairs;
}

std::string with_value(std::string ours, std::string_view given) {
  const auto at = ours.find(kAny);
  return at == std::string::npos ? ours : ours.replace(at, kAny.size(), given);
}

// What the value is here: commas between those of several options.
Result<std::string> ours_of(const Dialect& dialect, const DialectRow& row, const DialectKey& key) {
  const auto text = plain_number(key.text);
  const auto pairs = pairs_of(row);
  if (pairs.empty() && row.lacks.empty()) return key.text;
  std::vector<std::string_view> choices;
  for (const auto& [theirs, ours] : pairs) {
    if (theirs == text || theirs == kAny) return with_value(ours, key.text);
    choices.push_back(theirs);
  }
  const auto name = fmt::format("{}{}", dialect.dashes, key.name);
  const auto what = row.operands == Operands::none || text.empty() || text == "true"
                        ? name
                        : fmt::format("{} {}", name, shown_value(key.text));
  if (choices.empty()) return Failure{fmt::format("{}: {}; leave it out.", what, row.lacks)};
  if (!row.lacks.empty())
    return Failure{
        fmt::format("{}: {}; choose {}, or leave it out.", what, row.lacks, join(choices, ", "))};
  return Failure{unknown_choice(fmt::format("value of {}", name), shown_value(key.text), choices)};
}

// An option of ours by its own name, with _ for - where one likes.
const OptionRow* own_row(std::string_view name) {
  std::string dashed(name);
  std::ranges::replace(dashed, '_', '-');
  return find_option(Audience::train, dashed);
}

Refusal add_own(const OptionRow& row, const DialectKey& key, UnderstoodKeys& into) {
  if (std::ranges::find(kOfWords, row.long_name) != std::end(kOfWords))
    return fmt::format("{} is an option of the command line alone.", key.name);
  const bool says = key.text == "true" || key.text == "false";
  if (row.is_flag() && !says)
    return fmt::format("{} is '{}': give true or false.", key.name, shown_value(key.text));
  auto text = key.text;
  if (row.metavar == "0|1" && says) text = key.text == "true" ? "1" : "0";
  into.options.push_back({.name = key.name,
                          .said = key.text,
                          .option = std::string(row.long_name),
                          .text = std::move(text)});
  return {};
}

// Each of the row's options with its part.
Refusal add_parts(const DialectRow& row, const GivenOption& given, UnderstoodKeys& into) {
  const auto options = words_in(row.option);
  if (given.text.empty() || options.empty()) return {};
  const auto parts =
      options.size() == 1 ? std::vector<std::string>{given.text} : split(given.text, ',');
  if (parts.size() != options.size())
    return fmt::format("{} has {} values, and not {}.", given.name, options.size(), parts.size());
  for (std::size_t i = 0; i < options.size(); ++i) {
    if (trim(parts[i]).empty()) continue;
    auto part = given;
    part.option = options[i];
    part.text = text_for(part.option, std::string(trim(parts[i])));
    into.options.push_back(std::move(part));
  }
  return {};
}

Refusal add_absent(const Dialect& dialect, std::span<const DialectKey> keys, UnderstoodKeys& into) {
  for (const auto& row : dialect.rows) {
    const bool stands_there =
        std::ranges::any_of(keys, [&](const DialectKey& key) { return row.has_name(key.name); });
    if (row.absent.empty() || stands_there) continue;
    const auto name = words_in(row.names).front();
    GivenOption given{.name = fmt::format("{}{}", dialect.dashes, name),
                      .text = std::string(row.absent),
                      .implied = true};
    if (find_option_given(into, words_in(row.option).front()) != nullptr) continue;
    if (auto refusal = add_parts(row, given, into)) return refusal;
  }
  return {};
}

// Our option by a name that another trainer has for it, or empty.
std::string ours_for(std::string_view name) {
  std::string dashed(name);
  std::ranges::replace(dashed, '_', '-');
  for (const auto* row :
       {find_row(megatron_dialect(), dashed), find_row(deepspeed_dialect(), name)})
    if (row != nullptr && !row->option.empty() && row->option != kDerived)
      return words_in(row->option).front();
  return {};
}

std::string unknown_key(const Dialect& dialect, std::string_view name) {
  std::string near(nearest_name(dialect, name));
  if (near.empty() && dialect.has_ours) near = ours_for(name);
  if (near.empty() && dialect.has_ours) {
    std::vector<std::string_view> own;
    for (const auto* row : option_rows(Audience::train)) own.push_back(row->long_name);
    near = nearest_match(name, own);
  }
  constexpr std::size_t kMostOfName = 80;
  return fmt::format(
      "{}{} is unknown to {}{}", dialect.dashes, shortened(plain_text(name), kMostOfName),
      dialect.title,
      near.empty() ? std::string(".") : fmt::format(": did you mean {}{}?", dialect.dashes, near));
}

Refusal add_key(const Dialect& dialect, const DialectKey& key, UnderstoodKeys& into) {
  const auto* row = find_row(dialect, key.name);
  if (row == nullptr) {
    const auto* own = dialect.has_ours ? own_row(key.name) : nullptr;
    return own != nullptr ? add_own(*own, key, into) : unknown_key(dialect, key.name);
  }
  const auto name = fmt::format("{}{}", dialect.dashes, key.name);
  if (row->has_no_effect()) return into.without_effect.push_back(name), Refusal();
  if (row->option == kDerived) return {};
  const auto ours = ours_of(dialect, *row, key);
  if (!ours) return ours.sentence();
  return add_parts(*row, {.name = name, .said = key.text, .text = *ours}, into);
}

// By the sentences of our own options, under the names that were given.
Refusal check_values(const UnderstoodKeys& keys) {
  TrainOptions scratch;
  for (const auto& given : keys.options) {
    const auto* row = find_option(Audience::train, given.option);
    if (row == nullptr) return fmt::format("{} is no option.", given.option);
    if (trim(given.text).empty()) return fmt::format("{} has no value.", given.name);
    if (row->is_flag() && given.text == kFlagLeftOut) continue;
    if (auto refusal = apply(*row, {given.name, given.text}, scratch)) return refusal;
  }
  return {};
}

std::string code_list(const std::vector<std::string>& names, std::string_view dashes) {
  std::string text;
  for (const auto& name : names)
    text += fmt::format("{}`{}{}`", text.empty() ? "" : ", ", dashes, name);
  return text;
}

// "`adam`; others are refused: AdamW is the only optimizer".
std::string values_text(const DialectRow& row) {
  if (row.option == kDerived) return std::string(row.lacks);
  std::string text;
  for (const auto& [theirs, ours] : pairs_of(row)) {
    const bool flag = row.operands == Operands::none;
    text += fmt::format("{}{}", text.empty() ? "" : "; ",
                        flag           ? fmt::format("`{}`", ours)
                        : ours.empty() ? fmt::format("`{}`", theirs)
                                       : fmt::format("`{}`: `{}`", theirs, ours));
  }
  if (row.lacks.empty()) return text;
  return fmt::format("{}refused: {}", text.empty() ? "" : text + "; others are ", row.lacks);
}

bool is_same(const std::string& one, const std::string& other) {
  if (one == other) return true;
  const auto a = parse_number("value", one), b = parse_number("value", other);
  return a && b && *a == *b;
}

}  // namespace

bool DialectRow::has_name(std::string_view name) const {
  for (const auto& one : words_in(names)) {
    if (one == name) return true;
    if (one.ends_with(kAny) && name.starts_with(one.substr(0, one.size() - 1))) return true;
  }
  return false;
}

const DialectKey* find_key(std::span<const DialectKey> keys, std::string_view name) {
  const auto found = std::ranges::find(keys, name, &DialectKey::name);
  return found == keys.end() ? nullptr : &*found;
}

const DialectRow* find_row(const Dialect& dialect, std::string_view name) {
  const auto found =
      std::ranges::find_if(dialect.rows, [&](const DialectRow& row) { return row.has_name(name); });
  return found == dialect.rows.end() ? nullptr : &*found;
}

std::string_view nearest_name(const Dialect& dialect, std::string_view name) {
  std::vector<std::string_view> names;
  for (const auto& row : dialect.rows)
    for (std::size_t begin = 0; begin < row.names.size();) {
      const auto end = std::min(row.names.find(' ', begin), row.names.size());
      const auto one = row.names.substr(begin, end - begin);
      if (!one.ends_with(kAny)) names.push_back(one);
      if (one.starts_with(name) && one.substr(name.size()).starts_with('.')) return one;
      begin = end + 1;
    }
  return nearest_match(name, names);
}

Result<UnderstoodKeys> understand(const Dialect& dialect, std::span<const DialectKey> keys,
                                  bool whole) {
  UnderstoodKeys understood;
  for (const auto& key : keys) {
    if (!dialect.no_value.empty() && key.text == dialect.no_value) continue;
    if (auto refusal = add_key(dialect, key, understood)) return Failure{*refusal};
  }
  if (dialect.derive != nullptr)
    if (auto refusal = dialect.derive(keys, whole, understood)) return Failure{*refusal};
  if (whole)
    if (auto refusal = add_absent(dialect, keys, understood)) return Failure{*refusal};
  if (auto refusal = check_values(understood)) return Failure{*refusal};
  return understood;
}

Refusal contradiction_of(std::span<const GivenOption> options) {
  std::map<std::string_view, const GivenOption*> first;
  for (const auto& given : options) {
    if (given.implied) continue;
    const auto [at, added] = first.emplace(given.option, &given);
    const auto& other = *at->second;
    const bool repeated = other.name == given.name && other.file == given.file;
    if (!added && repeated) at->second = &given;
    if (added || repeated || is_same(other.text, given.text)) continue;
    const auto text = [](const GivenOption& one) {
      return one.said.empty() || one.said == "true"
                 ? one.name
                 : fmt::format("{} {}", one.name, shown_value(one.said));
    };
    return fmt::format("{} and {} contradict each other: --{} would be {} and {}.", text(other),
                       text(given), given.option, shown_value(other.text), shown_value(given.text));
  }
  return {};
}

const GivenOption* find_option_given(const UnderstoodKeys& keys, std::string_view option) {
  const auto found = std::ranges::find_if(keys.options, [&](const GivenOption& given) {
    return given.option == option && !given.implied;
  });
  return found == keys.options.end() ? nullptr : &*found;
}

Refusal derive_bucket(std::span<const DialectKey> keys, std::string_view name,
                      UnderstoodKeys& into) {
  constexpr double kElementBytes = 4, kMiB = 1 << 20;
  const auto* key = find_key(keys, name);
  if (key == nullptr || key->text == "auto") return {};
  const auto elements = number_within({name, key->text}, {0, 1e15});
  if (!elements) return elements.sentence();
  into.options.push_back(
      {.name = std::string(name),
       .said = key->text,
       .option = "bucket-cap-mb",
       .text = fmt::format("{:.0f}", std::max(1.0, std::ceil(*elements * kElementBytes / kMiB)))});
  return {};
}

std::string dialect_markdown(const Dialect& dialect) {
  std::string table, nothing;
  for (const auto& row : dialect.rows) {
    const auto names = code_list(words_in(row.names), dialect.dashes);
    if (row.has_no_effect()) {
      nothing += (nothing.empty() ? "" : ", ") + names;
      continue;
    }
    const auto options =
        row.option == kDerived ? std::string() : code_list(words_in(row.option), "--");
    table += fmt::format("| {} | {} | {} | {} |\n", names, options, values_text(row),
                         row.absent.empty() ? "" : fmt::format("`{}`", row.absent));
  }
  return fmt::format("| {} | here | values | where it is left out |\n|---|---|---|---|\n{}{}",
                     dialect.title, table,
                     nothing.empty() ? "" : fmt::format("\nWithout effect: {}.\n", nothing));
}

}  // namespace linerate
