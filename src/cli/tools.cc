// The program's name first, then argv[1].
#include "cli/tools.h"

#include "base/text.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace linerate {
namespace {

constexpr auto kCommandRows = std::to_array<CommandRow>({
    {Command::perf, "perf", "TOOL [options]", "run one of the tools (perf may be left out)",
     std::nullopt,
     "Runs one of the tools; perf may be left out. `linerate perf TOOL -h` lists its options."},
    {Command::suite, "suite", "[options]",
     "all collectives in one go: a table of each, and a summary of all", Audience::suite,
     "Runs the collectives one after the other in one job, with one table each and a summary of "
     "all.",
     "Runs the collectives, and with `--pairs` p2p_perf, one after the other in one job: [what "
     "it prints](output-format.md#a-suite). It takes the options of the collectives' tools and "
     "those of the table \"Suite\" above."},
    {Command::topo, "topo", "[options]",
     "this machine's parts and links, or another's, and how fast NCCL should be on it",
     Audience::topo,
     "Says what this machine is made of, how its parts are linked, and how fast NCCL should be on "
     "it.",
     "What this machine, another one or a built-in node is made of, and what NCCL makes of it: "
     "[topology](topology.md)."},
    {Command::topo, "topo place", "[options]",
     "which GPU, cores and NICs each rank of a job gets, and the cheapest order of its mesh",
     Audience::place,
     "Binds the ranks of a job to GPUs, cores and NICs, and looks for the order of a training "
     "job's mesh (tp, pp, dp) that puts its heaviest traffic on the fastest links.",
     "Which GPU, cores and NIC each rank of a job gets, and which order of its mesh is the "
     "cheapest: [placement](placement.md)."},
    {Command::tune, "tune", "host [options]",
     "measure the host backend's algorithms here, and use the fastest from then on", Audience::tune,
     "Measures every algorithm of the host backend by collective, ranks and size, and keeps the "
     "fastest in a table that later runs on this machine use.",
     "It measures the algorithms of the host backend: [tuning](tuning.md#the-host-backend)."},
    {Command::tune, "tune nccl|mpi|gloo", "[options]",
     "search the settings of NCCL, Open MPI or Gloo for those that make collectives faster here",
     Audience::tune_library,
     "Runs the collectives with one setting after the other, in fresh launches that take turns "
     "with "
     "the default, keeps what is faster for sure by more than 3 %, measures that once more, and "
     "writes the files by which a job gets it. Settings that cannot matter here, and those that "
     "are unsafe, are left out with the reason.",
     "Which settings of these libraries make collectives faster here: [tuning](tuning.md)."},
    {Command::compare, "compare", "A B [options]",
     "whether B is faster or slower than A, from several runs of each", Audience::compare,
     "Compares two series of runs, case by case. A and B are files of JSON Lines (--jsonl), of "
     "nccl-tests' or rccl-tests' output or of OSU micro-benchmarks, folders of such files, names "
     "of baselines, or commands to be run in turns (--run).",
     "Whether B is faster or slower than A, or the same: [comparing runs](comparing-runs.md)."},
    {Command::scale, "scale", "[STUDY.yaml] [options]",
     "how training scales: trainers on more and more ranks, and what is lost to what",
     Audience::scale,
     "Runs trainers in several layouts on several numbers of ranks, again and again in an order "
     "drawn by lot, with and without communication, and says how efficient each is and what was "
     "lost to compute and to communication. A study is a file of YAML, options, or both.",
     "How training scales over ranks: [scaling studies](scaling.md). Keys of a study's file are "
     "the long names of these options, and `layouts` is a map of names to commands."},
    {Command::sweep, "sweep", "STUDY.yaml [options]",
     "a matrix of runs, one after the other: which of them are slow, wrong, crash or hang",
     Audience::sweep,
     "Runs the collectives over sizes, types, nodes, ranks, backends, algorithms and variables, in "
     "an order drawn by lot, each within a limit of time, and keeps each case that has ended in "
     "one SQLite file: the same command goes on after an interruption. A study is a file of YAML, "
     "options, or both.",
     "A matrix of runs: [sweeps](sweeps.md). Keys of a study's file are the long names of these "
     "options, and `environment` is a map of variables to values."},
    {Command::sweep, "sweep pairs", "[options]",
     "which node, rank, rail or link is slow, by pairs of ranks; started as the tools are",
     Audience::sweep_pairs,
     "Measures disjoint pairs of ranks at once in a few rounds, tests each suspect alone with "
     "partners that are fine, and names what is slow with its evidence. It runs in a job of ranks, "
     "under mpirun, srun, with RANK and WORLD_SIZE, or --nprocs. Exit code 3: something is.",
     "Which node, rank, rail or link is bad: [bad nodes](bad-nodes.md). It takes the options of "
     "the group Ranks above, too."},
    {Command::replay, "replay", "FILE… [options]",
     "the communication of a training job, made again without the model; started as the tools are",
     Audience::replay,
     "Reads which calls a job made, in a file of --trace-comm or PyTorch's files of all ranks, and "
     "makes them again in the same groups and order, with or without the gaps of compute. Says for "
     "each kind of call how long it took in the job and how long it takes alone.",
     "Whether the fabric is what makes a job slow: [replay](replay.md). It runs in a job of as "
     "many "
     "ranks as the trace has, and takes the options of the group Ranks above, too."},
    {Command::results, "results", "FILE.db [options]",
     "what sweeps have measured: list, filter, export, import", Audience::results,
     "Lists the cases in a file of linerate sweep, writes them and their results for other "
     "programs, and adds runs that were measured otherwise.",
     "What sweeps have measured: [their file](sweeps.md#the-file)."},
    {Command::plan, "plan", "[options]",
     "which layout trains a model fastest on a machine, before anyone starts it", Audience::planner,
     "Goes through all layouts that the trainers know, leaves out what does not fit into memory, "
     "predicts the step of the others, and says what binds each. Without a machine it is this one, "
     "which is measured first.",
     "Which layout trains a model fastest, on this machine or on one that exists on paper: "
     "[planning](planning.md)."},
    {Command::doctor, "doctor", "[WHAT] [options]", "what is wrong with this node, or with WHAT",
     Audience::doctor_node,
     "Examines this node, without privileges, or snapshots of nodes, and says what makes jobs "
     "slow or fail: the finding, where it was read, why it matters and what to do.",
     "What is wrong with this node or others: [the doctor](doctor.md#a-node)."},
    {Command::doctor, "doctor snapshot", "-o FILE",
     "save what linerate doctor looks at, to examine it elsewhere", Audience::doctor_snapshot,
     "Writes the facts that the checks read: no addresses, no users, no command lines.",
     "Saves a node's facts: [snapshots](doctor.md#snapshots)."},
    {Command::doctor, "doctor env", "[FILE…] [options]",
     "what is wrong with the variables of NCCL, PyTorch, UCX, Open MPI and libfabric",
     Audience::doctor_env,
     "Says which variables are misspelt, misread, out of range, without effect or in each "
     "other's way, in this process' environment and nccl.conf or in files.",
     "What is wrong with a job's variables: [the doctor](doctor.md)."},
    {Command::doctor, "doctor log", "FILE… [options]",
     "what a log of NCCL says: the first fault, what followed from it, and what costs speed",
     Audience::doctor_log,
     "Reads what a job wrote with NCCL_DEBUG=INFO or WARN, of one rank or many, in one file or "
     "several; - is stdin. Names the first cause of a failure, what followed from it, the ranks "
     "that are missing, and slow paths that were taken although nothing failed.",
     "Why a job failed, hung or was slow, by its log: [the doctor](doctor.md#logs)."},
    {Command::doctor, "doctor results", "FILE… [options]",
     "what is wrong with results of nccl-tests, rccl-tests, OSU micro-benchmarks or linerate",
     Audience::doctor_results,
     "Reads tables and reports of benchmarks; - is stdin. Finds wrong data, cut tables, numbers "
     "that disagree, sizes that are slower than larger ones, bandwidth that falls, and, for named "
     "hardware, results below what it should reach.",
     "Whether results can be believed, and are as fast as they should be: [the "
     "doctor](doctor.md#results)."},
    {Command::doctor, "doctor hang", "PID|FILE…",
     "why a job hangs: the rank that is missing in a collective, and what processes wait for",
     Audience::doctor_hang,
     "Looks at running processes for a second, by /proc alone, and reads the dumps of PyTorch's "
     "flight recorder, in files or folders. Names ranks that have not entered a collective in "
     "which "
     "others wait, calls that differ between ranks, and processes that are stopped, wait in the "
     "kernel or spin.",
     "Why a job hangs, by its processes and dumps: [the doctor](doctor.md#a-job-that-hangs)."},
    {Command::doctor, "doctor prove", "ID [options]",
     "whether a setting is what makes jobs slow, by runs with and without it",
     Audience::doctor_prove,
     "Runs all_reduce in turns with a setting as it is and with it switched, and says whether the "
     "switch makes it faster: proven, refuted or not decided. Behind -- stand more "
     "options of all_reduce_perf, or a whole command.",
     "Whether a setting makes jobs slow: [proofs](doctor.md#proofs)."},
    {Command::report, "report", "FILE… [options]",
     "one page that says whether runs are as fast as they should be, and pictures of them",
     Audience::report,
     "Makes a page from the JSON Lines of runs (--jsonl): whether they are as fast as they "
     "should be, what is wrong and where, what changed between them, curves and tables. "
     "NAME=FILE gives a file a name; files of one name are repetitions. The file of linerate sweep "
     "becomes a page of its own: what each setting changes, which are best, and what failed.",
     "One page from the JSON Lines of runs: [what it shows](report.md)."},
    {Command::docs, "docs", "WHAT [SHELL|FOLDER]",
     "what is made from linerate's tables: cli, completion of a shell, man, doctor"},
    {Command::info, "info", "",
     "what is here: backends, or why they do not load; the machine; the tuning table in use"},
    {Command::help, "help", "[COMMAND|TOOL]", "all commands and tools, or what one of them takes"},
    {Command::version, "version", "", "the version of linerate, and the commit it was built from"},
});

std::string basename_of(std::string_view path) {
  const auto slash = path.find_last_of('/');
  return std::string(slash == std::string_view::npos ? path : path.substr(slash + 1));
}

// The longest of the tools and linerate that `base` begins with; empty: none.
std::string_view known_prefix(std::string_view base) {
  auto longest = base.starts_with(kLinerate) ? kLinerate : std::string_view();
  for (const auto& tool : tools())
    if (base.starts_with(tool.program) && tool.program.size() > longest.size())
      longest = tool.program;
  return longest;
}

// Null: no tool is called so.
const ToolRow* find_tool(std::string_view name) {
  const auto* collective = find_collective(name);
  for (const auto& tool : tools())
    if (tool.program == name || tool.name == name ||
        (collective != nullptr && tool.collective == collective))
      return &tool;
  return nullptr;
}

std::vector<std::string_view> tool_names(std::string_view ToolRow::*which) {
  std::vector<std::string_view> names;
  for (const auto& tool : tools()) names.push_back(tool.*which);
  return names;
}

Failure unknown_word(std::string_view word) {
  auto names = tool_names(&ToolRow::name);
  for (const auto& row : commands()) names.push_back(row.name);
  return Failure{unknown_choice("command", word, names)};
}

Invocation tool_invocation(Invocation call, const ToolRow& tool) {
  call.command = tool.command;
  call.collective = tool.collective;
  return call;
}

// linerate [perf] TOOL …
Result<Invocation> named_tool(Invocation call, std::size_t index) {
  const auto* tool = find_tool(call.args[index]);
  if (tool == nullptr)
    return Failure{unknown_choice("tool", call.args[index], tool_names(&ToolRow::name))};
  call.words.assign(call.args.begin() + static_cast<std::ptrdiff_t>(index) + 1, call.args.end());
  call.program = tool->program;
  return tool_invocation(std::move(call), *tool);
}

bool asks_for_help(std::string_view word) { return word == "-h" || word == "--help"; }

// The call, or the refusal of what stands behind its last word that means anything.
Result<Invocation> without_more(Invocation call, std::size_t known) {
  if (call.args.size() <= known) return call;
  return Failure{fmt::format("'{}' behind '{}' means nothing: leave it out.", call.args[known],
                             call.args[known - 1])};
}

Invocation help_on(const CommandRow& row, Invocation call) {
  call.command = Command::help;
  call.words = {std::string(row.name)};
  return call;
}

// Of commands of two words: `topo place`, `tune host`, `doctor env`.
const CommandRow* find_part(const std::string& name, const std::string& part) {
  if (name == "tune" && part == "host") return find_command(name);
  for (const auto* library : {"nccl", "mpi", "gloo"})
    if (name == "tune" && part == library) return find_command("tune nccl|mpi|gloo");
  return find_command(name + ' ' + part);
}

// linerate help [COMMAND|TOOL], help topo place, help perf all_reduce
Result<Invocation> help_invocation(Invocation call) {
  call.command = Command::help;
  call.words.clear();
  if (call.args.size() < 3) return call;
  const std::string name = call.args[2];
  const auto* row = find_command(name);
  if (row == nullptr && find_tool(name) == nullptr) return unknown_word(name);
  if (call.args.size() == 4)
    if (const auto* part = find_part(name, call.args[3])) return help_on(*part, std::move(call));
  const std::size_t tool_index = name == "perf" && call.args.size() > 3 ? 3 : 2;
  auto checked = without_more(std::move(call), tool_index + 1);
  if (!checked) return checked;
  if (row != nullptr && tool_index == 2) return help_on(*row, *std::move(checked));
  auto found = named_tool(*std::move(checked), tool_index);
  if (!found) return found;
  auto tool = *std::move(found);
  tool.words = {"--help"};
  return tool;
}

Result<Invocation> perf_invocation(Invocation call) {
  if (call.args.size() < 3)
    return Failure{fmt::format("linerate perf needs the name of a tool: one of {}.",
                               join(tool_names(&ToolRow::name), ", "))};
  return named_tool(std::move(call), 2);
}

// linerate docs cli, linerate docs completion SHELL, linerate docs man|doctor FOLDER
Result<Invocation> docs_invocation(Invocation call) {
  constexpr std::array<std::string_view, 4> kPages{"cli", "completion", "man", "doctor"};
  constexpr std::array<std::string_view, 3> kShells{"bash", "zsh", "fish"};
  if (call.args.size() < 3)
    return Failure{
        fmt::format("linerate docs needs what to write: one of {}.", fmt::join(kPages, ", "))};
  const std::string page = call.args[2];
  if (std::ranges::find(kPages, page) == kPages.end())
    return Failure{unknown_choice("page", page, kPages)};
  if (page == "cli") return without_more(std::move(call), 3);
  const std::string what = call.args.size() < 4 ? "" : call.args[3];
  if (page == "completion" && std::ranges::find(kShells, what) == kShells.end())
    return Failure{unknown_choice("shell", what, kShells)};
  if (what.empty())
    return Failure{fmt::format("linerate docs {} needs the folder to write to.", page)};
  return without_more(std::move(call), 4);
}

Result<Invocation> command_invocation(const CommandRow& row, Invocation call) {
  call.command = row.command;
  const bool last_asks = call.args.size() > 2 && asks_for_help(call.args.back());
  const bool is_its_own = call.args.size() == 3 || row.command == Command::docs;
  if (last_asks && is_its_own) return help_on(row, std::move(call));
  switch (row.command) {
    case Command::perf:
    case Command::memcpy:  // no row: one of the tools
      return perf_invocation(std::move(call));
    case Command::docs:
      return docs_invocation(std::move(call));
    case Command::info:
    case Command::version:
      return without_more(std::move(call), 2);
    case Command::help:
      return help_invocation(std::move(call));
    case Command::suite:
    case Command::topo:
    case Command::tune:
    case Command::compare:
    case Command::scale:
    case Command::sweep:
    case Command::replay:
    case Command::results:
    case Command::plan:
    case Command::doctor:
    case Command::report:
      return call;
  }
  __builtin_unreachable();
}

// linerate with its sub-command in argv[1].
Result<Invocation> linerate_invocation(Invocation call) {
  if (call.args.size() < 2) return call;
  const std::string word = call.args[1];
  call.words.assign(call.args.begin() + 2, call.args.end());
  if (asks_for_help(word)) return help_invocation(std::move(call));
  if (word == "--list") {  // its help lists the tools
    call.words.clear();
    return without_more(std::move(call), 2);
  }
  if (find_tool(word) != nullptr) return named_tool(std::move(call), 1);
  const auto* row = find_command(word == "--version" ? "version" : word);
  if (row == nullptr) return unknown_word(word);
  return command_invocation(*row, std::move(call));
}

}  // namespace

const CommandRow* find_command(std::string_view name) {
  const auto rows = commands();
  const auto row = std::ranges::find_if(rows, [&](const CommandRow& r) { return r.name == name; });
  return row == rows.end() ? nullptr : &*row;
}

const CommandRow* find_command(Audience options) {
  const auto rows = commands();
  const auto row = std::ranges::find(rows, std::optional(options), &CommandRow::options);
  return row == rows.end() ? nullptr : &*row;
}

std::span<const CommandRow> commands() { return kCommandRows; }

std::span<const ToolRow> tools() {
  static const auto kTools = [] {
    std::vector<ToolRow> rows;
    for (const auto* row : all_collectives())
      rows.push_back({row->binary, row->name, row->summary, row});
    rows.push_back(
        {kPairs, "p2p", "every pair of ranks: latency, uni- and bidirectional bandwidth"});
    rows.push_back({kMemcpy, "memcpy",
                    "copies between host and GPUs, within and between GPUs: bandwidth", nullptr,
                    Command::memcpy});
    return rows;
  }();
  return kTools;
}

Result<Invocation> read_invocation(std::span<const char* const> argv) {
  if (argv.empty()) return Failure{"The program was started without its name in argv[0]."};
  Invocation call;
  call.args.assign(argv.begin(), argv.end());
  call.program = basename_of(call.args[0]);
  const auto name = known_prefix(call.program);
  if (name.empty()) {
    auto names = tool_names(&ToolRow::program);
    names.push_back(kLinerate);
    return Failure{unknown_choice("program name", call.program, names)};
  }
  if (name == kLinerate) return linerate_invocation(std::move(call));
  call.words.assign(call.args.begin() + 1, call.args.end());
  return tool_invocation(std::move(call), *find_tool(name));
}

}  // namespace linerate
