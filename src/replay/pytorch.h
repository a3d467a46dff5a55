// What a rank of PyTorch communicated, from its file: of torch.profiler (Kineto's Chrome trace), or
// an execution trace (Chakra's host trace in JSON), where they name collectives: the events and
// nodes record_param_comms. Facts: PyTorch 2.2 to 2.15.
//
//   who writes      profiler: export_chrome_trace(); execution trace: ExecutionTraceObserver
//   when and how long  profiler with GPUs: NCCL's kernels, found by "External id". Else: not told
//   reductions      not told: sum
//   roots           profiler of PyTorch before 2.5: only with record_shapes. Else: rank 0
//   a barrier       an all_reduce of one byte, which is what it costs
#pragma once

#include "base/result.h"
#include "replay/trace.h"

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace linerate::replay {

struct PytorchTrace {
  std::optional<int> rank{};                            // nothing: the file does not tell
  int nranks = 0;                                       // of the job; 0: the file does not tell
  RankTrace calls{};                                    // Call::group is the place in `groups`
  std::vector<std::pair<std::string, Group>> groups{};  // by name
  std::map<std::string, std::size_t> left_out{}, assumed{};  // as those of CommTrace
};

Result<PytorchTrace> read_pytorch(std::string_view text);

}  // namespace linerate::replay
