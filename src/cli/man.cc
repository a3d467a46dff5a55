// Pages of man: what the help says, in man's macros.
#include "base/text.h"
#include "cli/command_lines.h"
#include "cli/help.h"
#include "cli/tools.h"

#include <fmt/format.h>

namespace linerate {
namespace {

// Text for troff: no escapes, no requests at the beginning of a line, and what Markdown is in notes
// is taken off: `code` and [text](link).
std::string plain(std::string_view text) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (c == '[') {
      const auto middle = text.find("](", i), end = text.find(')', i);
      if (middle != std::string_view::npos && end != std::string_view::npos && middle < end) {
        out += plain(text.substr(i + 1, middle - i - 1));
        i = end;
        continue;
      }
    }
    if (c == '`') continue;
    if (c == '\\')
      out += "\\e";
    else if (c == '-')
      out += "\\-";
    else
      out += c;
  }
  return out.starts_with('.') || out.starts_with('\'') ? "\\&" + out : out;
}

std::string bold(std::string_view text) { return fmt::format(R"(\fB{}\fR)", plain(text)); }
std::string italic(std::string_view text) { return fmt::format(R"(\fI{}\fR)", plain(text)); }

// In man's macros.
std::string said(std::string_view phrase) { return sentence(plain(phrase)); }

std::string entry(std::string_view left, std::string_view text) {
  return fmt::format(".TP\n{}\n{}\n", left, text);
}

std::string option(const OptionRow& row) {
  auto left = bold(fmt::format("--{}", row.long_name));
  if (row.short_name != 0)
    left = fmt::format("{}, {}", bold(fmt::format("-{}", row.short_name)), left);
  if (!row.is_flag()) left += ' ' + italic(row.metavar);
  auto text = said(row.help);
  if (!row.default_text.empty()) text += fmt::format(" Default: {}.", plain(row.default_text));
  if (!row.note.empty()) text += '\n' + plain(row.note);
  return entry(left, text);
}

std::string options(Audience program) {
  std::string text = ".SH OPTIONS\n";
  for (const auto& group : option_groups(program)) {
    std::string rows;
    for (const auto& row : group.rows)
      if (has_option(program, row)) rows += option(row);
    if (!rows.empty()) text += fmt::format(".SS {}\n{}", plain(group.title), rows);
  }
  return text;
}

std::string exit_codes() {
  std::string text = ".SH EXIT STATUS\n";
  for (const auto& row : kExitCodes)
    text += entry(bold(fmt::to_string(static_cast<int>(row.code))), said(row.meaning));
  return text;
}

std::string head(std::string_view name, std::string_view summary) {
  return fmt::format(
      ".\\\" Written by `linerate docs man` from the table of options.\n"
      ".TH \"{}\" 1 \"\" \"linerate\" \"linerate\"\n.SH NAME\n{} \\- {}\n",
      name, plain(name), plain(summary));
}

std::string synopsis(const std::vector<std::string>& lines) {
  std::string text = ".SH SYNOPSIS\n";
  for (const auto& line : lines)
    text += fmt::format("{}{}\n", &line == &lines.front() ? "" : ".br\n", line);
  return text;
}

std::string page_name(std::string_view spelling) {
  std::string name(spelling);
  for (auto& c : name)
    if (c == ' ') c = '-';
  return name;
}

std::string see_also(std::string_view name) {
  constexpr std::string_view kDocs = "The documentation, as Markdown, that comes with linerate.\n";
  return fmt::format(".SH SEE ALSO\n{}",
                     name == kLinerate ? std::string(kDocs) : bold(kLinerate) + "(1)\n");
}

std::string variables() {
  std::string text = ".SH ENVIRONMENT\n";
  for (const auto& row : linerate::variables()) text += entry(bold(row.name), said(row.help));
  return text;
}

std::string page(const CommandLine& line) {
  const auto name = page_name(line.spellings.front());
  std::vector<std::string> spellings;
  for (const auto& spelling : line.spellings)
    spellings.push_back(fmt::format("{} {}", bold(spelling), plain(line.arguments)));
  const auto about = line.about.empty() ? said(line.summary) : plain(line.about);
  auto text = head(name, line.summary) + synopsis(spellings) +
              fmt::format(".SH DESCRIPTION\n{}\n", about) + options(line.options);
  if (line.options == Audience::collectives || line.options == Audience::suite) text += variables();
  return text + exit_codes() + see_also(name);
}

std::string first_page() {
  auto text =
      head(kLinerate, "benchmarks of collectives, what they should reach, and what is wrong") +
      synopsis({fmt::format("{} {} [arguments]", bold(kLinerate), italic("COMMAND"))}) +
      ".SH COMMANDS\n";
  for (const auto& row : commands())
    text += entry(fmt::format("{} {}", bold(row.name), plain(row.arguments)), said(row.summary));
  text += fmt::format(".SH TOOLS\nPrograms of their own, and names behind {}.\n",
                      bold("linerate perf"));
  for (const auto& tool : tools())
    text += entry(fmt::format("{}, {}", bold(tool.program), bold(tool.name)), said(tool.summary));
  return text + exit_codes() + see_also(kLinerate);
}

}  // namespace

std::vector<std::pair<std::string, std::string>> man_pages() {
  std::vector<std::pair<std::string, std::string>> pages{{"linerate.1", first_page()}};
  for (const auto& line : command_lines())
    pages.emplace_back(page_name(line.spellings.front()) + ".1", page(line));
  return pages;
}

}  // namespace linerate
