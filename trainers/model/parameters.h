// The one table of a model's parameters, from which initial values, shards, checkpoints, norms,
// byte counts and memory follow.
//
// Parameters lie in units, in the order in which forward uses them: unit 0 is the embeddings, unit
// 1 to `layers` are the blocks, the last one is the final norm. A unit is one flat array; each
// parameter is a range of it. Backward writes the gradients of units from the last to the first.
#pragma once

#include "trainers/layout/placement.h"
#include "trainers/model/config.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace linerate::trainers {

struct Parameter {
  enum class Initial : std::uint8_t { normal, ones, zeros };

  std::string name{};  // "block3.mlp.up.weight"
  // Of a projection [out, in]: y = x W^T. Rows of qkv are all queries' heads, then all keys', then
  // all values'; those of gate_up all of the gate, then all of up.
  std::vector<std::size_t> shape{};
  std::size_t unit = 0;
  std::size_t offset = 0;  // of its first element within the unit
  Initial initial = Initial::normal;
  double deviation = 0;  // of normal values
  bool decays = false;   // takes part in weight decay: matrices do

  std::size_t count() const;  // product of the shape
};

// Where the state of the parameters lies on a mesh of ranks, between two steps. Data-parallel axes
// place what is communicated at once, a run of whole units as one flat array, whatever parameters
// lie in it. Partial gradients are a whole array, in which each rank has the sums of what it steps.
struct StatePlacements {
  Placements parameters{}, gradients{};
  Placements optimizer{};  // masters and moments: what a rank steps
};

struct ParameterTable {
  std::vector<Parameter> parameters{};     // by unit, then by offset
  std::vector<std::size_t> unit_counts{};  // elements of each unit
  Mesh mesh{};                             // of parameters_of(): one rank, no axes
  StatePlacements placements{};

  std::size_t units() const { return unit_counts.size(); }
  std::size_t count() const;  // of all units
  // Elements of the units before this one: its first element's index among all.
  std::size_t unit_begin(std::size_t unit) const;
  // Of the parameter with this name; nothing where there is none.
  std::optional<std::size_t> index_of(std::string_view name) const;
};

// GPT-2's initial values (Radford et al. 2019): deviation 0.02, that of projections into the
// residual stream divided by sqrt(2 * layers).
ParameterTable parameters_of(const ModelConfig& model);

// The initial value of an element: a pure function of the seed, the parameter's place in the table
// and the element's index in it, whatever rank asks.
double initial_value(const ParameterTable& table, std::size_t parameter, std::size_t index,
                     std::uint64_t seed);

}  // namespace linerate::trainers
