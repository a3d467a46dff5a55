// linerate docs: pages of the documentation that are made from tables.
#include "base/file.h"
#include "base/text.h"
#include "cli/help.h"
#include "commands/command.h"
#include "commands/doctor_pages.h"

#include <fmt/format.h>

#include <filesystem>

namespace linerate {

ExitCode docs_command(const CommandInput& input) {
  const auto& words = input.call.words;
  if (words.front() == "cli") return fmt::print("{}", cli_markdown()), ExitCode::ok;
  const std::filesystem::path folder = words.back();
  for (const auto& [name, page] : doctor_pages())
    if (const auto why = write_whole_file(folder / name, page))
      return refuse(fmt::format("{}: {}.", plain_text(words.back()), *why));
  return ExitCode::ok;
}

}  // namespace linerate
