// The sub-commands: each puts the layers below together, from its words to the exit code. main.cc
// calls one of them, within program.h. The files:
//   perf.cc       the tools that run ranks, and suite: preview.h refuses what cannot run and prints
//                 what would; perf_job.h is a job of one or several runs, one_run.h one of them,
//                 describe.h says what it is, outputs.h is its table and files, job_progress.h and
//                 live_progress.h say on stderr how far it is
//   memcpy.cc     memcpy_perf, with memcpy_output.h
//   topo.cc       topo and its views; topo_lint.cc, topo_place.cc, topo_predict.cc and
//                 topo_measure.cc (with survey_text.h) the larger ones; load_machine.h reads the
//                 machine they are about
//   tune.cc       tune host, with tune_host.h; tune_library.cc nccl, mpi and gloo; both launch runs
//                 by tune_launch.h
//   compare.cc    compare, with compare_sources.h (files, folders, baselines) and compare_runs.h
//                 (commands in turns); repeat.h is --repeat of the tools; child.h starts processes
//   scale.cc      scale: trainers on more and more ranks
//   sweep_pairs.cc  sweep pairs: which node is bad
//   replay.cc     replay: the calls of a training job, made again without it
//   plan.cc       plan: layouts of a training job, with plan_measure.h, which measures this machine
//   doctor.cc     doctor: a table of what it examines; doctor_env.cc the variables,
//                 doctor_log.cc logs, doctor_results.cc results, doctor_hang.cc processes
//                 and dumps, doctor_prove.cc a setting, by runs with and without it,
//                 doctor_node.cc the node (with doctor_quick_bench.h) and snapshots of nodes,
//                 which doctor_snapshot.cc saves and gather_nodes.h gathers
//   info.cc       info: what is here
//   report.cc     report, and pictures: Python scripts
#pragma once

#include "base/environment.h"
#include "base/error.h"
#include "cli/parse.h"
#include "cli/tools.h"

#include <functional>
#include <span>
#include <string>

namespace linerate {

struct CommandInput {
  const Invocation& call;
  const Environment& environment;
  std::function<bool()> interrupted;  // true after Ctrl-C or SIGTERM
  // Whether this process says on stderr that it heard these signals; it does at first.
  std::function<void(bool answers)> answer_interrupts;
};

// One function of each sub-command; they throw Error, and main turns it into an exit code.
ExitCode perf_command(const CommandInput& input);
ExitCode memcpy_command(const CommandInput& input);
ExitCode topo_command(const CommandInput& input);
ExitCode tune_command(const CommandInput& input);
ExitCode tune_library(const CommandInput& input);  // of tune_command()
ExitCode compare_command(const CommandInput& input);
ExitCode scale_command(const CommandInput& input);
ExitCode sweep_command(const CommandInput& input);
ExitCode sweep_pairs(const CommandInput& input);  // its words begin with `pairs`
ExitCode replay_command(const CommandInput& input);
ExitCode results_command(const CommandInput& input);
ExitCode plan_command(const CommandInput& input);
ExitCode doctor_command(const CommandInput& input);
ExitCode docs_command(const CommandInput& input);
ExitCode info_command(const CommandInput& input);
ExitCode report_command(const CommandInput& input);

// Prints the help or the version where they are asked for; else false.
bool answers(Intent intent, const Invocation& call);
// The same for the help of a sub-command with options of its own.
bool answers_help(std::span<const std::string> words, Audience program);

// Prints the sentence on stderr and yields ExitCode::usage.
ExitCode refuse(const std::string& sentence);

}  // namespace linerate
