// The layout that a training goes on with where fewer ranks are left than it was asked for with.
#pragma once

#include "trainers/engine/config.h"

#include <string>

namespace linerate::trainers {

struct Replan {
  TrainConfig config{};
  int nranks = 0;  // that take part: not always all that are left
};

// Of `left` ranks, for a training that was asked for with `asked` ranks:
//
// 1. --tp, --cp and --pp stay, and fewer ranks are data-parallel, as long as there is one at all.
// 2. Else they get smaller: of all that mesh_refusal() accepts, those that use most of the ranks;
//    of these those under which a rank holds least of the model (largest tp x pp), then of a
//    sequence (largest cp), then those with the largest tp.
// 3. --shard-size stays where it divides the data-parallel ranks; else all of them are one group.
// 4. A micro-batch has as many sequences as with all ranks, so that activations take no more
//    memory; a rank has more micro-batches.
//
// REQUIRES: mesh_refusal(config, asked) has none, and left is from 1 to asked.
Replan replanned(const TrainConfig& config, int asked, int left);

// "tp 2, cp 1, pp 1, dp 3".
std::string layout_text(const Replan& plan);

// How the micro-batches of a step are spread: "8 micro-batches of 1 sequences, 3 for 2 of the 3
// data-parallel ranks and 2 for the others".
std::string accumulation_text(const Replan& plan);

}  // namespace linerate::trainers
