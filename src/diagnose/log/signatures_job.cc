// What ranks die of or wait for, in the words of launchers, PyTorch and NCCL's own last lines.
#include "diagnose/log/signatures.h"

#include <array>

namespace linerate::logs {
namespace {

constexpr auto kJobRows = std::to_array<Signature>({
    {"node-failed", "CANCELLED AT*DUE TO NODE FAILURE", Role::origin, Lines::any,
     "a node of the job failed", "sinfo -R says why; leave the node out (--exclude)", "Slurm"},
    {"rank-killed",
     "exitcode: -9)|exitcode  : -9 |exitcode: 137)|exitcode  : 137 |Signal 9 (SIGKILL)|"
     "signal 9 (Killed)|Killed (signal 9)|Exited with exit code 137|srun: error*: Killed|"
     "line *Killed|Killed process|OOM Killed|Detected*oom_kill|Detected*oom-kill",
     Role::origin, Lines::any, "a rank was killed, mostly because the host had no more memory",
     "run dmesg | grep -i oom on its host; raise the memory limit of the container or of Slurm",
     "Linux, Slurm"},
    {"rank-crashed",
     "Segmentation fault|exitcode: -11)|exitcode  : -11 |Signal 11 (SIGSEGV)|"
     "Exited with exit code 139|exitcode: -7)|exitcode  : -7 |Bus error",
     Role::origin, Lines::any, "a rank crashed",
     "look at its back trace; a bus error is mostly a full /dev/shm, an overflow a stack that is "
     "too large (ulimit -s 8192)",
     "NCCL user guide"},
    {"job-ended", "CANCELLED AT*DUE TO TIME LIMIT|CANCELLED AT*DUE TO PREEMPTION", Role::vague,
     Lines::any, "Slurm ended the job: its time was over, or another job took its place",
     "ask for more time (--time), or look for what the ranks waited for until then", "Slurm"},
    {"rank-ended",
     "ignal 15 (SIGTERM)|eceived*SIGTERM|exitcode: -15)|exitcode  : -15 |closing signal SIG|"
     "CANCELLED AT",
     Role::consequence, Lines::any, "a launcher stopped the rank",
     "look for the first rank that failed", "PyTorch elastic, Slurm"},
    {"rank-aborted",
     "exitcode: -6)|exitcode  : -6 |Signal: Aborted|Signal 6 (SIGABRT)|signal 6 (Aborted)|"
     "Aborted (core dumped)|Exited with exit code 134",
     Role::consequence, Lines::any, "a rank ended itself after a failure",
     "look at the lines before", "PyTorch elastic"},
    {"invalid-usage",
     "CCL*invalid usage|CCL*invalid argument (run|ncclInvalidUsage|ncclInvalidArgument",
     Role::consequence, Lines::any, "NCCL was called in a way that it forbids",
     "look at the warning before it, which NCCL_DEBUG=WARN shows", "NCCL user guide"},
    {"collective-timeout",
     "caught collective operation timeout: WorkNCCL|Timeout at NCCL work|"
     "CCL*due to a collective timeout from",
     Role::consequence, Lines::any, "a collective did not end in the time that PyTorch allows",
     "find out what the rank that is behind did instead: py-spy dump, or the flight recorder "
     "(TORCH_NCCL_TRACE_BUFFER_SIZE=2000, TORCH_NCCL_DUMP_ON_TIMEOUT=1)",
     "hiyouga/LlamaFactory#7396, PyTorch flight recorder"},
    {"heartbeat-timeout", "CCL*eartbeat monitor timed out|CCL*watchdog got stuck|CCL*watchdog hang",
     Role::consequence, Lines::any,
     "PyTorch's watchdog itself is stuck, in CUDA, NCCL or the interpreter's lock",
     "py-spy dump shows where the rank is; TORCH_NCCL_HEARTBEAT_TIMEOUT_SEC gives it more time",
     "PyTorch ProcessGroupNCCL"},
    {"torch-failure",
     "CCL*etected by watchdog|CCL*watchdog thread terminated|NCCL communicator was aborted|"
     "CCL*taking the entire process down|ncclRemoteError|NCCLABORTEDCOMM",
     Role::consequence, Lines::any, "PyTorch noticed a failure and ended the process",
     "look for the first failure on any rank", "PyTorch ProcessGroupNCCL"},
    {"nccl-failed",
     "CCL*unhandled system error|CCL*unhandled cuda error|CCL*nternal check failed|"
     "CCL*internal error|ncclSystemError|ncclUnhandledCudaError|ncclInternalError|"
     "Test NCCL failure|Test CUDA failure|NCCL error in",
     Role::consequence, Lines::any, "NCCL reported a failure to its caller",
     "run with NCCL_DEBUG=INFO, and look at every rank's log", "NCCL user guide"},
    {"in-abort", "abort state|comm*abort|been destroyed|commReclaim|sets state|commDestroySync",
     Role::consequence, Lines::warnings, "a communicator was taken down after a failure",
     "look for the first failure on any rank", "NCCL user guide"},
});

}  // namespace

std::span<const Signature> job_signatures() { return kJobRows; }

}  // namespace linerate::logs
