// The options of linerate doctor env, log, results, hang and prove.
#include "cli/doctor_config.h"
#include "cli/option.h"
#include "cli/shared_rows.h"
#include "cli/tokens.h"
#include "cli/values.h"
#include "launch/net/address.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace linerate {
namespace {

constexpr auto kSettingFormats = std::to_array<Choice<env::Format>>({
    {"auto", env::Format::detected},
    {"shell", env::Format::shell},
    {"dockerfile", env::Format::dockerfile},
    {"yaml", env::Format::yaml},
    {"json", env::Format::yaml},
    {"nccl.conf", env::Format::nccl_conf},
});

Refusal add_source(const Argument& given, DoctorEnvConfig& config) {
  config.files.emplace_back(given.text);
  return {};
}

Refusal set_release(const Argument& given, DoctorEnvConfig& config) {
  const auto release = env::parse_release(given.text);
  if (!release) return fmt::format("{}: {}", given.label, release.sentence());
  config.nccl = *release;
  return {};
}

constexpr auto kDoctorEnvRows = std::to_array<OptionRow>({
    {.long_name = "file",
     .metavar = "FILE",
     .help = "read the variables that FILE sets instead of this process' environment; - is stdin; "
             "several times, where later files win; --file itself may be left out",
     .note =
         "Shell scripts and .env files, sbatch scripts, Dockerfiles, YAML and JSON (Kubernetes, "
         "compose), nccl.conf: [how each is read](doctor.md#what-it-reads).",
     .apply = add_source},
    {.long_name = "format",
     .metavar = "FORMAT",
     .default_text = "auto",
     .help = "of the files: auto (by content), shell, dockerfile, yaml, json or nccl.conf",
     .belongs_to = "file",
     .apply = set_choice<DoctorEnvConfig, kSettingFormats, &DoctorEnvConfig::format>},
    {.long_name = "nccl",
     .metavar = "VERSION",
     .default_text = "2.30.7",
     .help =
         "the version of NCCL that will read them; the default is the newest that is known here",
     .apply = set_release},
    kSkipRow<DoctorEnvConfig>,
    kJsonRow<DoctorEnvConfig>,
    kFailOnRow<DoctorEnvConfig>,
});

constexpr auto kDoctorLogRows = std::to_array<OptionRow>({
    kSkipRow<DoctorLogConfig>,
    kJsonRow<DoctorLogConfig>,
    kFailOnRow<DoctorLogConfig>,
});

Refusal set_nccl(const Argument& given, DoctorResultsConfig& config) {
  const auto version = topo::parse_nccl_version(given.text);
  if (!version) return fmt::format("{}: {}", given.label, version.sentence());
  config.nccl = *version;
  return {};
}

constexpr auto kDoctorResultsRows = std::to_array<OptionRow>({
    {.long_name = "platform",
     .metavar = "NAME",
     .help = "say what such nodes should reach; linerate topo --list-platforms names them",
     .apply = set_text<DoctorResultsConfig, &DoctorResultsConfig::platform>},
    {.long_name = "nodes",
     .metavar = "N",
     .help = "how many they were; without it, as many as the results name hosts",
     .belongs_to = "platform",
     .apply =
         [](const Argument& a, DoctorResultsConfig& config) {
           return set_whole(a, {1, kMaxRuns}, config.nnodes);
         }},
    {.long_name = "nccl",
     .metavar = "VERSION",
     .help = "the version of NCCL that ran, where the results do not say it",
     .belongs_to = "platform",
     .apply = set_nccl},
    kSkipRow<DoctorResultsConfig>,
    kJsonRow<DoctorResultsConfig>,
    kFailOnRow<DoctorResultsConfig>,
});

// Options, and files of which one may be stdin.
template <typename Config>
Result<Config> parsed_with_files(const std::vector<std::string>& words, Audience program,
                                 std::string_view command, std::string_view needed) {
  Config config;
  const auto [options, files] = without_operands(words, program);
  const auto given = read_options(options, program, config);
  if (!given) return given.failure();
  if (std::ranges::count(files, std::string("-")) > 1)
    return Failure{"- is stdin, which can be read once: give it once."};
  if (std::ranges::count(files, std::string()) > 0)
    return Failure{fmt::format("{} is given an empty word: give the name of a file.", command)};
  config.files = files;
  if (config.files.empty()) return Failure{fmt::format("{} needs {}.", command, needed)};
  return config;
}

Refusal set_ras(const Argument& given, DoctorHangConfig& config) {
  constexpr std::uint16_t kUsualPort = 28028;  // NCCL's
  const auto address = socket_address_of(given.text, kUsualPort);
  if (!address)
    return fmt::format("{}: '{}' is no address: give HOST or HOST:PORT.", given.label, given.text);
  config.ras = *address;
  return {};
}

constexpr auto kDoctorHangRows = std::to_array<OptionRow>({
    {.long_name = "ras",
     .metavar = "HOST",
     .help = "ask NCCL's RAS service (from 2.24 on) on HOST or HOST:PORT for ranks that are "
             "missing or behind",
     .note = "Any node of the job will do. The port is 28028, unless the job's NCCL_RAS_ADDR "
             "names another.",
     .apply = set_ras},
    kSkipRow<DoctorHangConfig>,
    kJsonRow<DoctorHangConfig>,
    kFailOnRow<DoctorHangConfig>,
});

Refusal set_side_a(const Argument& given, DoctorProveConfig& config) {
  config.a = given.text;
  return {};
}

Refusal set_side_b(const Argument& given, DoctorProveConfig& config) {
  config.b = given.text;
  return {};
}

constexpr auto kDoctorProveRows = std::to_array<OptionRow>({
    {.long_name = "list",
     .help = "list what can be proven and stop",
     .apply = set_flag<DoctorProveConfig, &DoctorProveConfig::list>},
    {.long_name = "a",
     .metavar = "VALUE",
     .help = "what side A has, the one that is suspected; without it, what is set now",
     .note = "`unset`: no value.",
     .apply = set_side_a},
    {.long_name = "b",
     .metavar = "VALUE",
     .help = "what side B has, which should be faster; without it, none, or the usual value if A "
             "has none",
     .note = "`unset`: no value.",
     .apply = set_side_b},
    {.long_name = "launch",
     .metavar = "COMMAND",
     .help = "what starts the ranks of the benchmark: 'mpirun -np 4', 'srun -N 2'",
     .apply = set_text<DoctorProveConfig, &DoctorProveConfig::launch>},
    {.long_name = "smallest",
     .metavar = "PERCENT",
     .default_text = "5%",
     .help = "the smallest change of time that matters",
     .apply = set_smallest},
    kJsonRow<DoctorProveConfig>,
});

}  // namespace

std::span<const OptionRow> doctor_prove_options() { return kDoctorProveRows; }
std::span<const OptionRow> doctor_hang_options() { return kDoctorHangRows; }
std::span<const OptionRow> doctor_results_options() { return kDoctorResultsRows; }
std::span<const OptionRow> doctor_log_options() { return kDoctorLogRows; }
std::span<const OptionRow> doctor_env_options() { return kDoctorEnvRows; }

Result<DoctorEnvConfig> parse_doctor_env(const std::vector<std::string>& words) {
  DoctorEnvConfig config;
  auto [options, files] = without_operands(words, Audience::doctor_env);
  for (const auto& file : files) options.insert(options.end(), {"--file", file});
  const auto given = read_options(options, Audience::doctor_env, config);
  if (!given) return given.failure();
  config.nccl_is_given = is_given(*given, "nccl");
  if (std::ranges::count(config.files, std::string("-")) > 1)
    return Failure{"- is stdin, which can be read once: give it once."};
  return config;
}

Result<DoctorHangConfig> parse_doctor_hang(const std::vector<std::string>& words) {
  DoctorHangConfig config;
  const auto [options, named] = without_operands(words, Audience::doctor_hang);
  const auto given = read_options(options, Audience::doctor_hang, config);
  if (!given) return given.failure();
  for (const auto& word : named) {
    if (word.empty() || word == "-")
      return Failure{fmt::format(
          "'{}' is neither a pid nor a dump, whose file's name ends in its rank.", word)};
    const bool is_number = word.find_first_not_of("0123456789") == std::string::npos;
    const auto pid = parse_integer("", word);
    constexpr std::int64_t kMostPid = 1 << 22;  // Linux's PID_MAX_LIMIT
    if (!is_number)
      config.files.push_back(word);
    else if (!pid || *pid < 1 || *pid > kMostPid)
      return Failure{fmt::format("'{}' is no pid; a file of that name is './{}'.", word, word)};
    else if (std::ranges::find(config.pids, *pid) == config.pids.end())
      config.pids.push_back(static_cast<int>(*pid));
  }
  if (config.pids.empty() && config.files.empty() && config.ras.port == 0)
    return Failure{
        "linerate doctor hang needs pids of a job's processes, or the dumps of PyTorch's flight "
        "recorder, or the folder with them, or --ras HOST."};
  return config;
}

Result<DoctorProveConfig> parse_doctor_prove(const std::vector<std::string>& words) {
  DoctorProveConfig config;
  config.program = "linerate doctor prove";
  const auto dashes = std::ranges::find(words, "--");
  if (dashes != words.end()) config.benchmark.assign(dashes + 1, words.end());
  const auto [options, named] =
      without_operands(std::vector(words.begin(), dashes), Audience::doctor_prove);
  const auto given = read_options(options, Audience::doctor_prove, config);
  if (!given) return given.failure();
  if (named.size() > 1 || (named.empty() && !config.list))
    return Failure{fmt::format(
        "linerate doctor prove takes one ID and got {}: --list shows all; the benchmark's "
        "arguments come behind --.",
        named.size())};
  if (!named.empty()) config.id = named.front();
  return config;
}

Result<DoctorLogConfig> parse_doctor_log(const std::vector<std::string>& words) {
  return parsed_with_files<DoctorLogConfig>(
      words, Audience::doctor_log, "linerate doctor log",
      "the files that a job with NCCL_DEBUG=INFO wrote, or - for stdin");
}

Result<DoctorResultsConfig> parse_doctor_results(const std::vector<std::string>& words) {
  return parsed_with_files<DoctorResultsConfig>(
      words, Audience::doctor_results, "linerate doctor results",
      "files of nccl-tests, rccl-tests, OSU micro-benchmarks or linerate --jsonl, or - for stdin");
}

}  // namespace linerate
