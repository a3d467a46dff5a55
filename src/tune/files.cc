// Open MPI's rules hold from a number of ranks and from a size on, up to the next line: lines with
// algorithm 0, which leave the choice to Open MPI, end them. That is how coll_tuned_dynamic_file.c
// and coll_tuned_dynamic_rules.c of 4.1 read it.
#include "tune/files.h"

#include "backends/nccl/tuner_rules/rules.h"
#include "base/text.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <string_view>

namespace linerate::tuning {
namespace {

namespace tuner = nccl::tuner;

constexpr std::string_view kMca = "OMPI_MCA_";
constexpr std::string_view kRulesCsv = "tuner.csv", kRulesOfMpi = "coll_tuned_rules.conf";

std::string in_folder(const Paths& paths, std::string_view name) {
  return fmt::format("{}/{}", paths.folder, name);
}

std::string heading(const Tuned& tuned) { return fmt::format("# {}\n", tuned.origin); }

template <typename NameOf>
int number_of(std::string_view name, const NameOf& name_of) {
  for (int i = 0; !name_of(i).empty(); ++i)
    if (name_of(i) == name) return i;
  return tuner::kAny;
}

std::string rules_csv(const Tuned& tuned) {
  auto text = fmt::format("{}{}\n", heading(tuned), tuner::kHeading);
  for (const auto& rule : tuned.rules) {
    const tuner::Rule line{.collective = number_of(rule.collective->name, tuner::collective_name),
                           .min_bytes = rule.min_bytes,
                           .max_bytes = rule.max_bytes,
                           .nodes = tuned.nodes,
                           .ranks = tuned.ranks,
                           .algorithm = number_of(rule.arm.algorithm, tuner::algorithm_name),
                           .protocol = number_of(rule.arm.protocol, tuner::protocol_name),
                           .channels = rule.arm.channels > 0 ? rule.arm.channels : tuner::kAny};
    text += tuner::rule_text(line) + '\n';
  }
  return text;
}

// COLLTYPE of coll_base_functions.h.
constexpr auto kCollNumbers =
    std::to_array<std::pair<std::string_view, int>>({{"all_gather", 0},
                                                     {"all_reduce", 2},
                                                     {"all_to_all", 3},
                                                     {"broadcast", 7},
                                                     {"gather", 9},
                                                     {"reduce", 11},
                                                     {"reduce_scatter", 13},
                                                     {"scatter", 15}});

// From this size on; algorithm 0 is Open MPI's own choice.
std::string size_line(std::size_t from_bytes, int algorithm, std::size_t segment_bytes) {
  constexpr int kFanout = 4;  // of chains, as where an algorithm is forced
  return fmt::format("{} {} {} {}\n", from_bytes, algorithm, algorithm == 0 ? 0 : kFanout,
                     segment_bytes);
}

// Of one collective, ascending, as rules_of() has them.
std::string size_lines(const std::vector<const Rule*>& rules) {
  std::map<std::size_t, std::string> lines{{0, size_line(0, 0, 0)}};
  for (const auto* rule : rules) lines[rule->max_bytes + 1] = size_line(rule->max_bytes + 1, 0, 0);
  for (const auto* rule : rules)
    lines[rule->min_bytes] = size_line(rule->min_bytes, rule->arm.number, rule->arm.segment_bytes);
  auto text = fmt::format("{} # sizes: from, algorithm, fan-out, segment\n", lines.size());
  for (const auto& [from, line] : lines) text += line;
  return text;
}

std::string rules_of_mpi(const Tuned& tuned) {
  std::map<int, std::vector<const Rule*>> by_number;
  for (const auto& rule : tuned.rules)
    for (const auto& [name, number] : kCollNumbers)
      if (name == rule.collective->name) by_number[number].push_back(&rule);
  auto text = fmt::format("{}{} # collectives\n", heading(tuned), by_number.size());
  const auto own_choice = "1\n" + size_line(0, 0, 0);
  for (const auto& [number, rules] : by_number)
    text += fmt::format("{} # {}\n3 # numbers of ranks\n0 {}{} {}{} {}", number,
                        rules.front()->collective->name, own_choice, tuned.ranks, size_lines(rules),
                        tuned.ranks + 1, own_choice);
  return text;
}

std::string exports(const Tuned& tuned, const Variables& variables) {
  auto text = heading(tuned);
  for (const auto& [name, value] : variables)
    text += fmt::format("export {}={}\n", name, shell_word(value));
  return text;
}

// "name = value", or NAME=VALUE.
std::string lines(const Tuned& tuned, const Variables& variables, std::string_view prefix,
                  std::string_view equals) {
  auto text = heading(tuned);
  for (const auto& [name, value] : variables)
    text += fmt::format("{}{}{}\n", name.substr(prefix.size()), equals, value);
  return text;
}

}  // namespace

Variables variables_of(const Tuned& tuned, const Paths& paths) {
  auto variables = tuned.process;
  if (tuned.rules.empty()) return variables;
  if (tuned.library == Library::nccl) {
    variables["NCCL_TUNER_PLUGIN"] = paths.plugin;
    variables["LINERATE_NCCL_TUNER"] = in_folder(paths, kRulesCsv);
  }
  if (tuned.library == Library::mpi) {
    variables[fmt::format("{}coll_tuned_use_dynamic_rules", kMca)] = "1";
    variables[fmt::format("{}coll_tuned_dynamic_rules_filename", kMca)] =
        in_folder(paths, kRulesOfMpi);
  }
  return variables;
}

std::vector<File> files_of(const Tuned& tuned, const Paths& paths) {
  const auto variables = variables_of(tuned, paths);
  const auto shell = exports(tuned, variables);
  switch (tuned.library) {
    case Library::nccl: {
      std::vector<File> files{
          {"nccl.conf", lines(tuned, variables, {}, "="),
           fmt::format("as /etc/nccl.conf, or NCCL_CONF_FILE={}", in_folder(paths, "nccl.conf"))},
          {"nccl.sh", shell, fmt::format("or: . {}", in_folder(paths, "nccl.sh"))}};
      if (!tuned.rules.empty()) files.push_back({std::string(kRulesCsv), rules_csv(tuned), {}});
      return files;
    }
    case Library::mpi: {
      constexpr std::string_view kParameters = "openmpi-mca-params.conf";
      std::vector<File> files{
          {std::string(kParameters), lines(tuned, variables, kMca, " = "),
           fmt::format("mpirun -tune {}, or as ~/.openmpi/mca-params.conf",
                       in_folder(paths, kParameters))},
          {"openmpi.sh", shell, fmt::format("or: . {}", in_folder(paths, "openmpi.sh"))}};
      if (!tuned.rules.empty())
        files.push_back({std::string(kRulesOfMpi), rules_of_mpi(tuned), {}});
      return files;
    }
    case Library::gloo:
      return {{"gloo.sh", shell, fmt::format(". {}", in_folder(paths, "gloo.sh"))}};
  }
  __builtin_unreachable();
}

}  // namespace linerate::tuning
