// What messages mean that no other row knows: by the error of the system that they quote, by the
// part of NCCL that wrote them, by the program that reports them. The order counts: an error of the
// system says more than who met it, and what NCCL adapts to is no failure.
#include "diagnose/log/signatures.h"

#include <array>

namespace linerate::logs {
namespace {

constexpr auto kGeneralRows = std::to_array<Signature>({
    {"of-a-traceback",
     ".py:*]     |Traceback (most|File \"|^^^|During handling of|the direct cause|Exception raised "
     "from|Unable to register cu|already been registered|from LD_PRELOAD|: ignored|etrics will not "
     "be exported|pip's dependency|ation placer|printing enroot log|printing contents of "
     "log|unbound variable|frame #|rocess received signal|terminate called a|-----|PETSC ERROR: "
     "Try |PETSC ERROR: or |PETSC ERROR: configure |PETSC ERROR: to get",
     Role::harmless, Lines::reports, "", "", ""},
    {"of-a-traceback", "*** End of error message", Role::harmless, Lines::any},
    {"ranks-missing",
     "clients joined|clients to join|store based barrier|store_based_barrier|Timed out "
     "initializing process group|RendezvousTimeoutError|arrier timed out|wait timeout after|Socket "
     "Timeout|store->get|Timed out after*waiting|Timed out waiting|imeout waiting|subset of "
     "ranks|monitoredBarrier|been waiting for*may be stuck|not all of them arrived|did not arrive",
     Role::consequence, Lines::reports,
     "some ranks did not come to where all meet: they failed, were not started, or went elsewhere",
     "look for the first error of those; give all the same number of ranks, MASTER_ADDR and port",
     "PyTorch distributed"},
    {"ranks-missing", "submitted to be reduced*subset of ranks", Role::consequence, Lines::any},
    {"ranks-missing", "EI0006", Role::consequence, Lines::reports},
    {"scheduler-closed",
     "StreamClosedError|CommClosedError|communicate with scheduler during heartbeat", Role::ending,
     Lines::reports,
     "the process at the other end of a connection of Dask is gone: it failed, or was done first",
     "look for the last lines of the scheduler; if all went well, close the client before the "
     "cluster",
     "dask/distributed"},
    {"peer-closed",
     "onnection reset|roken pipe|BrokenPipeError|EOFError|onnection closed "
     "by|ActorDiedError|RayActorError|RayletError|WorkerCrashedError|UNAVAILABLE: "
     "|DEADLINE_EXCEEDED|remote task has failed|failed to recv, got 0|Connection was likely "
     "closed|RendezvousClosedError",
     Role::consequence, Lines::reports},
    {"failure-passed-on",
     "ChildFailedError|CalledProcessError|ProcessRaisedException|ProcessExitedException|"
     "RayTaskError|Engine core initialization failed|Engine process failed|EngineDeadError|"
     "EngineCore failed|EngineCore encountered|EngineCore died|Failed core proc|"
     "HorovodInternalError|KeyboardInterrupt|SystemExit|torch.distributed.elastic|Error executing "
     "method|See root cause above|See stack trace for root|in a background process|error from "
     "coordination service|service detected fatal errors|error raised in its creation task",
     Role::relay, Lines::reports,
     "a program ended because another one, or a part of it, had failed",
     "look for the first error of the ranks that it started", "PyTorch elastic, Ray"},
    {"failure-passed-on",
     "Horovod has been shut down|restarting failed container|CrashLoopBackOff|Primary job  "
     "terminated|FORCE-TERMINATE AT|killing job...|one child failed|SIGQUIT received| noticed that "
     "process rank|more processes exited with non-zero|BAD TERMINATION|has exited due to "
     "process|killed while executing a task by an unexpected|One of MPI processes was aborted",
     Role::relay, Lines::any},
    // Of cgroups it means that the kernel makes no more of them.
    {"job-not-started", "cgroup*No space left", Role::fault, Lines::any},
    // Errors of the system.
    {"disk-full", "No space left|isk quota exceeded", Role::fault, Lines::any,
     "a file system is full, or a quota is used up", "df -h, df -i and quota show which", "Linux"},
    {"port-in-use", "ddress already in use|EADDRINUSE", Role::fault, Lines::reports},
    {"address-not-resolved",
     "Invalid NCCL_COMM_ID|No valid <IPv4_or_hostname>|No valid [IPv6]|getting address info|Name "
     "or service not known|name resolution|No address associated|assign requested "
     "address|string is null|etaddrinfo",
     Role::fault, Lines::reports, "NCCL_COMM_ID, or another address that was given, has no meaning",
     "write it as HOST:PORT with a name that every host resolves", "NCCL user guide"},
    {"no-route-to-host",
     "o route to host|etwork is unreachable|onnect*unreachable|Software caused connection "
     "abort|interface found in the same",
     Role::fault, Lines::reports,
     "packets to another host have no way: a firewall, or the wrong interface",
     "set NCCL_SOCKET_IFNAME=<the interface that reaches the others>; open the ports",
     "NVIDIA/nccl#352, NVIDIA/nccl-tests#162"},
    {"connection-refused", "onnection refused|refused*onnect", Role::vague, Lines::reports,
     "nobody listens at that address: it is of an earlier job, or its rank has ended",
     "look at what ended that rank; if no rank has the address, remove the stale rendezvous id",
     "espnet/espnet#1940"},
    {"connect-timeout",
     "onnection timed out|ETIMEDOUT|onnect*timed out|ocket*timed "
     "out|onnect*exceeded|onnect*onnection timeout",
     Role::vague, Lines::reports,
     "another host did not answer: a firewall, or an interface like docker0, virbr0, veth",
     "set NCCL_SOCKET_IFNAME=<the interface that reaches the other hosts>",
     "pytorch/pytorch#68893, NVIDIA/nccl#529"},
    {"files-or-threads-limit",
     "oo many open files|temporarily unavailable|start new thread|pthread_create|hread creation",
     Role::fault, Lines::reports, "a limit of the process is too low: files, or threads",
     "raise them: ulimit -n 65536, ulimit -u unlimited, in containers --pids-limit -1",
     "NCCL user guide"},
    {"out-of-host-memory",
     "annot allocate memory|can't allocate memory|MemoryError|bad_alloc|to malloc|malloc of|"
     "returned null|ailed to allocate|nable to allocate|llocation failed",
     Role::fault, Lines::reports, "a rank got no memory from its host",
     "raise the memory limit of the container or of Slurm", "Linux, Slurm"},
    {"permission-denied", "ermission denied|not permitted|EACCES|EPERM", Role::fault,
     Lines::reports, "the system forbids this process something that it needs",
     "give it the right, the device or the capability (containers: --cap-add, --device)", "Linux"},
    {"library-missing",
     "cannot open shared object|undefined symbol|symbol lookup error|GLIBC|missing "
     "symbol|dlopen|issing ROCr|ailed to open lib|No module named|ModuleNotFoundError|ImportError",
     Role::fault, Lines::reports, "a library or a module is missing, or of another version",
     "ldd and LD_LIBRARY_PATH show which was found; install that of the program's build", "Linux"},
    {"library-missing",
     "version `GLIBC|symbol lookup error|while loading shared libraries|run: command not found|"
     "python: command not found|python3: command not found|Unable to load NCCL",
     Role::fault, Lines::any},
    {"storage-failed", "nput/output error|tale file handle|ead-only file system", Role::fault,
     Lines::reports, "a file system or a device failed", "look at dmesg, and at the storage",
     "Linux"},
    {"storage-failed", "nfs: server*not responding", Role::fault, Lines::any},
    {"job-not-started", "pyxis:     |pyxis: couldn't mkdir", Role::fault, Lines::reports},
    {"workers-waited-for", "No available shared memory broadcast block", Role::suspect, Lines::any,
     "a process waited long for others: they are busy (they load, compile), are stuck, have ended "
     "or were not started",
     "look at what each worker wrote last; py-spy dump shows where one that does not go on is",
     "vLLM"},
    // What NCCL and its plugins adapt to, and what they do not.
    {"plugin-settings", "ismatch enforced|(shim)*mismatch|(shim)*expected", Role::fault,
     Lines::warnings, "the cloud's network plugin wants other settings than those given",
     "set each variable that it names as it says, or load the profile that comes with the plugin",
     "Google Cloud GPUDirect-TCPXO"},
    {"fastsocket-cpu", "get incoming CPU", Role::harmless, Lines::warnings, "", "", ""},
    {"setting-changed",
     "User asked for a m|gnor|cap it to|greater than the maximum|too small. Minimum value|set both "
     "to|set it to 0|setting it to|setting to|imiting |Unsetting|defaulting|using default|Invalid "
     "NCCL_|Invalid value*for NCCL|Invalid*(minimum|Invalid*(maximum|must be a multiple|Duplicate "
     "option|NCCL_PROTO was set",
     Role::slow, Lines::warnings, "NCCL takes another value than the one that was set",
     "mend the setting; linerate doctor env says what it may be", "NCCL user guide"},
    {"feature-unavailable",
     "may affect performance|nvml*Not Supported|annot initialize CollNet|lvsym failed|lsym "
     "failed|not dumping|CollNet is not supported|CollNet currently only|MNNVL is not "
     "supported|CUMEM*not supported|No NVML|Flush only supported|create thread context|not using "
     "it|alling back|nstead|isabling|kipping|failed to*register user|failed to*register send|not "
     "compatible|uner|rofiler|NPKIT|NPKit|Rome model|MSCCL++|Resiliency is|stale "
     "CQE|FLID|istogram|GDR disabled|Not configuring|lush requested|lush enabled|AWS "
     "platform|ras/|RAS |rying again|Continue.",
     Role::slow, Lines::warnings,
     "something that was asked for is not there, and NCCL does without",
     "leave the setting out, or install what it needs", "NCCL user guide"},
    {"cleanup-failed",
     "eregister|leanup|leaking|still active|still held|Closing |to close|Freeing|cudaFree|estroy|"
     "estructing|with inflight|not released|munmap|outstanding recovery|shm close|shm unlink",
     Role::ending, Lines::warnings,
     "something could not be taken down in order: at the end of a job, or after a failure",
     "look for a failure before it; if there is none, nothing is lost", "NVIDIA/nccl"},
    // Which part of NCCL, or of a plugin, met the failure.
    {"gdrcopy-failed", "GDRCOPY|GDRCopy|gdr_|gdrwrap", Role::vague, Lines::warnings,
     "GDRCopy, which NCCL or the libfabric plugin was asked to use, does not work here",
     "modprobe gdrdrv, give the container /dev/gdrdrv, or unset NCCL_GDRCOPY_ENABLE",
     "NVIDIA/gdrcopy"},
    {"ofi-failure", "NET/OFI|OFI |nccl_ofi", Role::vague, Lines::warnings,
     "the libfabric plugin failed", "FI_LOG_LEVEL=warn shows libfabric's reason",
     "aws/aws-ofi-nccl"},
    {"ofi-failure",
     "prov_errno: |fi_mr_reg*failed|fi_domain*failed|fi_endpoint*failed|fi_getinfo*failed",
     Role::vague, Lines::any},
    {"ofi-failure", "NET/OFI*nexpected|NET/OFI*ailed|NET/OFI*rror|NET/OFI*nable|NET/OFI*ould",
     Role::vague, Lines::others},
    {"nvml-call-failed", "nvml|NVML|rocm_smi|rsmi|RSMI|SMI ", Role::vague, Lines::warnings,
     "NVML, or ROCm's SMI, does not answer about a GPU: it is lost, or hidden from the container",
     "nvidia-smi or rocm-smi shows the same; look at dmesg | grep Xid", "NVIDIA/nccl user guide"},
    {"ipc-handle", "IPC|Ipc|UDS|pidfd_getfd|cuMemImportFromShareable|ipcsocket|transport/p2p.c",
     Role::vague, Lines::warnings, "ranks of one host could not share the memory of their GPUs",
     "containers of one host need a common IPC and PID namespace (--ipc=host --pid=host); "
     "NCCL_CUMEM_ENABLE=0 takes the older way, NCCL_P2P_DISABLE=1 does without",
     "NVIDIA/nccl user guide"},
    {"gpu-allocation-failed", "to CUDA |[Rem Allocator]|cuMemAlloc|alloc.h", Role::vague,
     Lines::warnings, "NCCL got no memory: mostly the GPU has none left",
     "take a smaller batch; nvidia-smi shows whether other processes hold some",
     "NVIDIA/nccl user guide"},
    {"cuda-failure",
     "Cuda failure|CUDA failure|HIP failure|Hip failure|CUDA |HIP |cudawrap|libcuda|rocmwrap|ROCr|"
     "cuMem|strongstream|cudaArch|rror: unknown error|cu*failed",
     Role::vague, Lines::warnings, "a call of CUDA or HIP failed",
     "the text behind it says why; look at dmesg | grep Xid", "NCCL user guide"},
    {"cuda-failure",
     "ailed: Cuda error|ailed: CUDA error|CUDA Runtime API error|HIP Runtime API error",
     Role::vague, Lines::any},
    {"sharp-failure", "sharp_plugin|NET/IB : SHARP", Role::vague, Lines::warnings,
     "in-network reduction (SHARP) could not be set up",
     "look at sharp_am on the subnet manager's host, and whether the switches have SHARP and trees "
     "are free; NCCL_COLLNET_ENABLE=0 does without",
     "Mellanox/nccl-rdma-sharp-plugins#151"},
    {"ib-failure", "net_ib|NET/IB|NET/MLX5|ibvwrap|ibv_|mlx5|ib_plugin|p2p_plugin", Role::vague,
     Lines::warnings, "NCCL's InfiniBand and RoCE transport met a failure",
     "ibv_devinfo on both hosts, ib_write_bw between the adapters; as a test NCCL_IB_DISABLE=1",
     "NVIDIA/nccl: src/transport/net_ib"},
    {"ib-unreachable", "ransport retry counter exceeded", Role::fault, Lines::any},
    {"ib-failure", "Failed status *syndrom|Completion with error at", Role::vague, Lines::any},
    {"gid-of-zeros", "GID: 00:00:00:00:00:00:00:00:00:00:00:00:00:00:00:00", Role::harmless,
     Lines::any, "", "", "", "queue-pair-unconnected"},
    {"queue-pair-unconnected", "Failed to modify QP", Role::vague, Lines::any,
     "two adapters could not be connected: the GID index of one is empty or of another kind than "
     "its peer's, or no route leads there",
     "show_gids lists the GIDs of each port: take one of RoCE v2 with an IPv4 address (ib_write_bw "
     "-x INDEX, NCCL_IB_GID_INDEX)",
     "linux-rdma/perftest"},
    {"gin-failure", "gin_|GIN |GIN-|GIN:|GIN/|requested GIN|rma_|RMA|Rma ", Role::vague,
     Lines::warnings,
     "communication that the GPU starts itself (GIN), or one-sided communication, failed: a rank "
     "lacks what it needs, or a call is not supported",
     "load DMA-BUF or nvidia_peermem; take a driver and adapters that have it; unset NCCL_GIN_TYPE",
     "NVIDIA/nccl: src/gin, src/rma"},
    {"tcpx-no-answer", "rx ctrl timeout|tx ctrl timeout", Role::vague, Lines::warnings,
     "GPUDirect-TCPX waits for a peer's answer on its control connection: that rank is late, or "
     "the receive manager of a host does not run or is slow",
     "look at the receive manager's log (tcpx-daemon) on both hosts; it and the plugin have to be "
     "of one release",
     "Google Cloud GPUDirect-TCPX"},
    {"fastrak-failed", "NET/FasTrak", Role::vague, Lines::warnings,
     "GPUDirect-TCPXO, Google's network plugin (FasTrak), failed",
     "look at the receive manager's log (tcpxo-daemon) on both hosts; it and the plugin have to be "
     "of one release; NCCL_NET=Socket does without",
     "Google Cloud GPUDirect-TCPXO"},
    {"plugin-failure", "ucx|UCX|sharp|SHARP|coll_net|COLLNET|CollNet|plugin|Plugin|/net.cc",
     Role::vague, Lines::warnings, "a plugin of NCCL's, or in-network reduction (SHARP), failed",
     "NCCL_COLLNET_ENABLE=0 and NCCL_NET_PLUGIN=none do without them",
     "NVIDIA/nccl: src/plugin, Mellanox/nccl-rdma-sharp-plugins"},
    {"shared-memory-failed", "shm|Shm|shared memory|SHM |MsgQueue|CliqueManager", Role::vague,
     Lines::warnings, "shared memory between ranks of a host could not be made or used",
     "df -h /dev/shm shows its size; containers of a host need the same one", "NVIDIA/nccl#290"},
    {"nvls-failed", "nvls|NVLS|ulticast|ultimem|mnnvl|MNNVL", Role::vague, Lines::warnings},
    {"registration-failed",
     "register|ymmetric|indow|dev_runtime|LSA|lsaRank|MemManager|mem_manager|allocator|egment",
     Role::vague, Lines::warnings,
     "a buffer could not be registered, or symmetric memory could not be used",
     "NCCL_CUMEM_ENABLE=0 and NCCL_LOCAL_REGISTER=0 do without; allocate buffers by ncclMemAlloc",
     "NCCL user guide"},
    {"topology-incomplete",
     "graph/|topo|Topo|TOPO|rome_models|ould not find|o path computed|requires NIC|reverse path",
     Role::vague, Lines::warnings,
     "NCCL's picture of the node lacks a device or a link that it needs",
     "linerate topo --lint on this node; unset NCCL_TOPO_FILE, NCCL_GRAPH_FILE; take NCCL 2.27",
     "NVIDIA/nccl#1748, ROCm/rccl#1728"},
    {"msccl-failure", "msccl|MSCCL", Role::vague, Lines::warnings,
     "RCCL's MSCCL, which takes algorithms from files, failed", "RCCL_MSCCL_ENABLE=0 does without",
     "ROCm/rccl: src/misc/msccl"},
    {"proxy-failed", "roxy|Failed to execute operation|[Service thread]|opId=", Role::consequence,
     Lines::warnings, "NCCL's proxy thread met an error that another line explains",
     "look for the warning before it", "NCCL user guide"},
    {"socket-failed",
     "ocket recv failed|ocket progress error|socketProgress|ocketSend|ocketRecv|Unable to "
     "send|Unable to receive|ncclSocket*failed|ocketTryAccept|ocketPollConnect",
     Role::consequence, Lines::warnings, "a connection between ranks broke",
     "look for the first failure on the other ranks", "NCCL user guide"},
    {"connect-retries", "Maximum retry reached", Role::suspect, Lines::warnings},
    {"socket-failure", "socket|Socket|ootstrap|Net :|ccept|onnect", Role::vague, Lines::warnings,
     "ranks could not talk to each other by sockets, as they do to set up communicators",
     "set NCCL_SOCKET_IFNAME=<the interface that reaches the others>; look for firewalls",
     "NVIDIA/nccl: src/bootstrap.cc, src/misc/socket.cc"},
    {"not-to-open", "o such file|ould not open|nable to open|annot open|ailed to open", Role::vague,
     Lines::warnings, "a file or a device that it names is not there, or cannot be opened",
     "is it in this container, and may this user open it?", "Linux"},
    {"system-call-failed", "Call to|ffinity|hread", Role::vague, Lines::warnings,
     "a call of the system failed; the text behind it says why", "look at the limits and at dmesg",
     "NCCL user guide"},
    {"impossible-state", "nternal error|not empty|has been lost|nknown|nexpected|has bugs|loop at",
     Role::vague, Lines::warnings,
     "NCCL met a state that it holds impossible: mostly ranks see different nodes or settings",
     "use the same NCCL, NCCL_* variables and topology file on all hosts; try a newer NCCL",
     "NVIDIA/nccl: src/init.cc"},
    {"ranks-disagree", "ismatch|nconsistent|xpected|differ", Role::vague, Lines::warnings,
     "ranks, or a rank and its plugin, disagree about a setting or a version",
     "make NCCL, its plugins and the NCCL_* variables the same on all hosts", "NVIDIA/nccl"},
    {"invalid-call",
     "before the previous operation returned|argcheck|enqueue|nccl*: |nvalid|NULL|requires|not "
     "supported",
     Role::vague, Lines::warnings},
    {"impossible-state", "init.cc|misc/|group.cc|transport.cc", Role::vague, Lines::warnings},
    // Other programs.
    {"sharp-failure", "[*:*:* - *.c:*] ERROR|[* unique id *] ERROR", Role::vague, Lines::errors},
    {"port-in-use", "HCCL*listen on*fail", Role::fault, Lines::errors},
    {"hccl-failed", "HCCL(|[HCCL]", Role::vague, Lines::errors,
     "HCCL, Ascend's library of collectives, failed",
     "look at each rank's log below ~/ascend/log, at HCCL_IF_IP and at HCCL_CONNECT_TIMEOUT; "
     "hccn_tool shows the state of the NPUs' links",
     "Ascend CANN"},
    {"hccl-failed", "function error: Hccl", Role::trace, Lines::errors},
    {"oneccl-device-files", "fill_device_fds", Role::fault, Lines::errors,
     "oneCCL could not open the files of the GPUs, through which ranks share their memory: a "
     "container lacks them",
     "docker run --device /dev/dri -v /dev/dri/by-path:/dev/dri/by-path; "
     "CCL_ZE_IPC_EXCHANGE=sockets does without",
     "uxlfoundation/oneCCL"},
    {"oneccl-without-pidfd", "pidfd is not supported, fallbacks", Role::slow, Lines::any,
     "oneCCL may not pass the memory of GPUs between processes by pidfd, and does it by the files "
     "of the GPUs: ranks that each see only their own GPU may then hang",
     "containers: --cap-add SYS_PTRACE or --security-opt seccomp=unconfined permits pidfd; let all "
     "ranks of a host see all of its GPUs; CCL_ZE_IPC_EXCHANGE=sockets does without",
     "uxlfoundation/oneCCL"},
    {"oneccl-failed", "CCL_ERROR", Role::vague, Lines::errors,
     "oneCCL, Intel's library of collectives, failed",
     "CCL_LOG_LEVEL=info says more; CCL_ATL_TRANSPORT=mpi, FI_PROVIDER=tcp and CCL_KVS_IFACE=<the "
     "interface that reaches the others> tell which part is at fault",
     "uxlfoundation/oneCCL"},
    {"ucx-transport-missing", "UCX *transports '*are not available", Role::suspect, Lines::any,
     "UCX was asked for transports that it was built without, or whose devices are not here",
     "ucx_info -d lists those that are; take a UCX with CUDA, or leave UCX_TLS out",
     "LMCache/LMCache#605", "uncaught-exception"},
    {"ucx-failure", "UCX ", Role::vague, Lines::reports, "UCX, which MPI uses, failed",
     "where the line names a device, UCX_NET_DEVICES=<the right one>:1 keeps UCX from it; "
     "UCX_TLS=tcp tells whether the fast network is at fault; UCX_LOG_LEVEL=info says more",
     "openucx/ucx"},
    {"ucx-failure", "UCX Fatal|UCX  FATAL", Role::vague, Lines::any},
    {"nvshmem-without-mlx5", "not enumerated as an mlx5 device", Role::harmless, Lines::any, "", "",
     "", "nvshmem-failed"},
    {"nvshmem-failed",
     "nvshmem*ailed|NVSHMEM*rror|NVSHMEM*ERROR:|NVSHMEM ERROR|bootstrap*.cpp:*o socket "
     "interface|non-zero status: |.cpp:*NULL value|no active IB device",
     Role::vague, Lines::any, "NVSHMEM could not be started or used",
     "NVSHMEM_DEBUG=INFO says more; it needs GPUDirect RDMA, and all GPUs of a node in P2P reach",
     "NVIDIA/nvshmem"},
    {"driver-message",
     "mlx5_*ailed|mlx5_*rror|dump_cqe|dump error cqe|NVRM: *ailed|NVRM: *rror|amdgpu*rror|AER: ",
     Role::report, Lines::any, "a driver of the kernel reported an error",
     "look at dmesg around that time, at the adapter's firmware and at its link", "Linux"},
    {"cuda-library-failed",
     "CUBLAS_STATUS|CUDNN_STATUS|CUSOLVER_STATUS|cuDNN error|hipBLAS|rocblas|MIOpen", Role::vague,
     Lines::reports,
     "a library of CUDA or ROCm failed: often for want of memory, or after a kernel's crash",
     "look for an earlier error; CUDA_LAUNCH_BLOCKING=1 shows where it is", "CUDA"},
    {"cuda-failure", "CUDA error|HIP error|CUDA driver error|HIP failure|CUDA failure|Cuda failure",
     Role::vague, Lines::errors},
    {"cuda-failure", "HSA_STATUS_ERROR|[CUDA_ERROR_*] ", Role::vague, Lines::any},
});

}  // namespace

std::span<const Signature> general_signatures() { return kGeneralRows; }

}  // namespace linerate::logs
