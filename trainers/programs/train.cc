#include "trainers/programs/train.h"

#include "base/environment.h"
#include "base/error.h"
#include "base/log.h"
#include "base/units.h"
#include "cli/help.h"
#include "cli/tokens.h"
#include "cli/train_config.h"
#include "commands/command.h"
#include "commands/describe.h"
#include "commands/program.h"
#include "commands/watched_health.h"
#include "devices/cpu/math/cpu_math.h"
#include "job/job.h"
#include "job/processes.h"
#include "output/file_sinks.h"
#include "trainers/memory/mapped_file.h"
#include "trainers/parallel/silent_comm.h"
#include "trainers/programs/checkpoints.h"
#include "trainers/programs/comm_trace.h"
#include "trainers/programs/elastic.h"
#include "trainers/programs/outputs.h"
#include "trainers/programs/peer_waits.h"
#include "trainers/programs/pipeline_step.h"
#include "trainers/programs/preview.h"
#include "trainers/programs/stage_waits.h"
#include "trainers/programs/trace.h"
#include "trainers/programs/train_input.h"
#include "trainers/programs/utilisation.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <functional>
#include <memory>
#include <new>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace linerate {
namespace {

struct Program {
  std::string name;
  const std::vector<std::string>& words;  // behind it
  const TrainOptions& options;
  const trainers::Source& source;
  const Environment& environment;
  const trainers::Checkpoint* checkpoint = nullptr;  // to go on from; null: it begins anew
  TextFile* jsonl = nullptr;                         // rank 0's; null: none
  const Generation* generation = nullptr;            // of --elastic
  ElasticProgress* progress = nullptr;               // likewise
};

// The products of a block's forward and backward: of the MLP's first matrix; and of few tokens,
// which take a fourth of the time in large models, of what lies joined and of the leaves of what
// ranks add up.
std::vector<Gemm> products_of(const trainers::ModelConfig& model, DataType type, std::size_t leaves,
                              std::size_t sequence_leaves) {
  const auto hidden = model.hidden, rows = model.length, few = std::min<std::size_t>(rows, 256);
  const Array c{nullptr, type};
  const auto forward = [&](std::size_t m, std::size_t out, std::size_t in) {
    return Gemm{.m = m, .n = out, .k = in, .c = c, .transpose_b = true};
  };
  const auto of_input = [&](std::size_t m, std::size_t in, std::size_t out) {
    return Gemm{.m = m, .n = in, .k = out, .c = c};
  };
  const auto of_weight = [&](std::size_t k, std::size_t out, std::size_t in) {
    return Gemm{.m = out,
                .n = in,
                .k = k / sequence_leaves,
                .c = c,
                .transpose_a = true,
                .accumulates = true};
  };
  return {forward(rows, model.mlp, hidden),
          of_input(rows, hidden, model.mlp),
          of_weight(rows, model.mlp, hidden),
          forward(few, model.qkv(), hidden),
          of_weight(few, model.qkv(), hidden),
          forward(few, hidden, model.q_hidden() / leaves),
          of_weight(few, hidden, model.q_hidden()),
          forward(few, hidden, model.mlp / leaves),
          of_input(few, hidden, model.kv_hidden() / leaves),
          of_input(few, hidden, model.mlp / leaves)};
}

// Equal bits on any layout rest on products whose bits depend on their elements alone. Where
// OpenBLAS's do not, they are computed in fixed blocks.
std::unique_ptr<Math> open_math(RankContext& rank, const TrainOptions& options) {
  if (rank.device().kind() == DeviceKind::cuda)
    throw Unavailable(
        "Trainers compute on the host only: give --backend host, mpi, gloo or fake, not nccl.");
  auto math = make_cpu_math({.threads = options.threads});
  if (!options.train.deterministic) return math;
  const auto gemm = [&](const Gemm& product) { math->gemm(product, rank.stream()); };
  const auto& model = options.train.model;
  const auto leaves = trainers::canonical_leaves(model);
  const auto of_sequence = trainers::sequence_leaves(model.length);
  const bool unstable = rank.any_thread(
      !gemm_bits_are_stable(gemm, products_of(model, options.train.type, leaves, of_sequence),
                            std::max(leaves, of_sequence)));
  if (!unstable) return math;
  if (rank.is_first())
    say("note: OpenBLAS's products depend on where matrices lie: they are computed in fixed "
        "blocks");
  return make_cpu_math({.threads = options.threads, .fixed_blocks = true});
}

std::optional<TrainOutputs> open_outputs(const RankContext& rank, const Program& program,
                                         double peak) {
  if (!rank.is_first()) return std::nullopt;
  return std::optional<TrainOutputs>(
      std::in_place,
      TrainingRun{.run_id = random_id(),
                  .program = program.name,
                  .args = program.words,
                  .start_time = utc_text(std::chrono::system_clock::now()),
                  .peak_flops = peak},
      program.options, program.source, program.jsonl);
}

void check_job(const RankContext& rank, const trainers::TrainConfig& train) {
  const auto refusal = job_refusal(train, rank.nranks());
  if (refusal && rank.is_first()) throw Error(*refusal, ExitCode::usage);
}

// All ranks make the same steps; rank 0 speaks.
ExitCode train(RankContext& rank, const Program& program) {
  check_job(rank, program.options.train);
  const auto math = open_math(rank, program.options);
  rank.enter({.what = "probe of matrix products"});
  const double peak = measured_peak_flops(rank, program.options.train.type, *math);
  if (program.options.no_communication)
    rank.decorate_axes([](std::unique_ptr<Communicator> axis) -> std::unique_ptr<Communicator> {
      return std::make_unique<trainers::SilentComm>(std::move(axis));
    });
  CommTraceFile comm_trace(rank, program.options, program.name);
  Resident resident(rank);
  rank.enter({.what = "initial values"});
  trainers::Trainer trainer(rank, program.options.train, program.source, *math);
  if (program.checkpoint) trainer.resume(*program.checkpoint);
  RunCheckpoints checkpoints(rank, program.options.checkpoints, trainer);
  std::optional<WatchedHealth> health;
  if (program.options.watches_health) health.emplace(rank, program.environment);
  auto outputs = open_outputs(rank, program, peak);
  Trace trace(rank, program.options.trace, trainer);
  if (outputs) outputs->begin(rank, trainer);
  if (outputs && program.generation != nullptr && program.generation->number > 0)
    outputs->recovered(*program.generation, trainer);
  PeerWaits waits;
  StageWaits stage_waits;
  auto code = ExitCode::ok;
  while (trainer.steps_done() < program.options.train.steps) {
    rank.enter({.what = "step"});
    comm_trace.begin();
    const auto result = trainer.step();
    comm_trace.step(result, trainer);
    waits.add(result.time);
    stage_waits.add(result.time, trainer.spans());
    if (outputs) outputs->step(result);
    if (program.progress != nullptr) program.progress->step_is_done(result.step);
    trace.step(result);
    checkpoints.after_step();
    if (rank.any_interrupted()) {
      code = ExitCode::interrupted;
      break;
    }
  }
  checkpoints.finish();
  if (health) {
    auto nodes = health->gather(rank);
    if (outputs) outputs->health(std::move(nodes));
  }
  auto waited_for = waits.shares(rank.bootstrap());
  auto bubbles = stage_waits.shares(rank.bootstrap(), trainer.position().stage,
                                    program.options.train.pp_schedule, trainer.pipeline());
  auto pipeline_step = recorded_step(rank.bootstrap(), trainer);
  const auto memory = resident.use(trainer.arena());
  if (outputs)
    outputs->end(trainer, {.exit_code = code,
                           .waited_for = std::move(waited_for),
                           .bubbles = std::move(bubbles),
                           .pipeline_step = std::move(pipeline_step),
                           .resident = memory});
  return code;
}

// A lack of memory is told, so that the next generation asks for less.
ExitCode train_or_tell(RankContext& rank, const Program& program) {
  const auto tell = [&] {
    if (program.progress != nullptr) program.progress->memory_is_short();
  };
  try {
    return train(rank, program);
  } catch (const OutOfMemory&) {
    tell();
    throw;
  } catch (const std::bad_alloc&) {
    tell();
    throw;
  }
}

// What can be refused before any rank starts, by the process of rank 0. The file, where there is
// one, stays open, so that who reads a pipe sees one writer.
Result<std::optional<TextFile>> opened_output(const TrainOptions& options,
                                              const Environment& environment,
                                              const std::function<bool()>& interrupted) {
  const auto identity = identify(options, environment);
  if (!identity || identity->rank > 0 || options.jsonl_file.empty())
    return std::optional<TextFile>();
  auto file = open_json_lines(options.jsonl_file, interrupted);
  if (!file) return file.failure();
  return std::optional(*std::move(file));
}

// A job of ranks; of --elastic, one generation.
ExitCode run_job_of(Program program, const Signals& signals, const StartRanks& start) {
  const auto& options = program.options;
  const auto checkpoint = checkpoint_to_resume(options);
  if (!checkpoint) return refuse(checkpoint.sentence());
  if (*checkpoint) program.checkpoint = &**checkpoint;
  auto settings = shared_settings(options);
  const auto first = program.checkpoint != nullptr ? program.checkpoint->manifest.step : 0;
  settings.push_back({"--resume, in steps", fmt::to_string(first)});
  return start({.config = options,
                .environment = program.environment,
                .interrupted = signals.interrupted,
                .answer_interrupts = signals.answer_interrupts,
                .at_loss =
                    [&](std::span<const int> ranks) {
                      if (program.progress != nullptr) program.progress->are_lost(ranks);
                    },
                .settings = settings},
               [&](RankContext& rank) { return train_or_tell(rank, program); });
}

// Rank 0 may have been lost in the middle of a line.
TextFile* open_whole_lines(const Program& program, std::optional<TextFile>& opened) {
  if (program.options.jsonl_file.empty()) return nullptr;
  if (program.jsonl == nullptr && !opened) {
    auto file = TextFile::append(program.options.jsonl_file);
    if (!file) throw Error(file.sentence(), ExitCode::usage);
    opened = *std::move(file);
  }
  auto* const file = program.jsonl != nullptr ? program.jsonl : &*opened;
  file->drop_torn_line();
  return file;
}

ExitCode run_generations(const Program& program, const Signals& signals) {
  std::optional<TextFile> opened;
  const RunGeneration run = [&](const TrainOptions& options, const Generation& generation,
                                ElasticProgress& progress, const StartRanks& start) {
    const bool writes = generation.number > 0 && generation.has_rank_0;
    return run_job_of({.name = program.name,
                       .words = program.words,
                       .options = options,
                       .source = program.source,
                       .environment = program.environment,
                       .jsonl = writes ? open_whole_lines(program, opened) : program.jsonl,
                       .generation = &generation,
                       .progress = &progress},
                      signals, start);
  };
  const auto code = run_elastic(program.options, program.environment, signals.interrupted, run);
  return code ? *code : refuse(code.sentence());
}

// What is done without a job of ranks; nothing: there is to be one.
std::optional<ExitCode> done_without_ranks(TrainOptions& options) {
  if (options.version) {
    fmt::print("{}\n", version_text());
    return ExitCode::ok;
  }
  if (options.dump_config) {
    fmt::print("{}", options.understood);
    return ExitCode::ok;
  }
  if (options.list) {
    fmt::print("{}", trainer_list_text());
    return ExitCode::ok;
  }
  if (options.dry_run) {
    const int nranks = std::max(1, options.nprocs) * options.ranks_per_process();
    if (const auto refusal = settle_layout(options, nranks)) return refuse(*refusal);
    if (const auto refusal = job_refusal(options.train, nranks)) return refuse(*refusal);
    if (const auto refusal = settle_batch(options, nranks)) return refuse(*refusal);
    fmt::print("{}", training_plan_text(options, nranks));
    return ExitCode::ok;
  }
  if (const auto& folder = options.train.offload_folder; !folder.empty())
    if (const auto refusal = trainers::mapped_file_refusal(folder)) return refuse(*refusal);
  return std::nullopt;
}

ExitCode run(TrainProgram program, const std::vector<std::string>& words) {
  const std::string name(name_of(program));
  if (asks_for_help(words, Audience::train)) {
    fmt::print("{}", program_help(name, Audience::train));
    return ExitCode::ok;
  }
  auto parsed = train_options_of(words, program);
  if (!parsed) return refuse(parsed.sentence());
  auto options = std::move(parsed).value();
  const auto environment = Environment::of_process();
  say_what_has_no_effect(options, environment);
  const auto source = trainers::make_source(options.train.data);
  if (!source) return refuse(source.sentence());
  if (const auto code = done_without_ranks(options)) return *code;
  if (const auto refusal = settle_for_job(options, environment)) return refuse(*refusal);
  if (const auto refusal = refused_before_start(options, environment)) return refuse(*refusal);
  if (const auto checkpoint = checkpoint_to_resume(options); !checkpoint)
    return refuse(checkpoint.sentence());  // before there is an empty file
  const auto signals = catch_signals(true);
  auto output = opened_output(options, environment, signals.interrupted);
  if (!output) return refuse(output.sentence());
  auto jsonl = *std::move(output);
  const Program training{.name = name,
                         .words = words,
                         .options = options,
                         .source = **source,
                         .environment = environment,
                         .jsonl = jsonl ? &*jsonl : nullptr};
  if (options.elastic.on) return run_generations(training, signals);
  return run_job_of(training, signals, run_job);
}

}  // namespace

int run_trainer(int argc, char** argv, TrainProgram program) {
  const std::vector<std::string> words(argv + 1, argv + argc);
  return run_program([&] { return run(program, words); });
}

}  // namespace linerate
