// Values of several parts: lists of collectives, types and operators, stopping rules, loads,
// numbers of nodes, and which ranks form a group (NCCL_TESTS_SPLIT).
#include "base/units.h"
#include "cli/values.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace linerate {
namespace {

// What other tools call our types; a guess by spelling would say bfloat16 for float16.
constexpr auto kTypeAliases = std::to_array<Choice<std::string_view>>({
    {"fp16", "half"},
    {"float16", "half"},
    {"f16", "half"},
    {"bf16", "bfloat16"},
    {"fp32", "float"},
    {"float32", "float"},
    {"f32", "float"},
    {"fp64", "double"},
    {"float64", "double"},
    {"f64", "double"},
    {"char", "int8"},
    {"int", "int32"},
    {"fp8", "f8e4m3"},
    {"fp8e4m3", "f8e4m3"},
    {"fp8_e4m3", "f8e4m3"},
    {"fp8_e5m2", "f8e5m2"},
});

template <typename Table>
std::vector<std::string_view> names_and_all(const Table& table) {
  std::vector<std::string_view> names;
  for (const auto& row : table) names.push_back(row.name);
  names.emplace_back("all");
  return names;
}

// ci=1% or max=5s.
Refusal set_stop_part(const Argument& part, StopRule& out) {
  constexpr std::array<std::string_view, 2> kKeys{"ci", "max"};
  const auto equals = part.text.find('=');
  const auto key = part.text.substr(0, equals);
  constexpr std::string_view kForm = "Write it as ci=1%, max=5s or ci=1%,max=5s.";
  if (key != "ci" && key != "max")
    return fmt::format("{} {}", unknown_choice(std::string(part.label) + " rule", key, kKeys),
                       kForm);
  if (equals == std::string_view::npos)
    return fmt::format("{} '{}' has no value. {}", part.label, key, kForm);
  const auto text = part.text.substr(equals + 1);
  const auto what = fmt::format("{} {}", part.label, key);
  auto& slot = key == "ci" ? out.ci : out.max_s;
  if (slot) return fmt::format("{} is given twice: write it once.", what);
  const auto value = key == "ci" ? parse_percent(what, text) : parse_seconds(what, text);
  if (!value) return value.sentence();
  if (*value <= 0 || (key == "ci" && *value >= 1))
    return fmt::format("{} '{}' can stop nothing: give {}.", what, text,
                       key == "ci" ? "more than 0% and less than 100%" : "a time above 0");
  slot = *value;
  return {};
}

// "A:B", or one number; false: neither, or not in the range.
bool add_counts(std::string_view text, WholeRange range, std::vector<int>& to) {
  const auto ends = split(text, ':');
  std::int64_t first = 0, last = 0;
  if (ends.size() > 2 || set_whole({{}, ends.front()}, range, first) ||
      set_whole({{}, ends.back()}, range, last) || last < first)
    return false;
  for (std::int64_t count = first; count < last; count *= 2) to.push_back(static_cast<int>(count));
  to.push_back(static_cast<int>(last));
  return true;
}

std::vector<std::string_view> names_of_collectives() {
  std::vector<std::string_view> names;
  for (const auto* row : all_collectives()) names.push_back(row->name);
  names.emplace_back("all");
  return names;
}

std::vector<std::string_view> names_of_loads() {
  std::vector<std::string_view> names{"gemm", "memory"};
  for (const auto* row : all_collectives())
    if (!row->varies) names.push_back(row->name);
  return names;
}

using Kind = SplitRule::Kind;

constexpr auto kOperators = std::to_array<Choice<Kind>>({{"AND", Kind::bit_and},
                                                         {"OR", Kind::bit_or},
                                                         {"MOD", Kind::mod},
                                                         {"DIV", Kind::div},
                                                         {"&", Kind::bit_and},
                                                         {"|", Kind::bit_or},
                                                         {"%", Kind::mod},
                                                         {"/", Kind::div}});

// The operator's part of the text, for the sentence: letters or one sign.
std::string_view operator_part(std::string_view text) {
  const auto end = text.find_first_of("0123456789 ");
  return text.substr(0, end);
}

}  // namespace

Refusal set_collectives(const Argument& given, std::vector<const Collective*>& out) {
  out.clear();
  if (given.text == "all") return {};
  for (const auto& word : split(given.text, ',')) {
    if (word == "all")
      return fmt::format("{}: all stands for every collective: leave the others out, or it.",
                         given.label);
    const auto* row = find_collective(word);
    if (row == nullptr) return unknown_choice("collective", word, names_of_collectives());
    if (std::ranges::find(out, row) != out.end())
      return fmt::format("{} names {} twice: name it once.", given.label, row->name);
    out.push_back(row);
  }
  return {};
}

Refusal set_types(const Argument& given, std::vector<DataType>& out) {
  std::vector<DataType> found;
  for (const auto& row : kDataTypes)
    if (given.text == row.name || given.text == "all") found.push_back(row.type);
  if (!found.empty()) {
    out = std::move(found);
    return {};
  }
  const auto names = names_and_all(kDataTypes);
  for (const auto& [theirs, ours] : kTypeAliases)
    if (theirs == given.text)
      return fmt::format("Unknown data type '{}': choose one of {}. Did you mean '{}'?", theirs,
                         join(names, ", "), ours);
  return unknown_choice("data type", given.text, names);
}

Refusal set_ops(const Argument& given, std::vector<RedOp>& out) {
  std::vector<RedOp> found;
  for (const auto& row : kRedOps)
    if (given.text == row.name || given.text == "all") found.push_back(row.op);
  if (found.empty())
    return unknown_choice("reduction operator", given.text, names_and_all(kRedOps));
  out = std::move(found);
  return {};
}

Refusal set_stop_rule(const Argument& given, StopRule& out) {
  StopRule rule;
  for (const auto& part : split(given.text, ','))
    if (auto refusal = set_stop_part({given.label, part}, rule)) return refusal;
  out = rule;
  return {};
}

Refusal set_skew(const Argument& given, SkewOptions& out) {
  constexpr std::string_view kUniform = "uniform:";
  if (!given.text.starts_with(kUniform)) {
    out = {};
    return set_file(given, out.file);
  }
  const auto time = given.text.substr(kUniform.size());
  constexpr std::array<std::pair<std::string_view, double>, 3> kUnits{
      {{"us", 1}, {"ms", 1e3}, {"s", 1e6}}};
  double most_us = 0;
  for (const auto& [unit, each_us] : kUnits) {
    const auto digits = time.substr(0, time.size() - std::min(unit.size(), time.size()));
    const auto value = time.ends_with(unit) ? parse_number({}, digits) : Failure{};
    if (value && most_us == 0) most_us = *value * each_us;
  }
  if (!(most_us > 0) || most_us > SkewPattern::kMaxUs)
    return fmt::format(
        "{} '{}' has no time at '{}': give one above 0 and up to {:.0f}s, as in uniform:50us or "
        "uniform:1.5ms.",
        given.label, given.text, time, SkewPattern::kMaxUs / 1e6);
  out = {.uniform_us = most_us};
  return {};
}

Refusal set_node_counts(const Argument& given, WholeRange range, std::vector<int>& out,
                        std::string_view of) {
  out.clear();
  for (const auto& part : split(given.text, ',')) {
    if (part.empty())
      return fmt::format("{} '{}' has an empty part between commas: leave one comma out.",
                         given.label, given.text);
    if (!add_counts(part, range, out))
      return fmt::format(
          "{} '{}' has no numbers of {} at '{}': give whole numbers from {} to {}, as in 16, "
          "1,2,8 or 1:4096, a range that doubles.",
          given.label, given.text, of, part, range.first, range.last);
  }
  std::ranges::sort(out);
  out.erase(std::ranges::unique(out).begin(), out.end());
  return {};
}

Refusal set_split(const Argument& given, SplitRule& out) {
  const auto text = lower(given.text);
  const auto* row = std::ranges::find_if(
      kOperators, [&](const auto& choice) { return text.starts_with(lower(choice.text)); });
  if (row == kOperators.end()) {
    std::vector<std::string_view> names;
    for (const auto& choice : kOperators) names.push_back(choice.text);
    return fmt::format(
        "{} Write it in front of a number, as in MOD8.",
        unknown_choice(std::string(given.label) + " operator", operator_part(given.text), names));
  }
  const auto digits = trim(given.text.substr(row->text.size()));
  const bool divides = row->value == Kind::mod || row->value == Kind::div;
  std::uint64_t value = 0;
  const WholeRange range{divides ? 1 : 0, std::numeric_limits<int>::max()};
  if (set_whole({given.label, digits}, range, value))
    return fmt::format("{} '{}' has no usable number: {} takes a whole number from {} to {}.",
                       given.label, given.text, row->text, range.first, range.last);
  out = {.kind = row->value, .value = value};
  return {};
}

Refusal set_split_mask(const Argument& given, SplitRule& out) {
  auto digits = given.text;
  if (digits.starts_with("0x") || digits.starts_with("0X")) digits.remove_prefix(2);
  const auto mask = parse_hex(digits);
  if (!mask)
    return fmt::format("{} '{}' is not a hexadecimal number of up to 64 bits, such as 0x7.",
                       given.label, given.text);
  out = {.kind = Kind::bit_and, .value = *mask};
  return {};
}

Refusal set_load(const Argument& given, LoadOptions& out) {
  using Kind = LoadOptions::Kind;
  constexpr WholeRange kRows{8, 16'384};
  const auto parts = split(given.text, ':');
  const auto& name = parts.front();
  LoadOptions load{.kind = name == "gemm" ? Kind::gemm : Kind::memory};
  if (name != "gemm" && name != "memory") {
    load = {.kind = Kind::collective, .collective = find_collective(name)};
    if (load.collective == nullptr || load.collective->varies)
      return unknown_choice(std::string(given.label), name, names_of_loads());
  }
  const bool calls = load.kind == Kind::collective, multiplies = load.kind == Kind::gemm;
  if (parts.size() > (calls ? 3 : 2))
    return fmt::format("{} '{}' has too many parts: give {}.", given.label, given.text,
                       calls ? "COLLECTIVE:SIZE:SPLIT" : "gemm:N or memory:SIZE");
  load.text = name;
  if (multiplies && parts.size() == 1) {  // the device has its own size
    out = std::move(load);
    return {};
  }
  const std::string_view usual = calls ? "4M" : "64M";
  const Argument size{given.label, parts.size() > 1 ? parts[1] : usual};
  if (auto refusal = multiplies ? set_whole(size, kRows, load.size)
                                : set_read(whole_bytes(size, sizeof(float)), load.size))
    return refusal;
  load.text = fmt::format("{}:{}", calls ? load.collective->name : name, size.text);
  if (parts.size() > 2) {
    if (auto refusal = set_split({given.label, parts[2]}, load.split)) return refusal;
    load.text += fmt::format(":{}", parts[2]);
  }
  out = std::move(load);
  return {};
}

}  // namespace linerate
