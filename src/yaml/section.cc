#include "yaml/section.h"

#include "base/text.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <vector>

namespace linerate::yaml {
namespace {

// Foreign text as a message may show it.
std::string shown(std::string_view word) {
  constexpr std::size_t kMaxShown = 41;  // with the ellipsis
  return shortened(plain_text(word), kMaxShown);
}

std::string names_of(std::span<const Unit> units) {
  std::vector<std::string_view> names;
  for (const Unit& unit : units) names.push_back(unit.name);
  return join(names, ", ");
}

struct Measured {
  double value = 0;
  const Unit* unit = nullptr;  // null: none of them
};

// "50 GB/s" or "50GB/s"; nothing where it does not begin with a number.
std::optional<Measured> measured(std::string_view text, std::span<const Unit> units) {
  const auto end = std::min(text.find_first_not_of("+-.0123456789eE"), text.size());
  const auto value = parse_number("value", trim(text.substr(0, end)));
  if (!value) return std::nullopt;
  const auto unit = std::ranges::find(units, trim(text.substr(end)), &Unit::name);
  return Measured{*value, unit == units.end() ? nullptr : &*unit};
}

}  // namespace

void Complaints::add(const YAML::Node& node, std::string_view why) { add_at(node.Mark(), why); }

void Complaints::add_at(const YAML::Mark& mark, std::string_view why) {
  if (first_) return;
  const auto where = mark.is_null() ? std::string() : fmt::format(", line {}", mark.line + 1);
  first_ = Failure{fmt::format("{}: {}", where, why)};
}

Section::Section(const YAML::Node& node, std::string name, std::span<const std::string_view> keys,
                 Complaints& complaints)
    : node_(node), name_(std::move(name)), complaints_(complaints) {
  if (!node_.IsMap()) {
    complaints_.add(node_,
                    fmt::format("{} is not a map: its keys are {}.", name_, join(keys, ", ")));
    return;
  }
  std::set<std::string> seen;
  for (const auto& entry : node_) {
    const auto key = entry.first.IsScalar() ? entry.first.Scalar() : std::string();
    if (std::ranges::find(keys, key) == keys.end())
      complaints_.add(entry.first,
                      unknown_choice(fmt::format("key of {}", name_), shown(key), keys));
    if (!seen.insert(key).second)
      complaints_.add(entry.first,
                      fmt::format("{} has the key {} twice: give it once.", name_, shown(key)));
  }
}

std::string Section::label(std::string_view key) const {
  return fmt::format("{} of {}", key, name_);
}

void Section::require(std::string_view key) const {
  if (node_.IsMap() && !has(key)) complaints_.add(node_, fmt::format("{} is missing.", label(key)));
}

std::optional<YAML::Node> Section::value(std::string_view key) const {
  if (node_.IsMap())
    for (const auto& entry : node_)
      if (entry.first.IsScalar() && entry.first.Scalar() == key) return entry.second;
  return std::nullopt;
}

void Section::complain(std::string_view key, std::string_view why) const {
  complaints_.add(value(key).value_or(node_), fmt::format("{} {}", label(key), why));
}

std::optional<std::string> Section::scalar(std::string_view key) const {
  const auto found = value(key);
  if (!found) return std::nullopt;
  if (found->IsScalar()) return found->Scalar();
  complain(key, "is not a single value.");
  return std::nullopt;
}

void Section::whole(std::string_view key, const Bounds& bounds, int& into) const {
  const auto given = scalar(key);
  if (!given) return;
  const auto number = parse_integer("value", *given);
  if (number && static_cast<double>(*number) >= bounds.least &&
      static_cast<double>(*number) <= bounds.most)
    into = static_cast<int>(*number);
  else
    complain(key, fmt::format("is '{}': a whole number from {} to {} is needed.", shown(*given),
                              bounds.least, bounds.most));
}

void Section::number(std::string_view key, const Bounds& bounds, double& into) const {
  const auto given = scalar(key);
  if (!given) return;
  const auto number = parse_number("value", *given);
  if (number && *number >= bounds.least && *number <= bounds.most)
    into = *number;
  else
    complain(key, fmt::format("is '{}': a number from {} to {} is needed.", shown(*given),
                              bounds.least, bounds.most));
}

void Section::quantity(std::string_view key, std::span<const Unit> units, const Bounds& bounds,
                       double& into) const {
  const auto given = scalar(key);
  if (!given) return;
  const auto found = measured(*given, units);
  if (!found || found->unit == nullptr)
    return complain(key, fmt::format("is '{}': a number with its unit is needed, one of {}.",
                                     shown(*given), names_of(units)));
  const double value = found->value * found->unit->factor;
  if (value < bounds.least || value > bounds.most)
    return complain(key, fmt::format("is '{}': it must be from {} to {} {}.", shown(*given),
                                     bounds.least, bounds.most, units.front().name));
  into = value;
}

void Section::text(std::string_view key, std::string& into) const {
  if (auto given = scalar(key)) into = std::move(*given);
}

}  // namespace linerate::yaml
