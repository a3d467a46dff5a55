// See sub_command.h.
#include "cli/sub_command.h"

#include "base/text.h"
#include "cli/help.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <utility>

namespace linerate {
namespace {

std::vector<std::string> long_names(const CLI::App& app) {
  std::vector<std::string> names;
  for (const auto* option : app.get_options())
    for (const auto& name : option->get_lnames()) names.push_back("--" + name);
  return names;
}

// "--tre=3": it has no option '--tre'. Did you mean '--tree'?
std::string stray_refusal(const CLI::App& app, const std::string& word) {
  if (!word.starts_with('-')) return fmt::format("the word '{}' belongs to no option.", word);
  const auto option = word.substr(0, word.find('='));
  const auto names = long_names(app);
  const std::vector<std::string_view> choices(names.begin(), names.end());
  const auto near = nearest_match(option, choices);
  return fmt::format("it has no option '{}'.{}", option,
                     near.empty() ? "" : fmt::format(" Did you mean '{}'?", near));
}

// Where CLI11 takes the next word for the value; empty: nowhere.
std::string open_end(const std::vector<std::string>& words) {
  for (const auto& word : words)
    if (word.starts_with("--") && word.ends_with('='))
      return fmt::format("{} is given an empty value: leave it out, or say what.",
                         word.substr(0, word.size() - 1));
  return {};
}

// Not the same as leaving the option out: mostly a variable that is not set.
std::string empty_value_refusal(const CLI::App& app) {
  for (const auto* option : app.get_options())
    if (std::ranges::count(option->results(), "") > 0)
      return fmt::format("{} is given an empty value: give {}, or leave it out.",
                         option->get_name(), option->get_type_name());
  return {};
}

// CLI11 takes it for the value: the next option would be the name of a file.
std::string option_as_value_refusal(const CLI::App& app) {
  auto names = long_names(app);
  for (const auto* option : app.get_options())
    for (const auto& name : option->get_snames()) names.push_back("-" + name);
  for (const auto* option : app.get_options())
    for (const auto& value : option->results())
      if (std::ranges::count(names, value.substr(0, value.find('='))) > 0)
        return fmt::format("{} is followed by the option {}: give {} between them.",
                           option->get_name(), value, option->get_type_name());
  return {};
}

std::string left_side(const CLI::Option& option) {
  const auto& shorts = option.get_snames();
  const auto& longs = option.get_lnames();
  if (longs.empty()) return "  " + option.get_name();
  const auto value = option.get_items_expected_max() == 0 ? "" : " " + option.get_type_name();
  return fmt::format("  {} --{}{}", shorts.empty() ? "   " : fmt::format("-{},", shorts[0]),
                     longs[0], value);
}

// As the tools' help looks.
std::string help_of(const CLI::App& app, const std::string& name) {
  constexpr std::size_t kColumn = 35;
  auto text = fmt::format("usage:   {} [options]\n\n{}\nOptions\n", name,
                          in_column("", 0, app.get_description()));
  for (const auto* option : app.get_options()) {
    const auto value = option->get_default_str();
    const auto suffix = value.empty() || value == "false" ? "" : fmt::format(" [{}]", value);
    auto left = left_side(*option);
    if (left.size() + 2 > kColumn) left += "\n" + std::string(kColumn, ' ');
    text += in_column(left, kColumn, option->get_description() + suffix);
  }
  return text;
}

}  // namespace

WordsRead read_words(CLI::App& app, const std::vector<std::string>& words,
                     const std::string& name) {
  if (const auto open = open_end(words); !open.empty())
    return {.refusal = fmt::format("{}: {}", name, open)};
  try {
    app.parse(std::vector<std::string>(words.rbegin(), words.rend()));
  } catch (const CLI::CallForHelp&) {
    return {.help = help_of(app, name)};
  } catch (const CLI::ExtrasError&) {
    if (auto taken = option_as_value_refusal(app); !taken.empty())
      return {.refusal = fmt::format("{}: {}", name, taken)};
    auto strays = app.remaining();
    return {.refusal = fmt::format("{}: {} --help lists its options.", name,
                                   stray_refusal(app, strays.front())),
            .strays = std::move(strays)};
  } catch (const CLI::ParseError& error) {
    return {.refusal = fmt::format("{}: {}. --help lists its options.", name, error.what())};
  }
  for (const auto& refusal : {empty_value_refusal(app), option_as_value_refusal(app)})
    if (!refusal.empty()) return {.refusal = fmt::format("{}: {}", name, refusal)};
  return {};
}

Refusal at_most_one(const std::vector<const char*>& given, std::string_view what) {
  if (given.size() < 2) return {};
  return fmt::format("{} and {} exclude each other: give one {}.", given[0], given[1], what);
}

std::string options_markdown(const CLI::App& app) {
  std::string text = "| Option | Default | Meaning |\n|---|---|---|\n";
  for (const auto* option : app.get_options()) {
    if (option->get_lnames().empty() || option->get_lnames()[0] == "help") continue;
    const auto value = option->get_default_str();
    text += fmt::format("| `{}` | {} | {} |\n", option->get_name(false, true),
                        value.empty() ? "" : fmt::format("`{}`", value), option->get_description());
  }
  return text;
}

}  // namespace linerate
