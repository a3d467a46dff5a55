// What bash, zsh and fish source.
#include "base/text.h"
#include "cli/command_lines.h"
#include "cli/tools.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <map>

namespace linerate {
namespace {

constexpr std::string_view kHead =
    "# Completion of linerate, its tools and its trainers; written by `linerate docs completion "
    "{}`.\n";

std::string in_quotes(std::string_view text) {
  std::string out = "'";
  for (const char c : text) out += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return out + '\'';
}

// Of a metavar that lists nothing but values: "0|1".
std::vector<std::string> values_of(const OptionRow& row) {
  const auto is_value = [](unsigned char c) { return std::isupper(c) == 0; };
  if (row.metavar.find('|') == std::string_view::npos ||
      !std::ranges::all_of(row.metavar, is_value))
    return {};
  return split(row.metavar, '|');
}

// Whether a name of a file may follow.
bool takes_file(const OptionRow& row) {
  return row.metavar.find("FILE") != std::string_view::npos ||
         row.metavar.find("FOLDER") != std::string_view::npos;
}

std::vector<std::string> names_of(const OptionRow& row) {
  std::vector<std::string> names;
  if (row.short_name != 0) names.push_back(fmt::format("-{}", row.short_name));
  names.push_back(fmt::format("--{}", row.long_name));
  return names;
}

// The words that may follow "linerate", and each of its first words.
using NextWords = std::map<std::string, std::map<std::string, std::string_view>>;
NextWords next_words() {
  NextWords next;
  const auto add = [&](std::string_view line, std::string_view summary) {
    const auto words = split(line, ' ');
    std::string so_far(kLinerate);
    for (std::size_t i = 1; i < words.size(); ++i) {
      auto& known = next[so_far][words[i]];
      if (i + 1 == words.size()) known = summary;
      so_far += ' ' + words[i];
    }
  };
  for (const auto& row : commands())
    if (row.options != Audience::tune_library)
      add(fmt::format("linerate {}", row.name), row.summary);
  for (const auto& line : command_lines())
    for (const auto& spelling : line.spellings)
      if (spelling.starts_with("linerate ")) add(spelling, line.summary);
  return next;
}

std::vector<std::string> programs() {
  std::vector<std::string> names{std::string(kLinerate)};
  for (const auto& line : command_lines())
    if (!line.spellings.front().starts_with("linerate ")) names.push_back(line.spellings.front());
  return names;
}

// Lines of the same options, as patterns of `case`.
std::map<Audience, std::string> patterns() {
  std::map<Audience, std::string> all;
  for (const auto& line : command_lines())
    for (const auto& spelling : line.spellings) {
      auto& pattern = all[line.options];
      pattern += (pattern.empty() ? "" : "|") + in_quotes(spelling);
    }
  return all;
}

// bash: a function that knows each line, and one that walks along the words.
constexpr std::string_view kBashWalk = R"(
_linerate() {
  local cur=$2 prev=$3 line=${COMP_WORDS[0]##*/} i words= options= valued= choices=() choice
  _linerate_line "$line"
  for ((i = 1; i < COMP_CWORD; i++)); do
    _linerate_line "$line ${COMP_WORDS[i]}" || break
    line+=" ${COMP_WORDS[i]}"
  done
  if [[ $valued == *" $prev "* ]]; then
    words=
    for choice in "${choices[@]}"; do
      [[ $choice == "$prev "* ]] && words=${choice#* }
    done
  elif [[ $cur == -* ]]; then
    words=$options
  fi
  COMPREPLY=($(compgen -W "$words" -- "$cur"))
}
)";

std::string bash_line(const std::string& pattern, Audience options) {
  std::string names, valued, choices;
  for (const auto* row : own_rows(options))
    for (const auto& name : names_of(*row)) {
      names += name + ' ';
      if (!row->is_flag()) valued += name + ' ';
      if (const auto values = values_of(*row); !values.empty())
        choices += ' ' + in_quotes(fmt::format("{} {}", name, fmt::join(values, " ")));
    }
  return fmt::format(
      "    {})\n      words=\n      options='{}'\n      valued=' {}'\n      choices=({}) ;;\n",
      pattern, names, valued, trim(choices));
}

std::string bash() {
  auto text = fmt::format(kHead, "bash") + "_linerate_line() {\n  local known=1\n  case $1 in\n";
  for (const auto& [options, pattern] : patterns()) text += bash_line(pattern, options);
  text += "    *) known=0 ;;\n  esac\n  case $1 in\n";
  for (const auto& [line, words] : next_words()) {
    std::string list;
    for (const auto& [word, summary] : words) list += word + ' ';
    text += fmt::format("    {}) words='{}' known=1 ;;\n", in_quotes(line), list);
  }
  text += "  esac\n  ((known))\n}\n";
  return fmt::format("{}{}\ncomplete -o default -F _linerate {}\n", text, kBashWalk,
                     fmt::join(programs(), " "));
}

// zsh: a function of _arguments for each program's options.
std::string zsh_spec(const OptionRow& row) {
  std::string help;
  for (const char c : row.help)
    help += c == '[' || c == ']' || c == ':' ? std::string{'\\', c} : std::string(1, c);
  std::string value;
  if (const auto values = values_of(row); !values.empty())
    value = fmt::format(":{}:({})", row.metavar, fmt::join(values, " "));
  else if (!row.is_flag())
    value = fmt::format(":{}:{}", row.metavar, takes_file(row) ? "_files" : " ");
  const auto names = names_of(row);
  std::string text;
  for (const auto& name : names)
    text += fmt::format(" \\\n    {}", in_quotes(fmt::format("({}){}[{}]{}", fmt::join(names, " "),
                                                             name, help, value)));
  return text;
}

std::string zsh() {
  auto text = fmt::format("#compdef {}\n", fmt::join(programs(), " ")) + fmt::format(kHead, "zsh");
  text += "\n_linerate_options() {\n  case $1 in\n";
  for (const auto& [options, pattern] : patterns()) {
    text += fmt::format("  {})\n    _arguments -S", pattern);
    for (const auto* row : own_rows(options)) text += zsh_spec(*row);
    text += " \\\n    '*:file:_files' ;;\n";
  }
  text += "  *) _files ;;\n  esac\n}\n\n_linerate_words() {\n  local -a next\n  case $1 in\n";
  for (const auto& [line, words] : next_words()) {
    text += fmt::format("  {}) next=(", in_quotes(line));
    for (const auto& [word, summary] : words)
      text += fmt::format("\n    {}", in_quotes(fmt::format("{}:{}", word, summary)));
    text += ") ;;\n";
  }
  return text +
         "  *) return 1 ;;\n  esac\n  _describe command next\n}\n\n"
         "local line=$service\n"
         "while (( CURRENT > 2 )) && [[ $words[2] != -* ]]; do\n"
         "  line+=\" $words[2]\"\n  shift words\n  (( CURRENT-- ))\ndone\n"
         "if [[ $words[CURRENT] != -* ]] && _linerate_words $line; then\n  return\nfi\n"
         "_linerate_options $line\n";
}

// fish: a line for each option of the programs, and one for linerate's commands with such options.
constexpr std::string_view kFishWalk = R"(
function __linerate_line -d 'The longest line of linerate that the words typed begin with'
    set -l typed (commandline -opc)[2..-1]
    set -l line
    for i in (seq (count $typed))
        contains -- "$typed[1..$i]" $__linerate_lines; and set line "$typed[1..$i]"
    end
    echo $line
end
function __linerate_is -d 'Whether it is one of these'
    contains -- (__linerate_line) $argv
end
function __linerate_at -d 'Whether the words typed are these, and no more'
    set -l typed (commandline -opc)[2..-1]
    test "$typed" = "$argv"
end

)";

std::string fish_option(const OptionRow& row) {
  std::string text;
  if (row.short_name != 0) text += fmt::format(" -s {}", row.short_name);
  text += fmt::format(" -l {}", row.long_name);
  if (!row.is_flag()) text += takes_file(row) ? " -r" : " -x";
  if (const auto values = values_of(row); !values.empty())
    text += fmt::format(" -a '{}'", fmt::join(values, " "));
  return fmt::format("{} -d {}\n", text, in_quotes(row.help));
}

// What takes the same options: programs, and what stands behind linerate.
struct FishLines {
  std::string programs{}, commands{};
};
std::map<Audience, FishLines> fish_lines() {
  std::map<Audience, FishLines> all;
  for (const auto& line : command_lines())
    for (const std::string_view spelling : line.spellings) {
      auto& of = all[line.options];
      if (spelling.starts_with("linerate "))
        of.commands += fmt::format(" {}", in_quotes(spelling.substr(kLinerate.size() + 1)));
      else
        of.programs += fmt::format(" -c {}", spelling);
    }
  return all;
}

std::string fish() {
  auto text = fmt::format(kHead, "fish") + "set -g __linerate_lines";
  const auto lines = fish_lines();
  for (const auto& [options, of] : lines) text += of.commands;
  text += '\n';
  for (const auto& [options, of] : lines)
    text += fmt::format("set -g __linerate_{}{}\n", static_cast<int>(options), of.commands);
  text += kFishWalk;
  for (const auto& [line, words] : next_words())
    for (const auto& [word, summary] : words)
      text += fmt::format("complete -c linerate -n '__linerate_at{}' -a {} -d {}\n",
                          line.substr(kLinerate.size()), word, in_quotes(summary));
  for (const auto& [options, of] : lines)
    for (const auto* row : own_rows(options)) {
      const auto option = fish_option(*row);
      if (!of.programs.empty()) text += fmt::format("complete{}{}", of.programs, option);
      if (!of.commands.empty())
        text += fmt::format("complete -c linerate -n '__linerate_is $__linerate_{}'{}",
                            static_cast<int>(options), option);
    }
  return text;
}

}  // namespace

std::string completion(Shell shell) {
  switch (shell) {
    case Shell::bash:
      return bash();
    case Shell::zsh:
      return zsh();
    case Shell::fish:
      return fish();
  }
  __builtin_unreachable();
}

}  // namespace linerate
