// GPUs, NVLink, shared memory, drivers and limits of a node.
#include "diagnose/log/signatures.h"

#include <array>

namespace linerate::logs {
namespace {

constexpr auto kNodeRows = std::to_array<Signature>({
    {"gpu-xid", "NVRM: Xid", Role::origin, Lines::any, "the driver reported an error of a GPU",
     "look the number behind Xid up in NVIDIA's catalogue of them", "NVIDIA XID errors"},
    {"shared-memory-full",
     "posix_fallocate*failed|failed to extend|No space left on device|Error while creating "
     "shared memory*No space",
     Role::fault, Lines::warnings, "/dev/shm is too small or full",
     "enlarge /dev/shm: docker --shm-size=8g, in Kubernetes an emptyDir of medium Memory at "
     "/dev/shm; remove /dev/shm/nccl-* of dead jobs",
     "NVIDIA/nccl#290, NVIDIA/nccl#525"},
    {"shared-memory-permission", "shm_open failed*Permission|shared memory*Permission denied",
     Role::fault, Lines::warnings, "this user may not create files in /dev/shm",
     "chmod 1777 /dev/shm", "NVIDIA/nccl#328"},
    {"shared-memory-gone",
     "attaching to shared memory*No such file|unlink shared memory*failed|attaching to shared "
     "memory|shared memory*No such file",
     Role::fault, Lines::warnings,
     "a segment in /dev/shm is not there: ranks of one host have different /dev/shm, or "
     "systemd removed it when a user logged out",
     "RemoveIPC=no in logind.conf; the same /dev/shm (ipc: host) for all containers of a "
     "host, or NCCL_SHM_DISABLE=1",
     "NVIDIA/nccl#2190"},
    {"shared-memory-failed", "Error while creating shared memory|shmutils*|shm.h:*failed",
     Role::vague, Lines::warnings, "shared memory between ranks of a host could not be made",
     "df -h /dev/shm shows its size", "NVIDIA/nccl#290"},
    {"same-gpu-twice", "Duplicate GPU detected|Multiple Ranks are using the same GPU", Role::fault,
     Lines::nccl, "two ranks use the same GPU",
     "give each rank a GPU of its own: check CUDA_VISIBLE_DEVICES and "
     "torch.cuda.set_device(local_rank)",
     "horovod/horovod#3929, NVIDIA/nccl#1241"},
    {"versions-mismatch", "Mismatched NCCL version", Role::fault, Lines::any,
     "ranks run different versions of NCCL",
     "install one version everywhere: check LD_LIBRARY_PATH, the container's image, pip's "
     "nvidia-nccl",
     "NVIDIA/nccl: src/init.cc"},
    {"library-too-old", "library is too old|not backwards compatible", Role::fault, Lines::warnings,
     "the program was compiled for a newer NCCL than the one that it loaded",
     "find the older libnccl.so.2 on LD_LIBRARY_PATH, and remove it", "NVIDIA/nccl: src/init.cc"},
    {"imex-channel", "Check the IMEX|Cuda failure 800*not permitted", Role::fault, Lines::warnings,
     "NVLink between nodes is there, and this process may not use it: no IMEX channel",
     "give the container /dev/nvidia-caps-imex-channels, and check nvidia-imex-ctl -N; "
     "NCCL_MNNVL_ENABLE=0 does without",
     "NVIDIA/nccl#1925"},
    {"fabric-degraded", "healthMask*SIGSEGV|NVLink*degraded", Role::fault, Lines::warnings,
     "the NVLink fabric is not healthy", "set NCCL_MNNVL_ENABLE=0, and have the fabric checked",
     "NVIDIA/nccl#2186"},
    {"nvls-failed",
     "nvls.cc*Cuda failure|Failed to bind NVLink SHARP|Multicast*ailed|nvls*CUDA error",
     Role::fault, Lines::warnings,
     "NVLink SHARP could not be set up: mostly the fabric manager was restarted and the GPUs "
     "not reset, or it does not run",
     "restart the fabric manager with no job on the node, then nvidia-smi -r; "
     "NCCL_NVLS_ENABLE=0 does without",
     "NVIDIA/nccl#1488, pytorch/pytorch#177472"},
    {"fabric-manager-off", "system not yet initialized|ailure 802", Role::fault, Lines::gpu,
     "CUDA cannot start: the fabric manager does not run, or is of another version than the "
     "driver",
     "look at systemctl status nvidia-fabricmanager", "NVIDIA/nccl-tests#264"},
    {"nvlink-p2p-disabled", "P2P is disabled between NVLINK connected GPUs", Role::slow,
     Lines::nccl,
     "two GPUs have NVLink between them and may not use it: the link has a fault, or "
     "NCCL_P2P_DISABLE is set",
     "look at nvidia-smi topo -p2p n and nvidia-smi nvlink -e", "NVIDIA/nccl#2329"},
    {"p2p-disabled", "P2P is disabled between connected GPUs|P2P could not be enabled", Role::slow,
     Lines::nccl, "GPUs of a host do not reach each other's memory: data goes through the host's",
     "nvidia-smi topo -p2p r shows why: GPUs without P2P, ACS or an IOMMU, a virtual machine",
     "NVIDIA/nccl user guide"},
    {"gpudirect-disabled", "NET/IB*GPU Direct RDMA Disabled for HCA", Role::slow, Lines::nccl,
     "the adapter cannot reach the GPUs' memory: messages go through the host's",
     "modprobe nvidia_peermem, or use the open kernel modules with DMA-BUF",
     "NVIDIA/nccl#1537, NVIDIA/nccl#897"},
    {"peer-access-failed", "failed to peer with device|peer access is not supported", Role::fault,
     Lines::warnings, "a GPU could not map another's memory",
     "set NCCL_P2P_DISABLE=1 as a test; switch ACS and the IOMMU off; give the same "
     "CUDA_VISIBLE_DEVICES order to "
     "all ranks",
     "NVIDIA/nccl#257"},
    {"ipc-handle",
     "cudaIpcGetMemHandle|cudaIpcOpenMemHandle|cuMemImportFromShareable|UDS: Sending data|"
     "UDS: Receiving data|pidfd_getfd",
     Role::fault, Lines::warnings, "ranks of one host could not share the memory of their GPUs",
     "containers of one host need a common IPC and PID namespace (--ipc=host --pid=host); "
     "NCCL_CUMEM_ENABLE=0 takes the older way",
     "NVIDIA/nccl user guide"},
    {"invalid-device", "invalid device ordinal|Invalid device*totalnDev|exceeds ndev", Role::fault,
     Lines::gpu, "a rank asked for a GPU that it does not have",
     "start as many ranks a host as it has GPUs; check CUDA_VISIBLE_DEVICES and -g",
     "NVIDIA/nccl-tests#263"},
    {"driver-too-old",
     "driver version is insufficient|unsupported toolchain|forward compatibility was "
     "attempted|driver is too old",
     Role::fault, Lines::gpu, "the driver is older than the CUDA that the program needs",
     "install a newer driver, or a build for an older CUDA", "NVIDIA/nvbandwidth#61"},
    {"no-kernel-image", "no kernel image is available|invalid device function", Role::fault,
     Lines::gpu, "the library has no code for this GPU",
     "install an NCCL or PyTorch that was built for this GPU", "NVIDIA/nccl user guide"},
    {"out-of-gpu-memory", "out of memory|OutOfMemory", Role::origin, Lines::gpu,
     "a rank had no more memory on its GPU",
     "take a smaller batch; nvidia-smi shows whether other processes hold some; NCCL itself takes "
     "some hundred MB a communicator",
     "NVIDIA/nccl user guide"},
    {"illegal-access",
     "illegal memory access|device-side assert|misaligned address|unspecified launch failure|"
     "illegal instruction",
     Role::origin, Lines::gpu, "a kernel of the program or of NCCL crashed on the GPU",
     "CUDA_LAUNCH_BLOCKING=1 or compute-sanitizer finds it; look in dmesg for an Xid", "CUDA"},
    {"gpu-hardware", "uncorrectable ECC|NVLink error|hardware stack error|busy or unavailable",
     Role::origin, Lines::gpu, "a GPU has a fault, or is held by another process",
     "look at nvidia-smi -q -d ECC and dmesg | grep Xid; nvidia-smi -r resets the GPU",
     "NVIDIA XID errors"},
    {"files-or-threads-limit",
     "Too many open files|pthread_create*failed|hread creation*failed|Resource temporarily "
     "unavailable",
     Role::fault, Lines::warnings, "a limit of the process is too low: files, or threads",
     "raise them: ulimit -n 65536, ulimit -u unlimited, in containers --pids-limit -1",
     "NCCL user guide"},
    {"topology-file",
     "XML Parse|XML Open|Attribute*of node*not found|Could not open XML|No such XML", Role::fault,
     Lines::warnings, "the topology file cannot be read",
     "unset NCCL_TOPO_FILE, or write the file anew", "NVIDIA/nccl#1125"},
    {"topology-other-host", "not found in list of system hostHashes", Role::fault, Lines::warnings,
     "the topology file was written on another host, and says so", "remove host_hash from it",
     "NVIDIA/nccl: src/graph/xml.cc"},
    {"no-path", "Could not find a path for pattern", Role::slow, Lines::warnings,
     "NCCL found no way through the node's topology, and takes a very slow one",
     "run linerate topo --lint on this node; unset NCCL_TOPO_FILE", "NVIDIA/nccl user guide"},
    {"no-algorithm", "o algorithm/protocol available|No matching plan", Role::fault, Lines::nccl,
     "NCCL_ALGO and NCCL_PROTO leave nothing for this call", "unset both",
     "NVIDIA/nccl: src/graph/tuning.cc"},
    {"net-transport-missing", "has no transport for", Role::fault, Lines::warnings,
     "two ranks have no way to each other: P2P, shared memory and network are all off or absent",
     "unset NCCL_P2P_DISABLE, NCCL_SHM_DISABLE and NCCL_NET", "NVIDIA/nccl: src/transport.cc"},
    {"nvml-failed", "nvmlInit failed|ailed to open libnvidia-ml|nvml*failed*Driver/library",
     Role::fault, Lines::warnings,
     "NVML does not work here: the driver is missing or was updated without a restart",
     "nvidia-smi shows the same; restart the node", "NVIDIA/nccl user guide"},
    {"cuda-failure", "Cuda failure|CUDA failure|HIP failure|Hip failure|Failed to CUDA",
     Role::vague, Lines::warnings, "a call of CUDA failed",
     "the text behind it says why; look at dmesg | grep Xid", "NCCL user guide"},
    {"rccl-kernel-options", "from kernel command line|NUMA auto balancing", Role::slow,
     Lines::warnings, "a setting of the kernel can make RCCL slow or hang",
     "add to the kernel's command line what the warning names; set kernel.numa_balancing=0",
     "ROCm/rccl: src/init.cc"},
    {"cumem-host-fallback", "cuMem host allocations do not appear to be working", Role::harmless,
     Lines::nccl, "", "", ""},
});

}  // namespace

std::span<const Signature> node_signatures() { return kNodeRows; }

}  // namespace linerate::logs
