// What the command line asks of GPUs, and of the library that moves their data.
#pragma once

#include <optional>

namespace linerate {

// Of a rank that shares its GPU (--oversubscribe): the kernels of all sharers wait for each other,
// so that they must fit the GPU at once.
inline constexpr int kMaxSharedCtas = 4;

// Refused (exit 5) where the backend has no GPU and they are not at their default.
struct GpuOptions {
  int cudagraph = 0;                 // -G: launches of the captured iterations; 0: no graph
  int local_register = 0;            // -R: 0 none, 1 each buffer for itself, 2 symmetric windows
  std::optional<int> cta_policy{};   // -x
  int device_implementation = 0;     // -D
  std::optional<int> device_ctas{};  // -V
  bool stream_null = false;          // -y
  bool parallel_init = false;        // -p
  bool nccl_tests_config = false;    // --nccl-tests-config
  int max_p2p_peers = 0;             // that nccl-tests would set too; 0: none
  bool oversubscribe = false;        // --oversubscribe: several ranks may have one GPU
};

}  // namespace linerate
