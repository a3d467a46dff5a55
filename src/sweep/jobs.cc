// Texts with places in braces, which are filled: they read as what is printed.
#include "sweep/jobs.h"

#include "base/text.h"
#include "output/numbers.h"
#include "sweep/job_templates.h"
#include "yaml/option_words.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cctype>
#include <utility>

namespace linerate::sweep {
namespace {

using Places = std::vector<std::pair<std::string_view, std::string>>;

std::string filled(std::string_view text, const Places& places) {
  std::string out(text);
  for (const auto& [place, by] : places) out = yaml::replaced(std::move(out), place, by);
  return out;
}

// What the user wrote comes last: it may have braces of its own.
std::string with_data(std::string_view text, const Places& places, const std::string& data) {
  return yaml::replaced(filled(text, places), "{data}", data);
}

// Names of Kubernetes' objects have small letters, digits and dashes.
std::string object_name(const std::string& name) {
  std::string out;
  for (const unsigned char c : name)
    out += std::isalnum(c) != 0 ? static_cast<char>(std::tolower(c)) : '-';
  const auto first = out.find_first_not_of('-');
  if (first == std::string::npos) return "sweep";
  return out.substr(first, out.find_last_not_of('-') + 1 - first);
}

std::string for_shell(const std::vector<std::string>& words) {
  std::string line;
  for (const auto& word : words) line += (line.empty() ? "" : " ") + shell_word(word);
  return line;
}

// A file of a ConfigMap.
std::string entry(std::string_view name, std::string_view text) {
  auto lines = fmt::format("  {}: |\n", name);
  text.remove_suffix(text.size() - (text.find_last_not_of(" \n\r\t") + 1));
  for (const auto& line : split(text, '\n'))
    lines += line.empty() ? "\n" : fmt::format("    {}\n", line);
  return lines;
}

// The study's own launcher where it is of this kind, with its options.
std::string start_by(const Study& study, std::string_view launcher, std::string_view otherwise) {
  return study.start.starts_with(launcher) ? study.start : std::string(otherwise);
}

std::vector<std::string> sweep_words(const Job& job, std::string_view file,
                                     const std::string& output, const std::string& start) {
  std::vector<std::string> words{"linerate", "sweep"};
  if (!file.empty()) words.emplace_back(file);
  words.insert(words.end(), job.words.begin(), job.words.end());
  words.insert(words.end(), {"-o", output, "--seed", fmt::to_string(job.seed), "--start", start});
  return words;
}

std::string cases_script(const Study& study, const Job& job, const Places& places) {
  std::string text;
  auto on_a_pod = study;
  on_a_pod.start = std::string(kThreads);
  const auto cases = cases_of(study);
  std::size_t number = 0;
  for (const auto which : job.order) {
    auto one = cases[which];
    const int nodes = std::exchange(one.nodes, 1);
    text += fmt::format("run {} {} {}\n", ++number, nodes, command_of(on_a_pod, one));
  }
  const Places body{{"{body}", fmt::format("{:016x}", fnv1a(text))}};
  return filled(filled(kCasesHead, body), places) + text;
}

Places places_of(const Study& study, const Job& job) {
  const int nodes = std::ranges::max(study.nodes), slots = std::ranges::max(study.ranks_per_node);
  const bool gpus = std::ranges::find(study.backends, "nccl") != study.backends.end();
  auto runs = counted(job.order.size(), "run");
  if (job.limit_s > 0)
    runs += fmt::format(", at most {}",
                        duration_text(static_cast<double>(job.order.size()) * job.limit_s));
  return {
      {"{runs}", runs},
      {"{name}", object_name(job.name)},
      {"{nodes}", fmt::to_string(nodes)},
      {"{slots}", fmt::to_string(slots)},
      {"{gpus}", gpus ? fmt::format("nvidia.com/gpu: {}", slots) : ""},
      {"{gpu-count}", fmt::to_string(gpus ? slots : 0)},
      {"{timeout}", job.limit_s > 0 ? fmt::format("timeout {:g} ", job.limit_s) : ""},
      {"{mounts}", "{name: study, mountPath: /study}, {name: results, mountPath: /results}"},
      {"{volumes}", fmt::format("{{name: study, configMap: {{name: {}-study}}}}, {{name: results, "
                                "persistentVolumeClaim: {{claimName: CLAIM}}}}",
                                object_name(job.name))}};
}

std::string mpi_job(const Study& study, const Job& job, const Places& places) {
  const bool has_file = !job.file.empty();
  const auto words = sweep_words(job, has_file ? "/study/study.yaml" : "",
                                 fmt::format("/results/{}.db", object_name(job.name)),
                                 start_by(study, "mpirun", "mpirun"));
  const auto data = has_file ? entry("study.yaml", job.text) : std::string("  none: ''\n");
  return with_data(kConfigMap, places, data) +
         with_data(kMpiJob, places, nlohmann::json(words).dump());
}

std::string pytorch_job(const Study& study, const Job& job, const Places& places) {
  const int nodes = std::ranges::max(study.nodes);
  auto text = with_data(kConfigMap, places, entry("cases.sh", cases_script(study, job, places))) +
              filled(kPytorchJob, places);
  const auto add = [&](std::string_view role, int count) {
    auto replicas = filled(kPytorchReplicas, {{"{role}", std::string(role)}});
    text += filled(filled(replicas, {{"{count}", fmt::to_string(count)}}), places);
  };
  add("Master", 1);
  if (nodes > 1) add("Worker", nodes - 1);
  return text;
}

std::string ray_job(const Study& study, const Job& job, const Places& places) {
  const auto data = entry("cases.sh", cases_script(study, job, places)) +
                    entry("cases.py", filled(kRayScript, places));
  auto head = places;
  for (auto& [place, by] : head)
    if (place == "{gpus}") by.clear();
  auto indented = "  " + yaml::replaced(filled(kRayPod, places), "\n", "\n  ");  // in a list
  indented.resize(indented.size() - 2);
  const Places pods{{"{head}", filled(kRayPod, head)}, {"{pod}", indented}};
  return with_data(kConfigMap, places, data) + filled(filled(kRayJob, pods), places);
}

}  // namespace

std::string job_text(JobForm form, const Study& study, const Job& job) {
  const auto places = places_of(study, job);
  const auto command = [&](const std::string& start) {
    return for_shell(sweep_words(job, job.file, job.output, start));
  };
  switch (form) {
    case JobForm::sbatch:
      return with_data(kSbatch, places, command(start_by(study, "srun", "srun")));
    case JobForm::mpirun:
      return with_data(kMpirun, places,
                       command(start_by(study, "mpirun", "mpirun --hostfile hosts")));
    case JobForm::mpijob:
      return mpi_job(study, job, places);
    case JobForm::pytorchjob:
      return pytorch_job(study, job, places);
    case JobForm::rayjob:
      return ray_job(study, job, places);
  }
  __builtin_unreachable();
}

}  // namespace linerate::sweep
