// docs/cli.md: tables of rows, and between them what no row holds.
#include "base/text.h"
#include "bench/memcpy/copy_tests.h"
#include "cli/dialect.h"
#include "cli/help.h"
#include "cli/option.h"

#include <fmt/format.h>

#include <cctype>

namespace linerate {
namespace {

// Above the table of other variables.
constexpr std::string_view kOtherVariablesText =
    "A name that begins with `NCCL_TESTS_` or `LINERATE_` and is in neither table has no effect;\n"
    "a line on stderr says so. These are read as well:\n\n"
    "| Variable | Meaning |\n"
    "|---|---|\n";

constexpr std::string_view kFakeText =
    "## The fake backend\n\n"
    "`--backend fake --fake SPEC` moves real bytes, but its times come from a model: a virtual\n"
    "clock, the same on every machine. SPEC is a list of these keys with commas between them.\n"
    "Ranks are those of the run. Calls are counted from 1 on each rank, over warm-up, windows and\n"
    "samples; barriers do not count. Keys from `slow_rank` to `die`, but not `bimodal`, may be\n"
    "given several times.\n\n"
    "| Key | Value | Default | Meaning | Example |\n"
    "|---|---|---|---|---|\n"
    "| `alpha` | time with its unit | 5us | time of an empty message | `alpha=20us` |\n"
    "| `bw` | GB/s | 10 | bandwidth of each direction of each link | `bw=25` |\n"
    "| `noise` | percentage | 0% | standard deviation of a call's time | `noise=2%` |\n"
    "| `seed` | whole number | 1 | start of noise and of bimodal | `seed=7` |\n"
    "| `slow_rank` | RANK:TIME | | the rank leaves every call and barrier late, so it comes late "
    "to "
    "the next | `slow_rank=3:38us` |\n"
    "| `slow_link` | RANK-RANK:FACTOR | | bandwidth of this link in both directions, as a fraction "
    "of bw: 0.001 to 1 | `slow_link=0-1:0.5` |\n"
    "| `flip` | RANK or RANK:CALL | | one bit of what the rank receives is wrong in this call, or "
    "in every one | `flip=1:5` |\n"
    "| `bimodal` | PERCENTAGE:FACTOR | | this percentage of the calls takes that many times as "
    "long, 1 to 1000 | `bimodal=20%:3` |\n"
    "| `hang` | RANK:CALL | | the rank never enters this call: end it with -T | `hang=1:40` |\n"
    "| `die` | RANK:CALL | | the rank fails instead of making this call | `die=1:10` |\n";

constexpr std::string_view kSignalsText =
    "Ctrl-C (SIGINT), SIGTERM, SIGHUP and SIGQUIT ask a benchmark to end. At the end of the\n"
    "window under way, or within a second in its warm-up, samples and checks, it writes the\n"
    "footer and every file, and exits with 130; a line on stderr says that it waits. While the\n"
    "job starts, it ends within a second. A second signal, half a second later or more, ends it\n"
    "at once, also with 130, even while a call hangs. Other commands, which print and save their\n"
    "results only at the end, stop at once.\n";

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

// But for names: gpt2, train_3d.
std::string capitalised(std::string text) {
  const auto word = text.substr(0, text.find(' '));
  const bool is_name = word.find_first_of("_0123456789") != std::string::npos;
  if (!text.empty() && !is_name)
    text[0] = static_cast<char>(std::toupper(static_cast<unsigned char>(text[0])));
  return text;
}

std::string meaning(std::string_view help, std::string_view note) {
  const auto space = note.empty() ? "" : " ";
  return fmt::format("{}.{}{}", capitalised(cell(help)), space, cell(note));
}

// Of rows that several tools share.
std::string_view audience_text(Audience audience) {
  switch (audience) {
    case Audience::both:
      return "all";
    case Audience::collectives:
      return "collectives";
    case Audience::p2p:
      return "p2p";
    case Audience::suite:
      return "suite";
    case Audience::memcpy:
    case Audience::topo:
    case Audience::place:
    case Audience::tune:
    case Audience::tune_library:
    case Audience::compare:
    case Audience::doctor_env:
    case Audience::doctor_hang:
    case Audience::doctor_log:
    case Audience::doctor_prove:
    case Audience::doctor_results:
    case Audience::doctor_node:
    case Audience::doctor_snapshot:
    case Audience::replay:
    case Audience::report:
    case Audience::scale:
    case Audience::sweep:
    case Audience::sweep_pairs:
    case Audience::results:
    case Audience::planner:
    case Audience::train:
      break;
  }
  __builtin_unreachable();
}

// A table of options; that of the tools that run ranks says which of them has each.
std::string options_table(std::span<const OptionRow> rows, bool shared) {
  auto text =
      fmt::format("| Short | Long | Value | Default | {}Meaning |\n|---|---|---|---|{}---|\n",
                  shared ? "Tools | " : "", shared ? "---|" : "");
  for (const auto& row : rows) {
    const auto shorts = row.short_name == 0 ? std::string() : fmt::format("`-{}`", row.short_name);
    const auto tools = shared ? fmt::format("{} | ", audience_text(row.audience)) : std::string();
    text +=
        fmt::format("| {} | `--{}` | {} | {} | {}{} |\n", shorts, row.long_name, code(row.metavar),
                    code(row.default_text), tools, meaning(row.help, row.note));
  }
  return text;
}

std::string options_text() {
  std::string text = "## Options\n";
  for (const auto& group : option_groups(Audience::both))
    text += fmt::format("\n### {}\n\n{}", group.title, options_table(group.rows, true));
  return text;
}

// Of the sub-commands with options of their own.
std::string commands_text() {
  std::string text;
  for (const auto& row : commands()) {
    if (!row.options) continue;
    const auto name = row.options == Audience::tune ? "tune host" : row.name;
    text += fmt::format("{}## {} {}\n\n{}\n", text.empty() ? "" : "\n", kLinerate, name, row.docs);
    if (row.options == Audience::suite) continue;  // its options stand in the tables of the tools
    for (const auto& group : option_groups(*row.options))
      if (group.title != "Help" && group.title != "Ranks")
        text += fmt::format("\n### {}\n\n{}", group.title, options_table(group.rows, false));
  }
  return text;
}

// The options of the trainers that the tools have not.
std::string trainers_text() {
  std::string text =
      "## train_ddp, train_fsdp, train_3d\n\n"
      "[Trainers](trainers.md). They also take the options of the group Ranks above.\n";
  for (const auto& group : option_groups(Audience::train))
    if (group.title != "Help" && group.title != "Ranks")
      text += fmt::format("\n### {}\n\n{}", group.title, options_table(group.rows, false));
  return text;
}

// Its tests and options: it takes none of the others'.
std::string memcpy_text() {
  std::string text =
      "## memcpy_perf\n\n"
      "It takes only these options; [memcpy.md](memcpy.md) explains the figures.\n\n";
  text += options_table(memcpy_options(), false) +
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
      "continue after the tool's, so `all_reduce_perf_mpi` and copies work.\n\n"
      "| Program | As a name | What it runs |\n|---|---|---|\n";
  for (const auto& tool : tools())
    text += fmt::format("| `{}` | `{}` | {} |\n", tool.program, tool.name,
                        capitalised(cell(tool.summary)));
  text += "\n| Command | What it does |\n|---|---|\n";
  for (const auto& row : commands())
    text += fmt::format("| {} | {} |\n",
                        code(trim(fmt::format("{} {} {}", kLinerate, row.name, row.arguments))),
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
  text += fmt::format("\n{}", kOtherVariablesText);
  for (const auto& row : other_variables())
    text += fmt::format("| `{}` | {} |\n", fmt::join(split(row.names, ' '), "`, `"), row.meaning);
  return text;
}

std::string exit_codes_table() {
  std::string text =
      "## Exit codes\n\n"
      "The same for every backend. Under mpirun and srun you may see the launcher's own code\n"
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
    "What nccl-tests accepts and ignores is refused: one sentence on stderr, exit code 2, before\n"
    "anything runs.\n";

constexpr std::string_view kValues =
    "## Values\n\n"
    "- Forms: `-b 8`, `-b8`, `--minbytes 8`, `--minbytes=8`. Every option takes one value, except\n"
    "  that flags (no value in the tables) take none and `--explain` takes two. A word that\n"
    "  belongs to no option is refused, as is a value that is empty or the name of an option.\n"
    "- Long names must be complete: `--minb` is refused, and the nearest name is suggested.\n"
    "- An option given twice takes its last value, so that a script can append to its defaults.\n"
    "  All its values are checked.\n"
    "- Sizes: a number, alone or with `K`, `M`, `G` or `T`, also `KB`, `KiB` and so on, in any\n"
    "  case. All are powers of 1024: `1.5M` is 1572864. Anything else after the number is\n"
    "  refused, as is a fraction of a byte.\n"
    "- Whole numbers: decimal, `0x10` or `0b101`, with nothing after them. In sizes and whole\n"
    "  numbers a leading zero is refused, because C programs read `010` as 8 and people do not.\n"
    "- Times: seconds, or a number with `us`, `ms`, `s` or `m`.\n"
    "- GPU options at their default value are taken by every backend. Other values need the nccl\n"
    "  backend: exit code 5.\n"
    "- `-h` prints the help, whatever else is wrong on the line.\n"
    "- `-r` is checked when the number of ranks is known, as is whether the collective can run on\n"
    "  it; this too is exit code 2.\n";

std::string dialects_text() {
  return fmt::format(
      "## Options of other trainers\n\n"
      "`--config FILE` of a trainer reads YAML whose keys are the long names above, with - or _, "
      "and\n"
      "the table's; an object of JSON, which is a `ds_config.json`, where `auto` leaves a key "
      "out;\n"
      "or flags of Megatron-LM, if the file begins with two dashes. Their flags may also stand\n"
      "between a trainer's own options. What a file leaves out has our defaults, but for those of\n"
      "the last column; `--dump-config` prints what was understood. `*` is any other "
      "value.\n\n{}\n{}\n{}",
      dialect_markdown(yaml_dialect()), dialect_markdown(deepspeed_dialect()),
      dialect_markdown(megatron_dialect()));
}

}  // namespace

std::string cli_markdown() {
  std::string text(kIntroduction);
  for (const auto& part : {tools_text(), std::string(kValues), options_text(), memcpy_text(),
                           commands_text(), trainers_text(), dialects_text(), variables_text(),
                           std::string(kFakeText), exit_codes_table()})
    text += '\n' + part;
  return text;
}

}  // namespace linerate
