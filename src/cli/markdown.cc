// docs/cli.md; see help.h.
#include "base/text.h"
#include "bench/memcpy/copy_tests.h"
#include "cli/exit_codes.h"
#include "cli/help.h"
#include "cli/markdown_texts.h"
#include "cli/option_table.h"
#include "cli/place_words.h"
#include "cli/topo_words.h"
#include "cli/tune_words.h"

#include <fmt/format.h>

#include <cctype>

namespace linerate {
namespace {

// A bar would end the cell.
std::string cell(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (c == '|') out += '\\';
    out += c;
  }
  return out;
}

std::string code(std::string_view text) {
  return text.empty() ? std::string() : fmt::format("`{}`", cell(text));
}

std::string capitalised(std::string text) {
  if (!text.empty()) text[0] = static_cast<char>(std::toupper(static_cast<unsigned char>(text[0])));
  return text;
}

std::string meaning(std::string_view help, std::string_view note) {
  const auto space = note.empty() ? "" : " ";
  return fmt::format("{}.{}{}", capitalised(cell(help)), space, cell(note));
}

std::string_view audience_text(Audience audience) {
  switch (audience) {
    case Audience::both:
      return "all";
    case Audience::collectives:
      return "collectives";
    case Audience::p2p:
      return "p2p";
    case Audience::memcpy:
      return "memcpy";
  }
  __builtin_unreachable();
}

std::string option_line(const OptionRow& row) {
  const auto shorts = row.short_name == 0 ? std::string() : fmt::format("`-{}`", row.short_name);
  return fmt::format("| {} | `--{}` | {} | {} | {} | {} |\n", shorts, row.long_name,
                     code(row.metavar), code(row.default_text), audience_text(row.audience),
                     meaning(row.help, row.note));
}

std::string options_text() {
  std::string text = "## Options\n";
  for (const auto& group : option_groups()) {
    text += fmt::format(
        "\n### {}\n\n| Short | Long | Value | Default | Tools | Meaning |\n"
        "|---|---|---|---|---|---|\n",
        group.title);
    for (const auto& row : group.rows) text += option_line(row);
  }
  return text;
}

// Its tests and options: it takes none of the others'.
std::string memcpy_text() {
  std::string text =
      "## memcpy_perf\n\n"
      "It takes these options only; [memcpy.md](memcpy.md) says what the figures mean.\n\n"
      "| Short | Long | Value | Default | Tools | Meaning |\n|---|---|---|---|---|---|\n";
  for (const auto& row : memcpy_options()) text += option_line(row);
  text +=
      "\nIts tests. nvbandwidth's names are taken as well:\n\n"
      "| Test | What a cell is | nvbandwidth |\n|---|---|---|\n";
  for (const auto& test : all_copy_tests()) {
    std::string aliases;
    for (const auto& alias : test.aliases)
      aliases += fmt::format("{}`{}`", aliases.empty() ? "" : ", ", alias);
    text += fmt::format("| `{}` | {} | {} |\n", test.name, capitalised(summary_of(test)), aliases);
  }
  return text;
}

std::string tools_text() {
  std::string text =
      "## Tools\n\n"
      "Each tool is a program of its own and a name after `linerate perf`. A program's name may\n"
      "go on behind the tool's, so `all_reduce_perf_mpi` and copies work.\n\n"
      "| Program | As a name | What it runs |\n|---|---|---|\n";
  for (const auto* row : all_collectives())
    text += fmt::format("| `{}` | `{}` | {} |\n", row->binary, row->name,
                        capitalised(cell(row->summary)));
  text += fmt::format("| `{}` | `p2p` | {} |\n", kPairs, capitalised(std::string(kPairsSummary)));
  text += fmt::format("| `{}` | `{}` | {} |\n", kMemcpy, kMemcpyShort,
                      capitalised(std::string(kMemcpySummary)));
  text += "\n| Command | What it does |\n|---|---|\n";
  for (const auto& row : commands())
    text += fmt::format("| {} | {} |\n",
                        code(trim(fmt::format("{} {} {}", kSuite, row.name, row.arguments))),
                        capitalised(cell(row.summary)));
  return text;
}

std::string variables_text() {
  std::string text =
      "## Variables\n\n"
      "Read as strictly as options; an empty value counts as unset. They go before the program:\n"
      "`NCCL_TESTS_SPLIT=MOD8 all_reduce_perf -b 8`. Libraries' variables are not listed\n"
      "here.\n\n"
      "| Variable | Value | Default | Meaning |\n|---|---|---|---|\n";
  for (const auto& row : variables())
    text += fmt::format("| `{}` | {} | {} | {} |\n", row.name, code(row.metavar),
                        code(row.default_text), meaning(row.help, row.note));
  return fmt::format("{}\n{}", text, kOtherVariablesText);
}

std::string exit_codes_text() {
  std::string text =
      "## Exit codes\n\n"
      "The same for every backend. Under mpirun and srun the launcher's own code may stand\n"
      "instead.\n\n"
      "| Code | Meaning | In nccl-tests 2.19.6 |\n|---|---|---|\n";
  for (const auto& row : kExitCodes)
    text += fmt::format("| {} | {} | {} |\n", static_cast<int>(row.code), row.meaning,
                        row.in_nccl_tests);
  return fmt::format("{}\n{}", text, kSignalsText);
}

constexpr std::string_view kIntroduction =
    "# Command line\n\n"
    "Written by `linerate docs cli` from the table that the parser reads.\n\n"
    "Every option of nccl-tests 2.19.6 is here under its short and long name, with its default.\n"
    "What nccl-tests takes and ignores is refused: one sentence on stderr, exit code 2, before\n"
    "anything runs.\n";

constexpr std::string_view kValues =
    "## Values\n\n"
    "- Forms: `-b 8`, `-b8`, `--minbytes 8`, `--minbytes=8`. Every option takes one value, but\n"
    "  flags (no value in the tables) take none. A word that belongs to no option is refused.\n"
    "- Long names are written out: `--minb` is refused with the name it is near to.\n"
    "- An option given twice takes its last value, so that a script can append to its defaults.\n"
    "  All its values are checked.\n"
    "- Sizes: a number, alone or with `K`, `M`, `G` or `T`, also `KB`, `KiB` and so on, in any\n"
    "  case. All are powers of 1024: `1.5M` is 1572864. Anything else behind the number is\n"
    "  refused, as is a fraction of a byte.\n"
    "- Whole numbers: decimal, `0x10` or `0b101`, with nothing behind them. In sizes and whole\n"
    "  numbers a leading zero is refused, because C programs read `010` as 8 and people do not.\n"
    "- Times: seconds, or a number with `us`, `ms`, `s` or `m`.\n"
    "- GPU options at their default value are taken by every backend. Other values need the nccl\n"
    "  backend: exit code 5.\n"
    "- `-h` wins over everything that is wrong in the line.\n"
    "- `-r` is checked when the number of ranks is known, as is whether the collective can run on\n"
    "  it; this too is exit code 2.\n";

}  // namespace

std::string cli_markdown() {
  return fmt::format("{}\n{}\n{}\n{}\n{}\n{}\n{}\n{}\n{}\n{}\n{}", kIntroduction, tools_text(),
                     kValues, options_text(), memcpy_text(), topo_markdown(), place_markdown(),
                     tune_markdown(), variables_text(), kFakeText, exit_codes_text());
}

}  // namespace linerate
