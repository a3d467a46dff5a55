// Strict reading of one YAML map: every key once, known, and of the kind that is asked for.
#pragma once

#include "base/result.h"

#include <yaml-cpp/yaml.h>

#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace linerate::yaml {

// What is wrong with a document: the first complaint stays. Used by one thread.
class Complaints {
 public:
  // ", line 3: WHY" of the place where `node` stands.
  void add(const YAML::Node& node, std::string_view why);
  void add_at(const YAML::Mark& mark, std::string_view why);
  const std::optional<Failure>& first() const { return first_; }

 private:
  std::optional<Failure> first_;
};

struct Bounds {
  double least = 0;
  double most = 0;
};

// A unit and what one of it is in the unit that is read into.
struct Unit {
  std::string_view name;
  double factor;
};
inline constexpr Unit kRateUnits[] = {
    {"GB/s", 1}, {"MB/s", 1e-3}, {"Gbit/s", 0.125}, {"Mbit/s", 0.125e-3}};    // to GB/s
inline constexpr Unit kTimeUnits[] = {{"us", 1}, {"ns", 1e-3}, {"ms", 1e3}};  // to us

// A map named `name` in sentences ("nic"). A getter leaves `into` alone where the key is absent,
// and complains where it is wrong.
class Section {
 public:
  // Complains of anything but a map with keys out of `keys`.
  Section(const YAML::Node& node, std::string name, std::span<const std::string_view> keys,
          Complaints& complaints);

  bool has(std::string_view key) const { return value(key).has_value(); }
  void require(std::string_view key) const;
  std::optional<YAML::Node> value(std::string_view key) const;

  void whole(std::string_view key, const Bounds& bounds, int& into) const;
  void number(std::string_view key, const Bounds& bounds, double& into) const;
  // "50 GB/s"; the unit is not left out.
  void quantity(std::string_view key, std::span<const Unit> units, const Bounds& bounds,
                double& into) const;
  void text(std::string_view key, std::string& into) const;

  // Complains of a value, or of the whole map where there is none.
  void complain(std::string_view key, std::string_view why) const;

 private:
  std::string label(std::string_view key) const;
  // The text of a scalar; nothing where it is absent or, after a complaint, something else.
  std::optional<std::string> scalar(std::string_view key) const;

  YAML::Node node_;
  std::string name_;
  Complaints& complaints_;
};

}  // namespace linerate::yaml
