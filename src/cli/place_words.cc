// See place_words.h.
#include "cli/place_words.h"

#include "base/text.h"
#include "cli/sub_command.h"
#include "cli/values.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <set>
#include <utility>

namespace linerate {
namespace {

constexpr std::int64_t kMaxPlaced = 1 << 18;  // ranks
constexpr std::int64_t kMaxWhole = 1'000'000;
constexpr std::array<Choice<PlaceFormat>, 6> kFormats{{{"table", PlaceFormat::table},
                                                       {"json", PlaceFormat::json},
                                                       {"rankfile", PlaceFormat::rankfile},
                                                       {"mpirun", PlaceFormat::mpirun},
                                                       {"srun", PlaceFormat::srun},
                                                       {"env", PlaceFormat::env}}};

// The words as they were typed.
struct PlaceTexts {
  std::string nranks, nnodes = "0", tp = "1", pp = "1";
  std::string format = "table", rankfile, hosts;
  MachineTexts machine;
  std::string params = "7B", layers = "32", hidden = "4096", seq = "4096";
  std::string micro_batch = "1", micro_batches = "8", bytes_per_element = "2";
};

void describe_job(CLI::App& app, PlaceTexts& texts) {
  app.add_option("--nranks", texts.nranks, "ranks of the job")->required();
  app.add_option("--nodes", texts.nnodes, "nodes of the job; 0: as few as take the ranks")
      ->capture_default_str();
  app.add_option("--tp", texts.tp, "ranks that share a layer (tensor parallel)")
      ->capture_default_str();
  app.add_option("--pp", texts.pp,
                 "stages that share the layers (pipeline parallel); replicas of tp times pp ranks "
                 "(data parallel, dp) are the rest")
      ->capture_default_str();
}

void describe_output(CLI::App& app, PlaceTexts& texts) {
  app.add_option("--format", texts.format,
                 "table; json; rankfile: for Open MPI; mpirun, srun: options in one line; env: "
                 "CUDA_VISIBLE_DEVICES")
      ->capture_default_str();
  app.add_option("--rankfile", texts.rankfile, "also write the rankfile into FILE")
      ->type_name("FILE");
  app.add_option("--hosts", texts.hosts,
                 "names for the rankfile, separated by commas; without: localhost, or +n0, +n1, "
                 "... of an allocation");
}

void describe_model(CLI::App& app, PlaceTexts& texts) {
  app.add_option("--params", texts.params,
                 "parameters of the transformer; K, M, B and T are powers of 1000. dp: one "
                 "all_reduce of a rank's gradients in each step")
      ->capture_default_str();
  app.add_option("--layers", texts.layers,
                 "its layers. tp: four all_reduces of the activations for each layer and "
                 "micro-batch")
      ->capture_default_str();
  app.add_option("--hidden", texts.hidden,
                 "width of its activations. pp: activations forward and gradients backward between "
                 "stages for each micro-batch")
      ->capture_default_str();
  app.add_option("--seq", texts.seq, "tokens of a sample")->capture_default_str();
  app.add_option("--micro-batch", texts.micro_batch, "samples of a micro-batch")
      ->capture_default_str();
  app.add_option("--micro-batches", texts.micro_batches, "micro-batches of a step and replica")
      ->capture_default_str();
  app.add_option("--bytes-per-element", texts.bytes_per_element,
                 "of activations and gradients: 1, 2, 4 or 8")
      ->capture_default_str();
}

void describe_all(CLI::App& app, PlaceTexts& texts) {
  app.name("linerate topo place");
  describe_job(app, texts);
  describe_output(app, texts);
  describe_machine_words(app, texts.machine);
  describe_model(app, texts);
}

// "7B", "1.5T", "125M", "7000000000".
Refusal set_params(const Argument& given, double& out) {
  constexpr std::array<std::pair<char, double>, 4> kSuffixes{
      {{'K', 1e3}, {'M', 1e6}, {'B', 1e9}, {'T', 1e12}}};
  constexpr double kMaxParams = 1e15;
  std::string_view digits = given.text;
  double factor = 1;
  for (const auto& [suffix, power] : kSuffixes)
    if (!digits.empty() && (digits.back() == suffix || digits.back() == suffix - 'A' + 'a')) {
      factor = power;
      digits.remove_suffix(1);
      break;
    }
  const auto number = parse_number(given.label, digits);
  if (!number || *number * factor < 1 || *number * factor > kMaxParams)
    return fmt::format(
        "{} '{}' is not a number of parameters from 1 to 1000T: give one like 7B, 1.5T or 125M.",
        given.label, given.text);
  out = *number * factor;
  return {};
}

Refusal read_model(const PlaceTexts& texts, PlaceConfig& config) {
  auto& model = config.request.workload;
  if (auto refusal = set_params({"--params", texts.params}, model.params)) return refusal;
  const std::array wholes{
      std::tuple{"--layers", &texts.layers, &model.layers},
      std::tuple{"--hidden", &texts.hidden, &model.hidden},
      std::tuple{"--seq", &texts.seq, &model.seq},
      std::tuple{"--micro-batch", &texts.micro_batch, &model.micro_batch},
      std::tuple{"--micro-batches", &texts.micro_batches, &model.micro_batches}};
  for (const auto& [label, text, out] : wholes)
    if (auto refusal = set_whole({label, *text}, {1, kMaxWhole}, *out)) return refusal;
  constexpr std::array<Choice<int>, 4> kBytes{{{"1", 1}, {"2", 2}, {"4", 4}, {"8", 8}}};
  return set_choice<int>({"--bytes-per-element", texts.bytes_per_element}, kBytes,
                         model.bytes_per_element);
}

Refusal read_job(const PlaceTexts& texts, PlaceConfig& config) {
  auto& request = config.request;
  const std::array wholes{std::tuple{"--nranks", &texts.nranks, 1, &request.nranks},
                          std::tuple{"--nodes", &texts.nnodes, 0, &request.nnodes},
                          std::tuple{"--tp", &texts.tp, 1, &request.tp},
                          std::tuple{"--pp", &texts.pp, 1, &request.pp}};
  for (const auto& [label, text, least, out] : wholes)
    if (auto refusal = set_whole({label, *text}, {least, kMaxPlaced}, *out)) return refusal;
  return {};
}

// Names go into a rankfile, which ends them at a blank.
Refusal read_hosts(const PlaceTexts& texts, PlaceConfig& config) {
  if (texts.hosts.empty()) return {};
  std::set<std::string> once;
  for (const auto& name : split(texts.hosts, ',')) {
    const bool plain = std::ranges::all_of(name, [](char c) {
      return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
             c == '.' || c == '-' || c == '_' || c == '+';
    });
    if (name.empty() || !plain)
      return fmt::format(
          "--hosts: '{}' is not the name of a host: give letters, digits, '.', '-' "
          "and '_', separated by commas.",
          name);
    if (!once.insert(name).second) return fmt::format("--hosts names {} twice.", name);
    config.request.hosts.push_back(name);
  }
  return {};
}

Refusal read_output(const PlaceTexts& texts, PlaceConfig& config) {
  if (auto refusal = set_choice<PlaceFormat>({"--format", texts.format}, kFormats, config.format))
    return refusal;
  if (!texts.rankfile.empty()) return set_file({"--rankfile", texts.rankfile}, config.rankfile);
  if (!texts.hosts.empty() && config.format != PlaceFormat::rankfile)
    return "--hosts names the hosts of a rankfile: give --format rankfile or --rankfile FILE too.";
  return {};
}

}  // namespace

std::string place_markdown() {
  CLI::App app;
  PlaceTexts texts;
  describe_all(app, texts);
  return "## linerate topo place\n\n"
         "Which GPU, cores and NIC each rank of a job gets, and which order of its mesh is the "
         "cheapest: [placement](placement.md).\n\n" +
         options_markdown(app);
}

Result<PlaceConfig> parse_place(const std::vector<std::string>& words) {
  CLI::App app(
      "Binds the ranks of a job to GPUs, cores and NICs, and looks for the order of a training "
      "job's mesh (tp, pp, dp) that puts its heaviest traffic on the fastest links.");
  PlaceTexts texts;
  PlaceConfig config;
  describe_all(app, texts);
  const auto asked = read_words(app, words, "linerate topo place");
  if (!asked.refusal.empty()) return Failure{asked.refusal};
  config.help_text = asked.help;
  if (!config.help_text.empty()) return config;
  for (const auto read : {read_job, read_model, read_hosts, read_output})
    if (auto refusal = read(texts, config)) return Failure{*refusal};
  if (auto refusal = read_machine(app, texts.machine, config.machine)) return Failure{*refusal};
  return config;
}

}  // namespace linerate
