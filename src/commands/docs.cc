// linerate docs: pages of the documentation, and completions, that are made from tables.
#include "base/file.h"
#include "base/text.h"
#include "cli/command_lines.h"
#include "cli/help.h"
#include "commands/command.h"
#include "commands/doctor_pages.h"
#include "output/text_file.h"

#include <fmt/format.h>

#include <filesystem>

namespace linerate {
namespace {

ExitCode print(const std::string& text) {
  TextFile::standard_output().write(text);
  return ExitCode::ok;
}

template <typename Pages>
ExitCode write_pages(const std::filesystem::path& folder, const Pages& pages) {
  for (const auto& [name, page] : pages)
    if (const auto why = write_whole_file(folder / name, page))
      return refuse(fmt::format("{}: {}.", plain_text(folder.string()), *why));
  return ExitCode::ok;
}

}  // namespace

ExitCode docs_command(const CommandInput& input) {
  const auto& words = input.call.words;
  const auto& page = words.front();
  if (page == "cli") return print(cli_markdown());
  if (page == "man") return write_pages(words.back(), man_pages());
  if (page == "doctor") return write_pages(words.back(), doctor_pages());
  const bool bash = words.back() == "bash", zsh = words.back() == "zsh";
  return print(completion(bash ? Shell::bash : zsh ? Shell::zsh : Shell::fish));
}

}  // namespace linerate
