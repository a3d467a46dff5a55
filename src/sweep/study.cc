#include "sweep/study.h"

#include "base/text.h"
#include "base/units.h"
#include "yaml/option_words.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>

namespace linerate::sweep {
namespace {

constexpr int kMostFactor = 1 << 30;

// As parse_bytes() reads it again.
std::string short_bytes(std::size_t bytes) {
  constexpr std::array<std::string_view, 5> kSuffixes{"", "K", "M", "G", "T"};
  std::size_t power = 0;
  for (; power + 1 < kSuffixes.size() && bytes > 0 && bytes % 1024 == 0; ++power) bytes /= 1024;
  return fmt::format("{}{}", bytes, kSuffixes[power]);
}

// The cases of a dimension: one for each value, however often it stands there, or one without.
template <typename Value, typename Set>
void multiply(std::vector<Case>& cases, const std::vector<Value>& values, const Set& set) {
  if (values.empty()) return;
  std::vector<Case> all;
  for (const auto& one : cases)
    for (auto value = values.begin(); value != values.end(); ++value) {
      if (std::find(values.begin(), value, *value) != value) continue;
      all.push_back(one);
      if (!set(all.back(), *value)) break;  // it is the same for all values
    }
  cases = std::move(all);
}

bool chooses_algorithm(const Case& of) {
  return of.backend.empty() || of.backend == "host" || of.backend == "auto";
}

std::string environment_words(const Case& of) {
  std::string unset, set;
  for (const auto& [name, value] : of.environment)
    if (value)
      set += fmt::format("{}={} ", name, shell_word(*value));
    else
      unset += fmt::format("-u {} ", name);
  return unset.empty() && set.empty() ? std::string() : fmt::format("env {}{}", unset, set);
}

bool begins_with_word(std::string_view text, std::string_view word) {
  return text == word || text.starts_with(fmt::format("{} ", word));
}

constexpr std::string_view kPlaces[] = {"{ranks}", "{nodes}", "{ranks-per-node}"};

bool has_places(std::string_view text) {
  return std::ranges::any_of(
      kPlaces, [&](auto place) { return text.find(place) != std::string_view::npos; });
}

// mpirun hands a variable to other hosts where it is told to; srun hands on all of them.
std::string exported(const Case& of) {
  std::string words;
  for (const auto& [name, value] : of.environment)
    if (value) words += fmt::format(" -x {}", name);
  return words;
}

std::string launcher_words(const Study& study, const Case& of) {
  auto words = study.start;
  const bool mpirun = begins_with_word(words, "mpirun");
  if (!has_places(words))
    words += mpirun ? " -np {ranks} --map-by ppr:{ranks-per-node}:node"
                    : " -N {nodes} -n {ranks} --ntasks-per-node={ranks-per-node}";
  if (mpirun) words += exported(of);
  const std::array<int, 3> numbers{of.nranks(), of.nodes, of.ranks_per_node};
  for (std::size_t i = 0; i < numbers.size(); ++i)
    words = yaml::replaced(words, kPlaces[i], fmt::to_string(numbers[i]));
  return words + ' ';
}

std::string tool_words(const Study& study, const Case& of) {
  std::string words(of.collective->binary);
  if (of.sizes) {
    words += fmt::format(" -b {} -e {}", short_bytes(of.sizes->first), short_bytes(of.sizes->last));
    if (of.sizes->first != of.sizes->last) words += fmt::format(" -f {}", of.sizes->factor);
  }
  const auto add = [&](std::string_view option, const std::string& value) {
    if (!value.empty()) words += fmt::format(" {} {}", option, value);
  };
  add("-d", of.type);
  add("-o", of.op);
  add("--backend", of.backend);
  add("--algo", of.algorithm);
  if (study.start == kThreads) words += fmt::format(" -t {}", of.nranks());
  if (study.start == kProcesses) words += fmt::format(" --nprocs {}", of.nranks());
  return study.options.empty() ? words : words + ' ' + study.options;
}

bool is_variable_name(std::string_view name) {
  const auto fits = [](unsigned char c) { return std::isalnum(c) != 0 || c == '_'; };
  return !name.empty() && std::isdigit(static_cast<unsigned char>(name[0])) == 0 &&
         std::ranges::all_of(name, fits);
}

Result<Values> values_of(const YAML::Node& node) {
  const auto refusal = Failure{
      fmt::format(", line {}: a variable has one value, or a list of them.", node.Mark().line + 1)};
  Values values;
  const auto add = [&](const YAML::Node& value) {
    values.emplace_back(value.IsNull() ? std::nullopt : std::optional(value.Scalar()));
  };
  if (!node.IsSequence()) {
    if (node.IsMap()) return refusal;
    add(node);
    return values;
  }
  for (const auto& value : node) {
    if (!value.IsNull() && !value.IsScalar()) return refusal;
    add(value);
  }
  if (values.empty()) return refusal;
  return values;
}

// What the study says for each case, and what makes a shell read several commands.
std::optional<std::string> options_refusal(const std::string& text) {
  constexpr std::array<std::string_view, 18> kOfStudy{
      "-t", "--nthreads", "--nprocs", "--jsonl",      "-b",       "--minbytes",
      "-e", "--maxbytes", "-f",       "--stepfactor", "-d",       "--datatype",
      "-o", "--op",       "--algo",   "--backend",    "--repeat", "--dry-run"};
  if (text.find_first_of("\t\n;|&#`") != std::string::npos)
    return fmt::format("--options '{}' is more than options: leave tabs, ; | & # and ` out.",
                       plain_text(text));
  const auto names = [](std::string_view option, std::string_view word) {
    const bool is_short = option.size() == 2;  // its value may follow at once: -b8M
    return is_short ? word.starts_with(option) : word.substr(0, word.find('=')) == option;
  };
  for (const std::string_view word : split(text, ' '))
    if (std::ranges::any_of(kOfStudy, [&](auto option) { return names(option, word); }))
      return fmt::format(
          "--options '{}' has {}, which the study gives each run: give --sizes, --datatype, --op, "
          "--algo, --backend, --ranks-per-node or --repeat instead.",
          plain_text(text), word);
  return std::nullopt;
}

std::optional<std::string> start_refusal(const Study& study) {
  const bool here = study.start == kThreads || study.start == kProcesses;
  if (here && study.nodes != std::vector{1})
    return fmt::format(
        "--start {} is on this host alone, and --nodes asks for more: give --start mpirun or srun.",
        study.start);
  if (here || has_places(study.start) || begins_with_word(study.start, "mpirun") ||
      begins_with_word(study.start, "srun"))
    return std::nullopt;
  return fmt::format(
      "--start '{}' says no number of ranks: give threads, processes, mpirun, srun, or a launcher "
      "with {{ranks}}, {{nodes}} or {{ranks-per-node}}.",
      plain_text(study.start));
}

}  // namespace

std::string text_of(const Sizes& sizes) {
  if (sizes.first == sizes.last) return short_bytes(sizes.first);
  auto text = fmt::format("{}:{}", short_bytes(sizes.first), short_bytes(sizes.last));
  return sizes.factor == 2 ? text : fmt::format("{}:{}", text, sizes.factor);
}

Result<Sizes> parse_sizes(std::string_view text) {
  const auto parts = split(text, ':');
  const auto first = parse_bytes("size", parts.front());
  const auto last = parse_bytes("size", parts.size() > 1 ? parts[1] : parts.front());
  const auto factor = parse_integer("factor", parts.size() > 2 ? parts[2] : "2");
  const auto refuse = [&](std::string_view why) {
    return Failure{fmt::format(
        "'{}' is no size of runs: {}. Give a size, as 1M, or FIRST:LAST, each twice the one "
        "before, as 8:64M, or FIRST:LAST:FACTOR.",
        plain_text(text), why)};
  };
  if (!first || !last || !factor || parts.size() > 3) return refuse("it cannot be read");
  if (*first == 0 || *last < *first) return refuse("its first size is 0, or above its last");
  if (*factor < 2 || *factor > kMostFactor) return refuse("its factor is below 2 or too large");
  if (*first == *last) return Sizes{*first, *last};
  return Sizes{*first, *last, static_cast<int>(*factor)};
}

std::vector<Case> cases_of(const Study& study) {
  std::vector<Case> cases;
  for (const auto* collective : study.collectives) cases.push_back({.collective = collective});
  multiply(cases, study.sizes, [](Case& of, const Sizes& sizes) { return of.sizes = sizes, true; });
  multiply(cases, study.types, [](Case& of, const auto& type) { return of.type = type, true; });
  multiply(cases, study.ops, [](Case& of, const auto& op) {
    if (of.collective->reduces) of.op = op;
    return of.collective->reduces;
  });
  multiply(cases, study.nodes, [](Case& of, int nodes) { return of.nodes = nodes, true; });
  multiply(cases, study.ranks_per_node,
           [](Case& of, int ranks) { return of.ranks_per_node = ranks, true; });
  multiply(cases, study.backends,
           [](Case& of, const auto& name) { return of.backend = name, true; });
  multiply(cases, study.algorithms, [](Case& of, const auto& name) {
    if (chooses_algorithm(of)) of.algorithm = name;
    return chooses_algorithm(of);
  });
  for (const auto& [name, values] : study.environment)
    multiply(cases, values,
             [&](Case& of, const auto& value) { return of.environment[name] = value, true; });
  return cases;
}

double most_cases(const Study& study) {
  double product = static_cast<double>(study.collectives.size());
  const auto times = [&](std::size_t n) {
    product *= static_cast<double>(std::max<std::size_t>(n, 1));
  };
  for (const auto n : {study.sizes.size(), study.types.size(), study.ops.size(), study.nodes.size(),
                       study.ranks_per_node.size(), study.backends.size(), study.algorithms.size()})
    times(n);
  for (const auto& [name, values] : study.environment) times(values.size());
  return product;
}

std::string command_of(const Study& study, const Case& of, std::string_view program) {
  const bool here = study.start == kThreads || study.start == kProcesses;
  return environment_words(of) + (here ? std::string() : launcher_words(study, of)) +
         shell_word(program) + ' ' + tool_words(study, of);
}

std::string words_of(const Case& of) {
  std::string words(of.collective->name);
  if (of.sizes) words += ' ' + text_of(*of.sizes);
  for (const auto* word : {&of.type, &of.op})
    if (!word->empty()) words += ' ' + *word;
  words += fmt::format(" {}x{}", of.nodes, of.ranks_per_node);
  for (const auto* word : {&of.backend, &of.algorithm})
    if (!word->empty()) words += ' ' + *word;
  for (const auto& [name, value] : of.environment)
    if (value) words += fmt::format(" {}={}", name, *value);
  return words;
}

std::optional<std::string> study_refusal(const Study& study) {
  for (const auto& [name, values] : study.environment)
    if (!is_variable_name(name))
      return fmt::format("'{}' is no name of a variable: give letters, digits and _.",
                         plain_text(name));
  if (auto refusal = options_refusal(study.options)) return refusal;
  if (auto refusal = start_refusal(study)) return refusal;
  if (const double cases = most_cases(study); cases > kMostCases)
    return fmt::format("The study has {:.0f} cases, more than {:.0f}: make it several studies.",
                       cases, kMostCases);
  return std::nullopt;
}

Result<StudyFile> read_study(std::string_view yaml) {
  constexpr std::array<std::string_view, 1> kMaps{"environment"};
  auto read = yaml::read_option_words(yaml, kMostStudyBytes, kMaps);
  if (!read) return read.failure();
  StudyFile file{.words = read->words};
  const auto found = read->maps.find("environment");
  if (found == read->maps.end()) return file;
  for (const auto& entry : found->second) {
    const auto line = entry.first.Mark().line + 1;
    if (!entry.first.IsScalar())
      return Failure{fmt::format(", line {}: a variable's name is one word.", line)};
    auto values = values_of(entry.second);
    if (!values) return values.failure();
    if (!file.environment.emplace(entry.first.Scalar(), *std::move(values)).second)
      return Failure{
          fmt::format(", line {}: {} stands there twice.", line, plain_text(entry.first.Scalar()))};
  }
  return file;
}

}  // namespace linerate::sweep
