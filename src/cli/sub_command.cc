// See sub_command.h.
#include "cli/sub_command.h"

#include <fmt/format.h>

namespace linerate {

WordsRead read_words(CLI::App& app, const std::vector<std::string>& words,
                     const std::string& name) {
  try {
    app.parse(std::vector<std::string>(words.rbegin(), words.rend()));
  } catch (const CLI::CallForHelp&) {
    return {.help = app.help()};
  } catch (const CLI::ParseError& error) {
    return {.refusal = fmt::format("{}: {}. --help lists its options.", name, error.what())};
  }
  return {};
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
