#include "backends/host/tuning_table.h"

#include "base/environment.h"
#include "base/file.h"
#include "base/units.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <limits>
#include <map>
#include <system_error>
#include <utility>

namespace linerate::host {
namespace {

using Json = nlohmann::ordered_json;

constexpr int kSchema = 1;
constexpr std::size_t kMaxRules = 4096;
constexpr std::size_t kMaxFileBytes = std::size_t{1} << 20;
constexpr std::size_t kAnyBytes = std::numeric_limits<std::size_t>::max();

std::optional<OpKind> kind_named(std::string_view name) {
  for (std::size_t i = 0; i < kOpKinds; ++i)
    if (name_of(static_cast<OpKind>(i)) == name) return static_cast<OpKind>(i);
  return std::nullopt;
}

// Of all algorithms at one size.
using Times = std::map<std::string, Timing>;
using Sizes = std::map<std::size_t, Times>;

const Timing& fastest(const Times& times) {
  return std::ranges::min_element(times, {}, [](const auto& entry) { return entry.second.us; })
      ->second;
}

bool good_enough(const Times& times, const std::string& algorithm, double tolerance) {
  const auto own = times.find(algorithm);
  if (own == times.end()) return false;
  const Timing& best = fastest(times);
  return own->second.us <= best.us * (1 + tolerance) || own->second.low_us <= best.high_us;
}

// The algorithm that stays good enough for most sizes from `first` on.
std::string longest_lasting(const Sizes& sizes, Sizes::const_iterator first, double tolerance) {
  std::string best = fastest(first->second).algorithm;
  std::ptrdiff_t most = 0;
  for (const auto& [name, timing] : first->second) {
    const auto end = std::find_if(first, sizes.end(), [&](const auto& entry) {
      return !good_enough(entry.second, name, tolerance);
    });
    if (std::distance(first, end) > most) {
      most = std::distance(first, end);
      best = name;
    }
  }
  return best;
}

void append_rules(const Sizes& sizes, Rule rule, double tolerance, std::vector<Rule>& rules) {
  std::string current;
  for (auto size = sizes.begin(); size != sizes.end(); ++size) {
    if (!current.empty() && good_enough(size->second, current, tolerance)) {
      rules.back().max_bytes = size->first;
      continue;
    }
    current = longest_lasting(sizes, size, tolerance);
    rule.max_bytes = size->first;
    rule.algorithm = find_algorithm(current);
    rules.push_back(rule);
  }
  rules.back().max_bytes = kAnyBytes;
}

Json json_of(const Rule& rule) {
  Json object{{"collective", name_of(rule.kind)}, {"nranks", rule.nranks}};
  if (rule.max_bytes != kAnyBytes) object["max_bytes"] = rule.max_bytes;
  object["algorithm"] = rule.algorithm->name;
  if (!rule.measured_here) object["built_in"] = true;
  return object;
}

// What is wrong with `object`, or nothing, and `rule`.
std::optional<std::string> read_rule(const Json& object, Rule& rule) {
  if (!object.is_object()) return "is not an object";
  const auto text = [&](const char* key) {
    const auto found = object.find(key);
    return found != object.end() && found->is_string() ? found->get<std::string>() : std::string();
  };
  const auto number = [&](const char* key, std::size_t otherwise) {
    const auto found = object.find(key);
    if (found == object.end()) return otherwise;
    return found->is_number_unsigned() ? found->get<std::size_t>() : std::size_t{0};
  };
  const auto kind = kind_named(text("collective"));
  if (!kind) return fmt::format("has the unknown collective '{}'", text("collective"));
  rule = {.kind = *kind,
          .nranks = static_cast<int>(std::min<std::size_t>(number("nranks", 0), 1 << 20)),
          .max_bytes = number("max_bytes", kAnyBytes),
          .algorithm = find_algorithm(text("algorithm")),
          .measured_here = !object.contains("built_in")};
  if (rule.algorithm == nullptr)
    return fmt::format("has the unknown algorithm '{}'", text("algorithm"));
  if (rule.nranks < 1) return "has no number of ranks ('nranks', from 1)";
  if (rule.max_bytes == 0) return "has no sensible 'max_bytes'";
  return std::nullopt;
}

std::optional<std::string> read_rules(const Json& array, std::vector<Rule>& rules) {
  if (!array.is_array()) return "'rules' is not a list";
  if (array.size() > kMaxRules) return fmt::format("it has more than {} rules", kMaxRules);
  for (const auto& object : array) {
    Rule rule;
    if (const auto wrong = read_rule(object, rule))
      return fmt::format("rule {} {}", rules.size() + 1, *wrong);
    rules.push_back(rule);
  }
  return std::nullopt;
}

// What a rule is for, but for the size.
using Row = std::pair<OpKind, int>;
Row row_of(const Rule& rule) { return {rule.kind, rule.nranks}; }

bool has_row(std::span<const Rule> rules, const Row& row) {
  return std::ranges::any_of(rules, [&](const Rule& rule) { return row_of(rule) == row; });
}

// The sizes of a row that were measured.
struct Measured {
  std::size_t least = kAnyBytes, most = 0;

  void add(std::size_t bytes) {
    least = std::min(least, bytes);
    most = std::max(most, bytes);
  }
};

// The rules of `row` for sizes below `least`.
void append_below(std::vector<Rule>& rules, std::span<const Rule> before, const Row& row,
                  std::size_t least) {
  std::size_t covered = 0;
  for (Rule old : before) {
    if (row_of(old) != row || covered >= least - 1) continue;
    covered = old.max_bytes = std::min(old.max_bytes, least - 1);
    rules.push_back(old);
  }
}

TuningTable built_in() {
  const auto rules = built_in_rules();
  return {.machine = std::string(built_in_machine()), .rules = {rules.begin(), rules.end()}};
}

}  // namespace

std::vector<Rule> TuningTable::rules_for(bool oversubscribed) const {
  constexpr int kBuiltInCores = 2;
  std::vector<Rule> fit = rules;
  std::erase_if(fit, [&](const Rule& rule) {
    return !oversubscribed && !rule.measured_here && rule.nranks > kBuiltInCores;
  });
  return fit;
}

std::vector<Rule> rules_from(std::span<const Timing> timings, double tolerance) {
  std::map<std::pair<OpKind, int>, Sizes> tables;
  for (const Timing& t : timings) tables[{t.kind, t.nranks}][t.bytes][t.algorithm] = t;
  std::vector<Rule> rules;
  for (const auto& [what, sizes] : tables)
    append_rules(sizes, {.kind = what.first, .nranks = what.second, .measured_here = true},
                 tolerance, rules);
  return rules;
}

std::vector<Rule> merged(std::span<const Rule> before, std::span<const Rule> fresh,
                         std::span<const Timing> timings) {
  std::map<Row, Measured> measured;
  for (const Timing& timing : timings) measured[{timing.kind, timing.nranks}].add(timing.bytes);
  std::vector<Rule> rules;
  for (const Rule& old : before)
    if (!measured.contains(row_of(old))) rules.push_back(old);
  for (const auto& [row, sizes] : measured) {
    append_below(rules, before, row, sizes.least);
    for (Rule rule : fresh) {
      if (row_of(rule) != row) continue;
      const bool last = rule.max_bytes == kAnyBytes && has_row(before, row);
      if (last) rule.max_bytes = sizes.most;
      rules.push_back(rule);
    }
    for (const Rule& old : before)
      if (row_of(old) == row && old.max_bytes > sizes.most) rules.push_back(old);
  }
  return rules;
}

std::string machine_text(const Machine& machine) {
  return fmt::format("{}, {} cores, {} threads, {} of L3", machine.cpu_model, machine.cores,
                     machine.threads, bytes_text(machine.l3_bytes));
}

std::string tuning_text(const TuningTable& table) {
  std::string text =
      fmt::format("{{\"schema\": {}, \"machine\": {}, \"measured\": {}, \"rules\": [\n", kSchema,
                  Json(table.machine).dump(), Json(table.measured).dump());
  for (std::size_t i = 0; i < table.rules.size(); ++i)
    text += json_of(table.rules[i]).dump() + (i + 1 < table.rules.size() ? ",\n" : "\n");
  return text + "]}\n";
}

Result<TuningTable> parse_tuning(std::string_view text, std::string_view origin) {
  const auto refused = [&](std::string_view why) {
    return Failure{fmt::format("{} is no table of algorithms: {}. `linerate tune host` writes one.",
                               origin, why)};
  };
  const Json object = Json::parse(text, nullptr, false);
  if (!object.is_object()) return refused("it is not a JSON object");
  const auto schema = object.find("schema");
  if (schema == object.end() || !schema->is_number() || *schema != kSchema)
    return refused("its schema is not 1");
  TuningTable table;
  for (const auto& [key, into] :
       {std::pair{"machine", &table.machine}, std::pair{"measured", &table.measured}}) {
    const auto found = object.find(key);
    if (found == object.end() || !found->is_string())
      return refused(fmt::format("it has no text '{}'", key));
    *into = found->get<std::string>();
  }
  const auto rules = object.find("rules");
  if (rules == object.end()) return refused("it has no 'rules'");
  if (const auto wrong = read_rules(*rules, table.rules)) return refused(*wrong);
  return table;
}

std::optional<std::filesystem::path> tuning_path(const Environment& environment,
                                                 const Machine& machine) {
  const auto folder = cache_folder(environment);
  if (!folder) return std::nullopt;
  return *folder / fmt::format("host-{}.json", file_name_of(machine_text(machine)));
}

TuningTable find_tuning(const Environment& environment, const Machine& machine,
                        std::string& complaint) {
  const auto path = tuning_path(environment, machine);
  std::error_code unknown;  // then reading says why
  if (!path || !std::filesystem::exists(*path, unknown)) return built_in();
  const auto text = read_regular_file(path->string(), kMaxFileBytes);
  if (!text) {
    complaint = fmt::format("{}: {}", path->string(), text.sentence());
    return built_in();
  }
  auto table = parse_tuning(*text, path->string());
  if (table && table->machine == machine_text(machine)) return *std::move(table);
  complaint = table ? fmt::format("{} is of another machine ({}).", path->string(), table->machine)
                    : table.sentence();
  return built_in();
}

}  // namespace linerate::host
