// Trace files, put together.
#pragma once

#include "replay/pytorch.h"
#include "replay/trace.h"

#include <string>
#include <utility>
#include <vector>

namespace linerate::replay {

// One file of --trace-comm, or a file of PyTorch for each rank, in any order where they tell their
// rank, else in that of the ranks. Files may be compressed by gzip. The sentence names the file.
Result<CommTrace> read_traces(const std::vector<std::string>& paths);

// The trace of a job from those of its ranks, by the names of their files.
Result<CommTrace> joined(std::vector<std::pair<std::string, PytorchTrace>> files);

// What gzip has packed, also in several pieces; a sentence where it is cut, damaged or longer than
// `most_bytes`, without the name of the file.
Result<std::string> unpacked(std::string_view gzip, std::size_t most_bytes);

}  // namespace linerate::replay
