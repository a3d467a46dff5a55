// The mesh of a training job, ranks along the axes tensor, data and pipeline parallel, and what a
// transformer's training sends along each axis in one step.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace linerate::topo {

enum class Axis : std::uint8_t { tp, dp, pp };
inline constexpr std::size_t kAxes = 3;
inline constexpr std::array<Axis, kAxes> kAllAxes{Axis::tp, Axis::dp, Axis::pp};

std::string_view name_of(Axis axis);  // "tp"

// How many ranks stand along each axis, by Axis.
struct Mesh {
  std::array<int, kAxes> sizes{1, 1, 1};

  int size(Axis axis) const { return sizes[static_cast<std::size_t>(axis)]; }
  int nranks() const { return sizes[0] * sizes[1] * sizes[2]; }
};

// Innermost first: neighbours by rank are neighbours on the first axis.
using AxisOrder = std::array<Axis, kAxes>;

// All orders that number the ranks differently: axes of one rank stand behind the others.
std::vector<AxisOrder> orders_of(const Mesh& mesh);

// Those with more than one rank, outermost first: "pp dp tp"; "none" where there are none.
std::string outermost_first(const Mesh& mesh, const AxisOrder& order);

// How far ranks that are neighbours on `axis` are apart.
int stride_of(const Mesh& mesh, const AxisOrder& order, Axis axis);

// Where the rank stands on the axis.
int coordinate_of(const Mesh& mesh, const AxisOrder& order, Axis axis, int rank);

// A dense transformer, trained with 1F1B pipelines. The defaults are a model of 7 billion
// parameters in 16 bits.
struct Workload {
  double params = 7e9;
  int layers = 32;
  int hidden = 4096;
  int seq = 4096;         // tokens of a sample
  int micro_batch = 1;    // samples that pass the pipeline together
  int micro_batches = 8;  // of a step, for each replica
  int bytes_per_element = 2;
};

// Equal calls, one after the other.
struct AxisTraffic {
  double calls = 0;
  std::size_t bytes = 0;  // of one call
};

// tp: four all_reduces of the activations for each layer and micro-batch, two forward and two
//     backward (Megatron-LM, arXiv:1909.08053, section 3), of a stage's layers, rounded up.
// dp: one all_reduce of a rank's gradients, params / (tp pp).
// pp: activations forward and their gradients backward, a message each way for each micro-batch.
// Activations: micro_batch x seq x hidden elements. No calls where the axis has one rank.
AxisTraffic traffic_of(const Workload& workload, const Mesh& mesh, Axis axis);

}  // namespace linerate::topo
