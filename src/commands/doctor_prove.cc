// linerate doctor prove: makes the commands of both sides, has them run in turns, prints what
// follows.
#include "base/log.h"
#include "base/text.h"
#include "cli/doctor_config.h"
#include "cli/tokens.h"
#include "commands/compare_runs.h"
#include "commands/doctor.h"
#include "diagnose/env/env.h"
#include "diagnose/prove/prove.h"
#include "output/text_file.h"
#include "topo/machine.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>
#include <utility>

namespace linerate {
namespace {

struct Benchmark {
  std::string launch{}, program{};  // as in a shell
};

std::string proofs_text() {
  std::string text;
  for (const auto& proof : prove::all_proofs())
    text += fmt::format(
        "{}: {}\n  {}{}{}{}\n", proof.id, proof.what, proof.setting,
        proof.backend.empty() ? "" : fmt::format(", over {}", proof.backend),
        proof.usual.empty() ? "; its value has to be given (--b)"
                            : fmt::format("; where it is not set, B has {}", proof.usual),
        proof.findings.empty()
            ? ""
            : fmt::format("\n  suggested by {}", fmt::join(split(proof.findings, ' '), ", ")));
  return text;
}

// Of the variable: the environment's value, or that of nccl.conf. What stands there cannot be
// unset for one run.
Result<prove::Sides> sides_here(const prove::Proof& proof, const DoctorProveConfig& config,
                                const Environment& environment) {
  if (!proof.is_variable()) return prove::sides_of(proof, {}, config.a, config.b);
  const auto settings = settings_here(environment, env::kNewest);
  const auto held = std::ranges::find(settings, proof.setting, &env::Setting::name);
  const bool is_set = held != settings.end();
  auto sides = prove::sides_of(proof, is_set ? prove::Value(held->value) : prove::Value(), config.a,
                               config.b);
  const auto in_file = std::ranges::find_if(settings, [&](const env::Setting& setting) {
    return setting.conf && setting.name == proof.setting;
  });
  if (!sides || in_file == settings.end() || (sides->a && sides->b)) return sides;
  return Failure{
      plain_text(fmt::format("{} sets {}, which no run can take back: give --a and --b values.",
                             in_file->where, proof.setting))};
}

// How many ranks there are where nobody says it.
std::string_view few_ranks(std::string_view backend) {
  if (backend == "mpi") return "";
  return backend == "gloo" ? " --nprocs 2" : " -t 2";
}

// all_reduce of three sizes, with what the user gives behind it: there the last value counts.
Result<Benchmark> own_benchmark(const prove::Proof& proof, const DoctorProveConfig& config,
                                int ngpus) {
  const auto tokens = tokenise(config.benchmark, Audience::collectives);
  if (!tokens) return tokens.failure();
  for (const auto& [row, text] : *tokens)
    if (row->long_name == "backend" && !proof.backend.empty() && text != proof.backend)
      return Failure{fmt::format("{} is read by the {} backend alone: leave --backend {} out.",
                                 proof.setting, proof.backend, plain_text(text))};
  const bool here = config.launch.empty();
  const std::string_view backend = !proof.backend.empty() ? proof.backend
                                   : here && ngpus > 1    ? "nccl"
                                                          : "auto";
  if (backend == "nccl" && here && ngpus < 2)
    return Failure{fmt::format(
        "{} is about NCCL and needs two GPUs, and there {} {} here: run it on a node with GPUs, or "
        "give --launch 'srun …' that reaches one.",
        proof.id, ngpus == 1 ? "is" : "are", ngpus == 0 ? "none" : "one")};
  const bool counted = !here || is_given(*tokens, "nthreads") || is_given(*tokens, "ngpus") ||
                       is_given(*tokens, "nprocs");
  Benchmark own{.launch = here && backend == "mpi" ? "mpirun -np 2" : config.launch};
  own.program = fmt::format(
      "{} perf all_reduce --backend {} -b 64K -e 16M -f 16 --stop max=0.3s --expect off",
      shell_word(std::filesystem::read_symlink("/proc/self/exe").string()), backend);
  if (!counted)
    own.program += backend == "nccl" ? fmt::format(" -g {}", ngpus) : few_ranks(backend);
  for (const auto& word : config.benchmark) own.program += ' ' + shell_word(word);
  return own;
}

Result<Benchmark> benchmark_of(const prove::Proof& proof, const DoctorProveConfig& config,
                               const Environment& environment) {
  if (!config.has_command())
    return own_benchmark(proof, config,
                         count_nvidia_gpus(environment.get("LINERATE_SYSFS").value_or("/sys")));
  Benchmark given{.launch = config.launch};
  for (const auto& word : config.benchmark)
    given.program += (given.program.empty() ? "" : " ") + shell_word(word);
  return given;
}

// A run over another backend does not read the setting: it would refute anything.
Refusal not_read_by(const prove::Proof& proof, const MeasuredSides& measured) {
  for (const auto& loaded : measured.sides)
    for (const auto& run : loaded.side.runs)
      if (const auto& backend = run.info.backend;
          !proof.backend.empty() && !backend.empty() && backend != proof.backend)
        return plain_text(fmt::format("It ran over the {} backend, and {} is read by {} alone.",
                                      backend, proof.setting, proof.backend));
  return {};
}

ExitCode compare_and_rule(const prove::Proof& proof, prove::Sides values,
                          const DoctorProveConfig& config, MeasuredSides measured) {
  auto& sides = measured.sides;
  if (sides[0].side.runs.empty() || sides[1].side.runs.empty())
    return measured.interrupted ? ExitCode::interrupted
                                : refuse("No run of one side has a result that can be compared.");
  if (const auto why = not_read_by(proof, measured)) return refuse(*why);
  CompareRules rules;
  rules.rule.smallest = config.smallest;
  auto comparison = compare_sides(std::move(sides[0].side), std::move(sides[1].side), rules);
  if (!comparison) return refuse(comparison.sentence());
  const prove::Proved proved{proof, std::move(values), *std::move(comparison)};
  auto out = TextFile::standard_output();
  out.write(config.json ? prove::proved_json(proved) : prove::proved_text(proved, out.terminal()));
  return measured.interrupted ? ExitCode::interrupted : ExitCode::ok;
}

}  // namespace

ExitCode doctor_prove(const CommandInput& input) {
  if (answers_help(input.call.words, Audience::doctor_prove)) return ExitCode::ok;
  auto config = parse_doctor_prove(input.call.words);
  if (!config) return refuse(config.sentence());
  if (config->list) return TextFile::standard_output().write(proofs_text()), ExitCode::ok;
  const auto proof = prove::find_proof(config->id);
  if (!proof) return refuse(proof.sentence());
  const auto sides = sides_here(**proof, *config, input.environment);
  if (!sides) return refuse(sides.sentence());
  const auto benchmark = benchmark_of(**proof, *config, input.environment);
  if (!benchmark) return refuse(benchmark.sentence());
  auto runs = *config;
  for (const auto& value : {sides->a, sides->b})
    runs.commands.push_back(
        prove::command_of(**proof, value, benchmark->launch, benchmark->program));
  return compare_and_rule(**proof, *sides, runs, measure_sides(input, runs));
}

}  // namespace linerate
