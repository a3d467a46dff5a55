// Every field of a configuration as text, so that tests can say what changed.
#pragma once

#include "cli/run_config.h"

#include <fmt/format.h>

#include <map>
#include <optional>
#include <string>

namespace linerate {

using Fields = std::map<std::string, std::string>;

template <typename T>
std::string optional_text(const std::optional<T>& value) {
  return value ? fmt::format("{}", *value) : "none";
}

inline Fields gpu_fields(const GpuOptions& gpu) {
  return {{"cudagraph", fmt::format("{}", gpu.cudagraph)},
          {"local_register", fmt::format("{}", gpu.local_register)},
          {"cta_policy", optional_text(gpu.cta_policy)},
          {"device_implementation", fmt::format("{}", gpu.device_implementation)},
          {"device_ctas", fmt::format("{}", gpu.device_ctas.value_or(16))},
          {"stream_null", fmt::format("{}", gpu.stream_null)},
          {"parallel_init", fmt::format("{}", gpu.parallel_init)},
          {"nccl_tests_config", fmt::format("{}", gpu.nccl_tests_config)},
          {"oversubscribe", fmt::format("{}", gpu.oversubscribe)}};
}

inline Fields variable_fields(const RunConfig& c) {
  return {{"split", fmt::format("{}:{}", static_cast<int>(c.split.kind), c.split.value)},
          {"min_bw_gbps", optional_text(c.min_bw_gbps)},
          {"base_device", optional_text(c.base_device)},
          {"spread", fmt::format("{}", c.traffic.spread)},
          {"matrix_file", c.traffic.matrix_file},
          {"matrix_scale", fmt::format("{}", c.traffic.matrix_scale)},
          {"print_summary", fmt::format("{}", c.traffic.print_summary)}};
}

inline Fields own_fields(const RunConfig& c) {
  return {{"at_once", fmt::format("{}", c.at_once)},
          {"backend", c.backend},
          {"algorithm", c.algorithm},
          {"nprocs", fmt::format("{}", c.nprocs)},
          {"jsonl_file", c.jsonl_file},
          {"csv_file", c.csv_file},
          {"keep_samples", fmt::format("{}", c.keep_samples)},
          {"show_algorithms", fmt::format("{}", c.show_algorithms)},
          {"repeat", fmt::format("{}", c.repeat)},
          {"study", fmt::format("{}:{}", c.study, c.repetition)},
          {"stop", optional_text(c.stop.ci) + " " + optional_text(c.stop.max_s)},
          {"skew", skew_text(c.skew)},
          {"beside", c.beside.text},
          {"sync", fmt::format("{}", static_cast<int>(c.sync))},
          {"sliding", fmt::format("{}", static_cast<int>(c.sliding))},
          {"limit_memory", optional_text(c.limit_memory)},
          {"list", fmt::format("{}", c.list)},
          {"dry_run", fmt::format("{}", c.dry_run)},
          {"progress", optional_text(c.progress)},
          {"seed", fmt::format("{}", c.seed)},
          {"nccl_library", c.nccl_library},
          {"report_init", fmt::format("{}", c.report_init)},
          {"watches_health", fmt::format("{}", c.watches_health)},
          {"expects", fmt::format("{}", c.expects)},
          {"lists_verdicts", fmt::format("{}", c.lists_verdicts)},
          {"fail_below", fmt::format("{}", c.fail_below.value_or(-1))},
          {"fail_unsure", fmt::format("{}", c.fail_unsure)},
          {"emulate_file", c.emulate_file},
          {"fake", c.fake}};
}

inline Fields fields_of(const RunConfig& c) {
  Fields fields{{"nthreads", fmt::format("{}", c.nthreads)},
                {"ngpus", fmt::format("{}", c.ngpus)},
                {"min_bytes", fmt::format("{}", c.min_bytes)},
                {"max_bytes", fmt::format("{}", c.max_bytes)},
                {"step_bytes", fmt::format("{}", c.step_bytes)},
                {"step_factor", fmt::format("{}", c.step_factor)},
                {"iters", fmt::format("{}", c.iters)},
                {"agg_iters", fmt::format("{}", c.agg_iters)},
                {"warmup_iters", fmt::format("{}", c.warmup_iters)},
                {"run_cycles", fmt::format("{}", c.run_cycles)},
                {"check", fmt::format("{}", c.check)},
                {"root", fmt::format("{}", c.root)},
                {"blocking", fmt::format("{}", static_cast<int>(c.blocking))},
                {"timeout_s", fmt::format("{}", c.timeout_s)},
                {"report_cputime", fmt::format("{}", c.report_cputime)},
                {"average", fmt::format("{}", static_cast<int>(c.average))},
                {"report_timestamps", fmt::format("{}", c.report_timestamps)},
                {"report_memory", fmt::format("{}", c.report_memory)},
                {"unalign", fmt::format("{}", c.unalign)},
                {"per_iter_timing", fmt::format("{}", c.per_iter_timing)},
                {"per_iter_skip", fmt::format("{}", c.per_iter_skip)},
                {"json_file", c.json_file}};
  for (const auto op : c.ops) fields["ops"] += fmt::format("{} ", name_of(op));
  for (const auto type : c.types) fields["types"] += fmt::format("{} ", name_of(type));
  fields.merge(gpu_fields(c.gpu));
  fields.merge(variable_fields(c));
  fields.merge(own_fields(c));
  return fields;
}

// What `c` has that a default configuration has not.
inline Fields changed_fields(const RunConfig& c) {
  const RunConfig untouched;
  const auto defaults = fields_of(untouched);
  auto fields = fields_of(c);
  std::erase_if(fields,
                [&](const auto& field) { return defaults.at(field.first) == field.second; });
  return fields;
}

}  // namespace linerate
