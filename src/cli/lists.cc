// Values that name types, operators or stopping rules; see values.h.
#include "base/units.h"
#include "cli/values.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace linerate {
namespace {

// What other tools call our types; a guess by spelling would say bfloat16 for float16.
struct Alias {
  std::string_view theirs;
  std::string_view ours;
};
constexpr auto kTypeAliases = std::to_array<Alias>({
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

std::string_view alias_of(std::string_view theirs) {
  const auto row = std::ranges::find_if(kTypeAliases,
                                        [&](const Alias& alias) { return alias.theirs == theirs; });
  return row == kTypeAliases.end() ? std::string_view{} : row->ours;
}

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

}  // namespace

Refusal set_types(const Argument& given, std::vector<DataType>& out) {
  std::vector<DataType> found;
  for (const auto& row : kDataTypes)
    if (given.text == row.name || given.text == "all") found.push_back(row.type);
  if (!found.empty()) {
    out = std::move(found);
    return {};
  }
  const auto names = names_and_all(kDataTypes);
  if (const auto ours = alias_of(given.text); !ours.empty())
    return fmt::format("Unknown data type '{}': choose one of {}. Did you mean '{}'?", given.text,
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

}  // namespace linerate
