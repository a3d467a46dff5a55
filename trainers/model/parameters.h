// The one table of a model's parameters, from which initial values, shards, checkpoints, norms,
// byte counts and memory follow.
//
// Parameters lie in units, in the order in which forward uses them: unit 0 is the embeddings, unit
// 1 to `layers` are the blocks, the last one is the final norm. A unit is one flat array; each
// parameter is a range of it. Backward writes the gradients of units from the last to the first.
#pragma once

#include "model/training_flops.h"
#include "trainers/layout/placement.h"
#include "trainers/model/config.h"
#include "trainers/model/tensor_parallel.h"

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
  std::size_t number = 0;  // in the table of the whole model
  std::size_t unit = 0;
  std::size_t offset = 0;  // of its first element within the unit
  Initial initial = Initial::normal;
  double deviation = 0;  // of normal values
  bool decays = false;   // takes part in weight decay: matrices do

  // Tensor parallelism: the parameter is a rank's part of one of `whole_shape`, cut along dimension
  // `cut`, in which several matrices may lie joined, each cut by itself. None: all ranks hold it.
  struct Piece {
    std::size_t whole = 0;   // elements along the dimension, of all ranks
    std::size_t origin = 0;  // of this rank's first one, along the whole dimension
    std::size_t count = 0;   // of this rank
  };
  std::vector<std::size_t> whole_shape{};
  std::size_t cut = 0;
  std::vector<Piece> pieces{};

  std::size_t count() const;  // product of the shape
  std::size_t whole_count() const;
  // Of its last elements: another tensor-parallel rank, which holds them too, counts and saves
  // them.
  std::size_t uncounted = 0;
  // Of its last rows, those of key and value heads that other ranks have copies of.
  std::size_t copied_rows = 0;
  bool is_cut_along(std::size_t dim) const { return !pieces.empty() && cut == dim; }
  // Of elements [index, index + count) of this rank's part, those that lie in a row in the whole
  // parameter, too, from the first one on: where they begin there, and how many.
  Range whole_range(std::size_t index, std::size_t count) const;
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
  // The token embeddings, which the head is tied to, where units_of() left them out.
  std::optional<Parameter> tied{};
  Mesh mesh{};  // of parameters_of(): one rank, no axes
  StatePlacements placements{};

  std::size_t units() const { return unit_counts.size(); }
  std::size_t count() const;  // of all units
  // Elements of the units before this one: its first element's index among all.
  std::size_t unit_begin(std::size_t unit) const;
  // Of the parameter with this name; nothing where there is none.
  std::optional<std::size_t> index_of(std::string_view name) const;
};

// GPT-2's initial values (Radford et al. 2019): deviation 0.02, that of projections into the
// residual stream divided by sqrt(2 * layers). `share`: the part of a tensor-parallel rank.
ParameterTable parameters_of(const ModelConfig& model, const TensorShare& share = {});

// What its operations are counted from, with all parameters.
DecoderSizes decoder_sizes(const ModelConfig& model);

// A run of a whole model's units: a pipeline's chunk of it.
ParameterTable units_of(const ParameterTable& whole, const Range& units);

// The initial value of an element: a pure function of the seed, the parameter's place in the model
// and the element's index in the whole of it, whatever rank asks for its part.
double initial_value(const ParameterTable& table, std::size_t parameter, std::size_t index,
                     std::uint64_t seed);

}  // namespace linerate::trainers
