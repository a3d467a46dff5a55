// Times and rates have the digits that mean something; losses have all, because they are compared.
#include "trainers/programs/records.h"

#include "commands/build_info.h"
#include "record/json_io.h"

namespace linerate {
namespace {

using json::Json;
using json::rounded;

constexpr int kTrainingSchema = 1;

std::string line_of(const Json& object) {
  return object.dump(-1, ' ', false, Json::error_handler_t::replace) + '\n';
}

Json json_of(const trainers::PurposeTime& time) {
  return {{"axis", time.axis},
          {"purpose", time.purpose},
          {"calls", time.calls},
          {"bytes", time.bytes},
          {"total_us", rounded(time.total_us)},
          {"exposed_wait_us", rounded(time.exposed_wait_us)},
          {"exposed_transfer_us", rounded(time.exposed_transfer_us)}};
}

// By column, because there are two rows or more of each micro-batch and stage.
Json json_of(const std::vector<trainers::DrawnSpan>& spans) {
  Json columns;
  for (const auto& [stage, operation, start_us, end_us] : spans) {
    columns["stage"].push_back(stage);
    columns["action"].push_back(trainers::kActionNames[static_cast<std::size_t>(operation.action)]);
    columns["chunk"].push_back(operation.chunk);
    columns["micro_batch"].push_back(operation.micro_batch);
    columns["start_us"].push_back(rounded(start_us));
    columns["end_us"].push_back(rounded(end_us));
  }
  return columns;
}

}  // namespace

double tokens_per_s(const trainers::StepResult& result) {
  return static_cast<double>(result.tokens) / result.time.step_us * 1e6;
}

std::string run_line(const TrainingRun& run, const TrainOptions& options, const RankContext& rank,
                     const trainers::Trainer& trainer) {
  const auto& train = options.train;
  return line_of({{"kind", "run"},
                  {"schema", kTrainingSchema},
                  {"run_id", run.run_id},
                  {"start_time", run.start_time},
                  {"version", build_info().version},
                  {"program", run.program},
                  {"args", run.args},
                  {"model", train.model.name},
                  {"parameters", trainers::parameters_of(train.model).count()},
                  {"type", name_of(train.type)},
                  {"data", train.data.data},
                  {"nranks", rank.nranks()},
                  {"nnodes", rank.bootstrap().place().nnodes},
                  {"backend", rank.backend().name()},
                  {"batch", train.batch},
                  {"tp", train.tp},
                  {"cp", train.cp},
                  {"pp", train.pp},
                  {"order", train.order.given.places.empty() ? train.order.axes : "file"},
                  {"zero", static_cast<int>(train.stage)},
                  {"deterministic", train.deterministic},
                  {"no_communication", options.no_communication},
                  {"resumed_step", trainer.steps_done()},
                  {"peak_flops_per_s", rounded(run.peak_flops)},
                  {"clock_error_us", rounded(trainer.recorder().clock_error_us())}});
}

std::string step_line(const std::string& run_id, const trainers::StepResult& result) {
  const auto& time = result.time;
  auto comm = Json::array(), waited_for = Json::array();
  for (const auto& purpose : time.purposes) comm.push_back(json_of(purpose));
  for (const auto& [rank, us] : time.waited_for)
    waited_for.push_back({{"rank", rank}, {"us", rounded(us)}});
  return line_of({{"kind", "step"},
                  {"run_id", run_id},
                  {"step", result.step},
                  {"loss", result.loss},
                  {"accuracy", rounded(result.accuracy)},
                  {"grad_norm", result.norm},
                  {"lr", result.lr},
                  {"skipped", result.skipped},
                  {"tokens", result.tokens},
                  {"tokens_per_s", rounded(tokens_per_s(result))},
                  {"step_us", rounded(time.step_us)},
                  {"compute_us", rounded(time.compute_us)},
                  {"exposed_us", rounded(time.exposed_us())},
                  {"idle_us", rounded(time.idle_us)},
                  {"overlap", rounded(time.overlap())},
                  {"comm", comm},
                  {"waited_for", waited_for}});
}

std::string recovery_line(const std::string& run_id, const Recovery& recovery) {
  const auto& generation = recovery.generation;
  return line_of({{"kind", "recovery"},
                  {"run_id", run_id},
                  {"generation", generation.number},
                  {"lost_ranks", generation.lost},
                  {"out_of_memory", generation.out_of_memory},
                  {"nranks_before", generation.nranks_before},
                  {"ranks_left", generation.left},
                  {"nranks", generation.nranks},
                  {"micro_batch", recovery.micro_batch},
                  {"resumed_step", recovery.resumed_step},
                  {"steps_lost", recovery.steps_lost},
                  {"recovery_s", rounded(recovery.recovery_s)}});
}

std::string end_line(const std::string& run_id, const TrainingEnd& end,
                     trainers::Trainer& trainer) {
  Json line{{"kind", "end"},
            {"run_id", run_id},
            {"exit_code", static_cast<int>(end.exit_code)},
            {"steps", end.steps}};
  if (end.steps > 0) {
    line["tokens_per_s"] = rounded(end.tokens_per_s);
    line["mfu"] = rounded(end.mfu);
    line["hfu"] = rounded(end.hfu);
    line["loss"] = end.loss;
  }
  for (std::size_t i = 0; i < trainers::kCategories; ++i) {
    const auto category = static_cast<trainers::Category>(i);
    line["peak_bytes"][std::string(name_of(category))] = trainer.arena().bytes(category).peak;
  }
  for (const auto& [call, bytes] : trainer.sent_bytes())
    line["sent_bytes"][call.first][call.second] = bytes;
  line["resident"] = {{"start_bytes", end.resident.start_bytes},
                      {"arena_bytes", end.resident.arena_bytes},
                      {"peak_bytes", end.resident.peak_bytes}};
  line["waited_for"] = Json::array();
  for (const auto& [rank, share] : end.waited_for)
    line["waited_for"].push_back({{"rank", rank}, {"share", rounded(share)}});
  if (const auto& bubbles = end.bubbles; !bubbles.stages.empty()) {
    line["bubble"] = {{"share", rounded(bubbles.all)},
                      {"by_schedule", rounded(bubbles.by_schedule)},
                      {"stages", Json::array()}};
    for (const auto share : bubbles.stages) line["bubble"]["stages"].push_back(rounded(share));
  }
  if (!end.pipeline_step.empty()) line["pipeline_step"] = json_of(end.pipeline_step);
  return line_of(line);
}

}  // namespace linerate
