// What ranks die of or wait for, in the words of launchers, PyTorch and NCCL's own last lines.
#include "diagnose/log/signatures.h"

#include <array>

namespace linerate::logs {
namespace {

constexpr auto kJobRows = std::to_array<Signature>({
    {"cuda-failure",
     "CCL*terminated with exception: CUDA error|CCL*terminated with exception: HIP error",
     Role::vague, Lines::any},
    {"of-a-traceback", "raise *Error(", Role::harmless, Lines::any, "", "", ""},
    {"download-failed",
     "HTTPSConnectionPool|HTTPConnectionPool|requests.exceptions|urllib3.exceptions|"
     "huggingface_hub*Error|botocore.exceptions|aiohttp.client",
     Role::vague, Lines::exceptions,
     "a request over HTTP failed: a download, an upload, or a service such as wandb",
     "the line names the address: does this host reach it (curl -I ADDRESS, https_proxy)? "
     "HF_HUB_OFFLINE=1 and WANDB_MODE=offline do without",
     "Hugging Face, wandb"},
    {"node-failed",
     "CANCELLED AT*DUE TO NODE FAILURE|error: Node failure on|has been marked dead|failed, "
     "rescheduling the|failed, reconstructing|'s node has crashed",
     Role::origin, Lines::any, "a node of the job failed",
     "Slurm: sinfo -R says why; leave the node out (--exclude). Ray: raylet.out of that node, its "
     "load and its memory",
     "Slurm, Ray"},
    {"rank-killed",
     "OOMKilled|OOM Killed|Detected*oom_kill|Detected*oom-kill|srun: error*: Out Of Memory|"
     "Exceeded*memory limit|xceeded*memory budget|invoked oom-killer|ut of memory: Kill|running "
     "low on memory|killed due to memory pressure|TERM_MEMLIMIT",
     Role::origin, Lines::any, "a rank was killed, mostly because the host had no more memory",
     "run dmesg | grep -i oom on its host; raise the memory limit of the container or of Slurm",
     "Linux, Slurm"},
    {"rank-ended", "forcefully exiting via|line *: * Terminated ", Role::relay, Lines::any},
    {"rank-killed", "[*]+  Killed |[*]-  Killed ", Role::killed, Lines::any},
    {"rank-killed",
     "exitcode*: -9|with exit code 137|exits with return code = -9|exitcode: 137)|exitcode  : 137 "
     "|Signal 9 (SIGKILL)|signal 9 (Killed)|Killed (signal 9)|srun: error*: Killed|line "
     "*Killed|Killed process|<stderr>:Killed|ed with exitcode=137|ed with exitcode=-9|by signal: "
     "Killed|signal SIGKILL|SIGNAL: 9|terminated with code -9|Exit Code:    137|exit status "
     "137|Signals.SIGKILL|died from signal 9|terminated with signal 9|killed by signal 9|EXIT "
     "CODE: 9|EXIT CODE: 137",
     Role::killed, Lines::any},
    {"rank-crashed",
     "Signal: Segmentation fault|Signal: Bus error|Python error: Segmentation|Python error: Bus|"
     "Caught signal 11|Caught signal 7|Caught signal 8|egfault encountered|double free|free(): "
     "|malloc(): |corrupted size|stack smashing|corrupted double",
     Role::crash, Lines::any, "a rank crashed",
     "look at its back trace; a bus error is mostly a full /dev/shm", "NCCL user guide"},
    // OpenFOAM says that it would be told of one.
    {"rank-crashed", "Floating point exception trapping", Role::harmless, Lines::any, "", "", ""},
    {"rank-crashed",
     "Segmentation fault|segfault at|general protection fault|Signal 7 (SIGBUS)|exits with return "
     "code = -11|exits with return code = -7|exitcode*: -11|Signal 11 (SIGSEGV)|Exited with exit "
     "code 139|exitcode*: -7|Bus error|Illegal instruction|Floating point exception|(SIGFPE)|"
     "(SIGILL)|signal SIGSEGV|signal SIGBUS|SIGNAL: 11|exitcode -11|exitcode: 139)|exitcode=-11|"
     "Unexpected bus error|terminated with code -11|terminated with code -7|exitcode 139|exit "
     "status 139|Exit Code:    139|died from signal 11|died from signal 7|killed by signal 11|EXIT "
     "CODE: 11|EXIT CODE: 139|Signals.SIGSEGV|Signals.SIGBUS|SIGSEGV (@|pure virtual "
     "method called|received signal SIGSEGV|received signal SIGBUS|received signal SIGFPE|received "
     "signal SIGILL|terminated with signal 11|Caught signal number 11|SIGSEGV, segmentation",
     Role::signalled, Lines::any},
    {"job-ended", "CANCELLED AT*DUE TO TIME LIMIT|walltime*xceeded|TERM_RUNLIMIT", Role::vague,
     Lines::any, "the scheduler ended the job: its time was over",
     "if it went on until then, ask for more time (--time); else look for what the ranks waited "
     "for since the last step",
     "Slurm, PBS, LSF"},
    {"job-preempted", "CANCELLED AT*DUE TO PREEMPTION", Role::vague, Lines::any,
     "the scheduler ended the job: another one took its place",
     "write checkpoints and let it begin again (--requeue), or use a partition without preemption",
     "Slurm"},
    {"job-cancelled", "CANCELLED AT", Role::relay, Lines::any,
     "Slurm cancelled the job or the step: somebody did by scancel, or a rank had ended",
     "sacct -j JOB tells which; look for a rank that failed before it", "Slurm"},
    {"terminal-closed", "eceived 1 death signal|SIGHUP death signal|closing signal SIGHUP",
     Role::vague, Lines::any,
     "the terminal or the ssh session closed in which the launcher ran (SIGHUP); nohup does not "
     "protect torchrun, which handles that signal itself",
     "start it in tmux or screen, by setsid, or as a batch job", "PyTorch elastic"},
    {"launcher-stopped", "death signal, shutting down", Role::relay, Lines::any,
     "the launcher itself was told to end, from outside: by a scheduler, a user or another program",
     "squeue, sacct or kubectl describe pod tell whether the scheduler did; else look at the log "
     "of what started the launcher",
     "PyTorch elastic"},
    {"rank-ended",
     "Caught signal number 15|ignal 15 (SIGTERM)|eceived*SIGTERM|exitcode*: -15|closing signal "
     "SIG|srun: error*: Terminated|(Termination signal)|died from signal 15|killed (SIGTERM)",
     Role::relay, Lines::any, "a launcher stopped the rank", "look for the first rank that failed",
     "PyTorch elastic, Slurm"},
    {"rank-aborted",
     "Called*Abort |exitcode*: -6|exits with return code = -6|Signal: Aborted|Signal 6 (SIGABRT)|"
     "signal 6 (Aborted)|Aborted (core dumped)|terminate called without|Signals.SIGABRT|Exited "
     "with exit code 134|received signal SIGABRT|died from signal 6|killed by signal 6|EXIT CODE: "
     "6|EXIT CODE: 134|Abort trap|internal ABORT - process",
     Role::exit, Lines::any, "a rank ended itself after a failure", "look at the lines before",
     "PyTorch elastic"},
    {"credential-refused",
     "nvalid job credential|redential replayed|unge decode failed|unge encode failed|xpired "
     "credential|ewound credential|rotocol authentication error",
     Role::fault, Lines::errors,
     "a daemon of Slurm refused the credential of another: their clocks differ, they have not the "
     "same munge.key, or munged does not run",
     "compare date and /etc/munge/munge.key of the hosts; munge -n | ssh HOST unmunge tries it",
     "Slurm, munge"},
    // What ncclras prints. Ranks follow in indented lines.
    {"ras-data-missing", "Missing communicator data from", Role::vague, Lines::any,
     "NCCL's RAS got no answer from ranks: they ended, hang in the kernel, or have not begun",
     "look at the processes that it names: their log's end, py-spy dump, dmesg",
     "NVIDIA/nccl user guide: RAS"},
    {"ras-counts-differ", "ranks have different*operation counts", Role::vague, Lines::any,
     "NCCL's RAS saw ranks that have launched fewer collectives than others: those that are behind "
     "are late, stuck, or went another way through the program",
     "ask again to see whether they move (linerate doctor hang does); py-spy dump shows where one "
     "that is behind is",
     "NVIDIA/nccl user guide: RAS"},
    {"ras-states-differ", "ranks have different status", Role::vague, Lines::any,
     "NCCL's RAS saw ranks of a communicator in different states: some have not begun, or have "
     "ended it",
     "look at the ranks of the rarer state", "NVIDIA/nccl user guide: RAS"},
    {"ras-process-dead", "considered dead (unreachable", Role::vague, Lines::any,
     "NCCL's RAS does not reach processes of the job any more", "did they, or their hosts, end?",
     "NVIDIA/nccl user guide: RAS"},
    {"store-of-another-job", "store based barrier*worker_count=", Role::fault, Lines::any,
     "more workers came to PyTorch's store than the job has ranks: an earlier job or another one "
     "uses the same address and port, or the store's file",
     "end what is left of it; give each job its own MASTER_PORT or --rdzv-id, and remove the file "
     "of file://",
     "ultralytics/yolov5#4409"},
    {"nccl-unusable", "have NCCL built in|ProcessGroupNCCL is only supported with GPUs",
     Role::fault, Lines::any, "this PyTorch has no NCCL, or it sees no GPU",
     "install PyTorch for CUDA on Linux; nvidia-smi shows whether there are GPUs; else take gloo",
     "open-mmlab/mmsegmentation#1787"},
    {"collectives-differ", "Detected mismatch between collectives on ranks|Error type: *MISMATCH",
     Role::fault, Lines::any,
     "ranks called different collectives, or with other shapes: the line says which",
     "look for a branch that not all ranks take, or data that ends earlier on some",
     "PyTorch: TORCH_DISTRIBUTED_DEBUG=DETAIL"},
    {"unused-parameters", "Expected to have finished reduction in the prior iteration", Role::fault,
     Lines::any, "a parameter of the model got no gradient, so its reduction never began",
     "give DistributedDataParallel find_unused_parameters=True, or leave the parameter out",
     "PyTorch DistributedDataParallel"},
    {"rank-restarted", "with a different incarnation", Role::fault, Lines::errors,
     "a rank was started again while the others went on, as after a crash or an eviction",
     "look for why it ended the first time; start all ranks of the job anew", "google/grain#802"},
    {"pytorch-bug", "CCL*INTERNAL ASSERT FAILED", Role::fault, Lines::any,
     "PyTorch met a state that it holds impossible: a bug of this version",
     "look the line up in PyTorch's issues; try another version, without NCCL_DESYNC_DEBUG",
     "pytorch/pytorch#105287"},
    {"job-not-started",
     "aborted before step|Unable to create step|Unable to allocate resources|nvalid generic "
     "resource|FailedScheduling|FailedPlacement|FailedCreate|FailedMount|FailedAttach|"
     "ImagePullBackOff|ErrImage|CreateContainer*Error|AdmissionError|The node was low on resource|"
     "OCI runtime create failed|ailed to start container|ailed to create shim|ailed to create "
     "containerd task|sbatch: error: |salloc: error: |srun: fatal: |failed to distribute tasks|"
     "node types can fulfill",
     Role::fault, Lines::any, "the scheduler could not start a part of the job",
     "look at what was asked for (GPUs, memory, image, volumes), and at what the nodes have",
     "Slurm, Kubernetes, Ray"},
    {"job-not-started", "Failed to schedule placement group|cannot be scheduled right now",
     Role::suspect, Lines::any},
    // What comes of a reason that another line gives.
    {"job-not-started", "Task launch*failed|task*launch failed|ontainer start failed", Role::report,
     Lines::any},
    {"wrong-results", "Out of bounds values*FAILED", Role::fault, Lines::any,
     "a benchmark got wrong data: a GPU, a link or a driver corrupts it",
     "try NCCL_P2P_DISABLE=1 and NCCL_NET_GDR_LEVEL=LOC; look at ECC and link errors",
     "NVIDIA/nccl-tests"},
    {"rendezvous-unreachable", "client socket has timed out", Role::fault, Lines::any,
     "a host does not reach the address of PyTorch's rendezvous",
     "start torchrun on the host that --rdzv-endpoint or MASTER_ADDR names, open its port in the "
     "firewall, and check that the name means the same address on all hosts",
     "pytorch/pytorch#79388"},
    {"rendezvous-unreachable", "RendezvousConnectionError|the C10d store has failed", Role::vague,
     Lines::any},
    {"gloo-unreachable", "connectFullMesh*failed|loo*onnect*failed|loo*onnect*timed out",
     Role::fault, Lines::reports,
     "ranks could not connect by Gloo, PyTorch's way over sockets, which also NCCL's jobs use",
     "set GLOO_SOCKET_IFNAME=<the interface that reaches the others>; a hostname that means "
     "127.0.0.1 on its own host is the usual cause",
     "sgl-project/sglang#3226"},
    {"port-in-use", "failed to bind*Address already in use|server socket has failed to listen",
     Role::fault, Lines::any,
     "a port that the job is to listen at is in use: by an earlier job, or by a second launcher or "
     "task on the same host",
     "end what holds it (ss -ltnp), or take another port (PyTorch: MASTER_PORT, --rdzv-endpoint)",
     "pytorch/pytorch#116974"},
    {"unique-id-timeout", "retrieving ncclUniqueId*got error|retreiving ncclUniqueId*got error",
     Role::vague, Lines::any,
     "rank 0 of the group did not say in time where to connect: it is behind, failed or never came",
     "what did rank 0 do until then, and do all ranks make the same groups in the same order?",
     "hiyouga/LlamaFactory#3698, pytorch/pytorch#82091"},
    {"peer-closed", "CCL*remote process exited", Role::consequence, Lines::any},
    {"invalid-usage",
     "CCL*invalid usage|CCL*invalid argument (run|ncclInvalidUsage|ncclInvalidArgument",
     Role::consequence, Lines::any, "NCCL was called in a way that it forbids",
     "look at the warning before it, which NCCL_DEBUG=WARN shows", "NCCL user guide"},
    {"collective-timeout",
     "caught collective operation timeout: WorkNCCL|Timeout at NCCL work|CCL*due to a collective "
     "timeout from|CCL*flight recorder dump signal|Test timeout",
     Role::consequence, Lines::any, "a collective did not end in the time that PyTorch allows",
     "find out what the rank that is behind did instead: py-spy dump, or the flight recorder "
     "(TORCH_NCCL_TRACE_BUFFER_SIZE=2000, TORCH_NCCL_DUMP_ON_TIMEOUT=1)",
     "hiyouga/LlamaFactory#7396, PyTorch flight recorder"},
    {"collective-timeout", "DeepEP*timeout", Role::consequence, Lines::any},
    // Torn.
    {"collective-timeout", "atchdog caught coll", Role::consequence, Lines::reports},
    {"heartbeat-timeout", "CCL*eartbeat monitor timed out|CCL*watchdog got stuck|CCL*watchdog hang",
     Role::consequence, Lines::any,
     "PyTorch's watchdog itself is stuck, in CUDA, NCCL or the interpreter's lock",
     "py-spy dump shows where the rank is; TORCH_NCCL_HEARTBEAT_TIMEOUT_SEC gives it more time",
     "PyTorch ProcessGroupNCCL"},
    {"of-a-traceback", "CCL*Stack trace of the failed coll|CCL*preparing to dump debug",
     Role::harmless, Lines::any, "", "", ""},
    {"torch-failure",
     "CCL*etected by watchdog|CCL*watchdog thread terminated|NCCL communicator was "
     "aborted|CCL*taking the entire process "
     "down|ncclRemoteError|NCCLABORTEDCOMM|[E*ProcessGroupNCCL.cpp|[F*ProcessGroupNCCL.cpp",
     Role::trace, Lines::any, "PyTorch noticed a failure and ended the process",
     "look for the first failure on any rank", "PyTorch ProcessGroupNCCL"},
    {"nccl-failed",
     "CCL*unhandled system error|CCL*unhandled cuda error|unhandled cuda error*nccl|unhandled "
     "system error*nccl|Nccl error*unhandled|CCL*nternal check failed|CCL*internal "
     "error|ncclSystemError|ncclUnhandledCudaError|ncclInternalError|Test NCCL failure|Test CUDA "
     "failure|NCCL error in|NCCL error /|NCCL error at |NCCL error encountered|NCCL error: |NCCL "
     "Error |NCCL_ERROR: |nccl*unhandled system error|nccl*unhandled cuda error|nccl*internal "
     "error",
     Role::trace, Lines::any, "NCCL reported a failure to its caller",
     "run with NCCL_DEBUG=INFO, and look at every rank's log", "NCCL user guide"},
    {"rank-failed",
     "exited with code 1|exited with code 2|task(s) exited with exit code|failed (exitcode: |exits "
     "with return code = |exitcode  : |Exited with exit code |ed with exitcode=|Exit code:  "
     "|terminated with code |Ray processes died|Raylet is terminated",
     Role::exit, Lines::any, "a rank's program ended with an error",
     "look for its last lines, mostly a traceback: torchrun --tee 3 keeps those of all ranks",
     "PyTorch elastic"},
    {"store-closed",
     "TCPStore.cpp*failed on SocketImpl|should dump*flag on TCPStore|CCL*from the global store",
     Role::ending, Lines::any,
     "the process with PyTorch's store, mostly rank 0, is gone: it failed, or was done first",
     "look for the last lines of rank 0; if all went well, end with destroy_process_group()",
     "pytorch/pytorch#128680"},
    {"error-code", ".cc:* -> 1|.cc:* -> 2|.cc:* -> 3|.cc:* -> 4|.cc:* -> 5|.cc:* -> 6", Role::trace,
     Lines::nccl,
     "a call of NCCL failed (1: CUDA, 2: system, 3: internal, 4, 5: wrong use, 6: a peer)",
     "look at the other ranks; run with NCCL_DEBUG=INFO, without NCCL_DEBUG_SUBSYS",
     "NCCL user guide"},
    {"in-abort",
     "abort state|comm*abort|encountered a fatal error|ncclAsyncJobComplete|been "
     "destroyed|commReclaim|sets state|commDestroySync",
     Role::trace, Lines::warnings, "a communicator was taken down after a failure",
     "look for the first failure on any rank", "NCCL user guide"},
});

}  // namespace

std::span<const Signature> job_signatures() { return kJobRows; }

}  // namespace linerate::logs
