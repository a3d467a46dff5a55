// What ranks die of or wait for, in the words of launchers, PyTorch and NCCL's own last lines.
#include "diagnose/log/signatures.h"

#include <array>

namespace linerate::logs {
namespace {

constexpr auto kJobRows = std::to_array<Signature>({
    {"rank-killed",
     "exitcode: -9)|exitcode  : -9 |exitcode: 137|Signal 9 (SIGKILL)|signal 9 (Killed)|on "
     "signal 9|Exited with exit code 137",
     Role::origin, true, "a rank was killed, mostly because the host had no more memory",
     "dmesg | grep -i oom on its host; memory limits of the container or of Slurm", "Linux"},
    {"rank-crashed",
     "Segmentation fault|exitcode: -11)|exitcode  : -11 |Signal: Segmentation|signal 11|"
     "Signal 11 (SIGSEGV)|exitcode: -7)|Signal: Bus error|Bus error",
     Role::origin, true, "a rank crashed",
     "its back trace; a bus error is mostly a full /dev/shm, an overflow a stack that is too "
     "large (ulimit -s 8192)",
     "NCCL user guide"},
    {"rank-ended",
     "ignal 15 (SIGTERM)|Signal 15|exitcode: -15)|exitcode  : -15 |sending*SIGTERM|closing "
     "signal",
     Role::consequence, true, "a launcher stopped the rank", "look for the first rank that failed",
     "PyTorch elastic"},
    {"rank-aborted", "exitcode: -6)|exitcode  : -6 |ignal: Aborted|Signal 6 (SIGABRT)|on signal 6",
     Role::consequence, true, "a rank ended itself after a failure", "look at the lines before",
     "PyTorch elastic"},
    {"invalid-usage", "invalid usage|ncclInvalidUsage|ncclInvalidArgument|invalid argument (run",
     Role::consequence, true, "NCCL was called in a way that it forbids",
     "the warning before it says which; NCCL_DEBUG=WARN shows it", "NCCL user guide"},
    {"collective-timeout",
     "caught collective operation timeout|Timeout at NCCL work|collective timeout from",
     Role::consequence, true, "a collective did not end in the time that PyTorch allows",
     "find out what the rank that is behind did instead: py-spy dump, or the flight recorder "
     "(TORCH_NCCL_TRACE_BUFFER_SIZE=2000, TORCH_NCCL_DUMP_ON_TIMEOUT=1)",
     "hiyouga/LlamaFactory#7396, PyTorch flight recorder"},
    {"heartbeat-timeout", "eartbeat monitor timed out|watchdog got stuck|watchdog hang",
     Role::consequence, true,
     "PyTorch's watchdog itself is stuck, in CUDA, NCCL or the interpreter's lock",
     "TORCH_NCCL_HEARTBEAT_TIMEOUT_SEC; py-spy dump of the rank", "PyTorch ProcessGroupNCCL"},
    {"torch-failure",
     "etected by watchdog|watchdog thread terminated|ncclCommAbort|communicator was aborted|"
     "taking the entire process down|ncclRemoteError|ncclInProgress|Aborting*NCCL comm",
     Role::consequence, true, "PyTorch noticed a failure and ended the process",
     "look for the first failure on any rank", "PyTorch ProcessGroupNCCL"},
    {"nccl-failed",
     "unhandled system error|unhandled cuda error|nternal check failed|internal error|"
     "ncclSystemError|ncclUnhandledCudaError|ncclInternalError|Test NCCL failure|Test CUDA "
     "failure|NCCL error in",
     Role::consequence, true, "NCCL reported a failure to its caller",
     "run with NCCL_DEBUG=INFO, and look at every rank's log", "NCCL user guide"},
    {"in-abort", "abort state|comm*abort|been destroyed|commReclaim|sets state|commDestroySync",
     Role::consequence, false, "a communicator was taken down after a failure",
     "look for the first failure on any rank", "NCCL user guide"},
});

}  // namespace

std::span<const Signature> job_signatures() { return kJobRows; }

}  // namespace linerate::logs
