// GPUs, NVLink, shared memory, drivers and limits of a node.
#include "diagnose/log/signatures.h"

#include <array>

namespace linerate::logs {
namespace {

constexpr auto kNodeRows = std::to_array<Signature>({
    {"gpu-xid", "NVRM: Xid|fallen off the bus", Role::origin, Lines::any,
     "the driver reported an error of a GPU",
     "look the number behind Xid up in NVIDIA's catalogue of them", "NVIDIA XID errors"},
    {"kernel-fault",
     "Machine check|Machine Check|Hardware Error|soft lockup|Link is Down|link status definitely "
     "down|blocked for more than",
     Role::origin, Lines::any, "the kernel reported a failure of the node",
     "look at dmesg around that time; take the node out of service until it is understood",
     "Linux"},
    {"shared-memory-full",
     "posix_fallocate*failed|failed to extend|No space left on device|Error while creating "
     "shared memory*No space",
     Role::fault, Lines::warnings, "/dev/shm is too small or full",
     "enlarge /dev/shm: docker --shm-size=8g, in Kubernetes an emptyDir of medium Memory at "
     "/dev/shm; remove /dev/shm/nccl-* of dead jobs",
     "NVIDIA/nccl#290, NVIDIA/nccl#525"},
    {"shared-memory-full", "of shared memory|insufficient shared memory|unable to write to file </",
     Role::fault, Lines::reports},
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
    {"same-gpu-twice", "Duplicate GPU detected|Multiple Ranks are using the same GPU", Role::fault,
     Lines::nccl, "two ranks use the same GPU",
     "give each rank a GPU of its own: check CUDA_VISIBLE_DEVICES and "
     "torch.cuda.set_device(local_rank)",
     "horovod/horovod#3929, NVIDIA/nccl#1241"},
    {"versions-mismatch", "Mismatched NCCL version|NCCL version mismatch", Role::fault, Lines::any,
     "ranks run different versions of NCCL",
     "install one version everywhere: check LD_LIBRARY_PATH, the container's image, pip's "
     "nvidia-nccl",
     "NVIDIA/nccl: src/init.cc"},
    {"library-too-old", "library is too old|not backwards compatible", Role::fault, Lines::warnings,
     "the program was compiled for a newer NCCL than the one that it loaded",
     "find the older libnccl.so.2 on LD_LIBRARY_PATH, and remove it", "NVIDIA/nccl: src/init.cc"},
    {"header-mismatch",
     "Invalid config*attribute|compiled with too old version of NCCL|argument not initialized via "
     "NCCL",
     Role::fault, Lines::warnings,
     "the program was compiled with the header of another NCCL than the one that it loaded",
     "find the other libnccl.so.2 (LD_LIBRARY_PATH, pip's nvidia-nccl), and keep the one that the "
     "program was built for",
     "SpursGoZmy/Table-LLaVA#4"},
    {"invalid-call",
     "argument is NULL|is not a valid pointer|allocated on device*NCCL device|: invalid root|: "
     "invalid type|: invalid reduction|Invalid "
     "rank requested|Invalid device count|invalid device count|corrupted comm object|improper "
     "usage of|mixing different "
     "streams|not in a group call|before the previous operation returned|to self without a "
     "matching|Blocking and nonblocking communicators|aptured by the same graph|FP8 reduction "
     "support begins",
     Role::fault, Lines::warnings, "the program called NCCL in a way that it forbids",
     "mend the call: the warning says what is wrong with it", "NCCL user guide"},
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
    {"peer-access-failed",
     "failed to peer with device|peer mapping resources|peer access is not supported", Role::fault,
     Lines::gpu, "a GPU could not map another's memory",
     "set NCCL_P2P_DISABLE=1 as a test; switch ACS and the IOMMU off; give the same "
     "CUDA_VISIBLE_DEVICES order to "
     "all ranks",
     "NVIDIA/nccl#257"},
    {"invalid-device",
     "invalid device ordinal|no CUDA-capable device|no ROCm-capable|Invalid "
     "device*totalnDev|exceeds "
     "ndev|No CUDA GPUs|no NVIDIA driver|not compiled with CUDA|nvalid number of GPUs|invalid "
     "device "
     "ID|ERROR_NO_DEVICE|ERROR_INVALID_DEVICE|rrorNoDevice|rrorInvalidDevice",
     Role::fault, Lines::gpu, "a rank asked for a GPU that it does not have",
     "start as many ranks a host as it has GPUs; check CUDA_VISIBLE_DEVICES and -g",
     "NVIDIA/nccl-tests#263"},
    {"invalid-device", "No devices were found", Role::fault, Lines::any},
    {"driver-too-old",
     "driver version is insufficient|unsupported toolchain|forward compatibility was "
     "attempted|driver is too old|Driver version found is|Failed to load CUDA missing "
     "symbol|driver is older than|on your system is too old|rrorInsufficientDriver|UNSUPPORTED_PTX|"
     "DRIVER_MISMATCH|unsupported display driver",
     Role::fault, Lines::gpu, "the driver is older than the CUDA that the program needs",
     "install a newer driver, or a build for an older CUDA", "NVIDIA/nvbandwidth#61"},
    {"no-kernel-image",
     "no kernel image is available|invalid device function|symbol not found|not compatible with "
     "the "
     "current PyTorch|NO_BINARY_FOR_GPU|INVALID_PTX|rrorNoKernelImage|NoBinaryForGpu|PTX JIT",
     Role::fault, Lines::gpu, "the library has no code for this GPU",
     "install an NCCL or PyTorch that was built for this GPU", "NVIDIA/nccl user guide"},
    {"out-of-gpu-memory",
     "out of memory|torch.OutOfMemoryError|cuda.OutOfMemoryError|Out of memory error on "
     "GPU|OUT_OF_MEMORY|RESOURCE_EXHAUSTED|rrorMemoryAllocation",
     Role::origin, Lines::gpu, "a rank had no more memory on its GPU",
     "take a smaller batch; nvidia-smi shows whether other processes hold some; NCCL itself takes "
     "some hundred MB a communicator",
     "NVIDIA/nccl user guide"},
    {"illegal-access", "block: [*thread: [*Assertion*failed", Role::origin, Lines::any},
    {"illegal-access",
     "illegal memory access|device-side assert|misaligned address|unspecified launch failure|"
     "illegal instruction|illegal address|invalid address space|invalid program counter|launch "
     "timed "
     "out|ERROR_ILLEGAL|ERROR_ASSERT|ERROR_LAUNCH_FAILED|rrorIllegal|rrorLaunchFailure|memory "
     "aperture",
     Role::origin, Lines::gpu, "a kernel of the program or of NCCL crashed on the GPU",
     "CUDA_LAUNCH_BLOCKING=1 or compute-sanitizer finds it; look in dmesg for an Xid", "CUDA"},
    {"illegal-access",
     "Memory access fault by GPU|HSA_STATUS_ERROR_MEMORY|HSA_STATUS_ERROR_EXCEPTION|HW Exception "
     "by GPU",
     Role::origin, Lines::any},
    {"cuda-graph-capture",
     "stream is capturing|apture*nvalidated|StreamCapture|captured in a graph", Role::fault,
     Lines::gpu, "a call was made that a CUDA graph cannot hold while it is recorded",
     "warm up before the capture; keep other threads from CUDA meanwhile; or go without graphs",
     "CUDA"},
    {"cuda-not-started",
     "initialization error|driver shutting down|re-initialize CUDA|driver initialization failed|"
     "ERROR_NOT_INITIALIZED|CUDA unknown error|rrorInitialization|driver is shutting down",
     Role::fault, Lines::gpu,
     "CUDA could not start in this process: it was forked from one that had used CUDA, it is "
     "ending, "
     "or the container lacks the devices",
     "start workers with the method spawn; nvidia-smi in the container shows whether it has the "
     "GPUs",
     "NVIDIA/nccl#1029"},
    {"wrong-device",
     "invalid resource handle|invalid device context|context is "
     "destroyed|INVALID_CONTEXT|INVALID_HANDLE",
     Role::fault, Lines::gpu,
     "a thread used a communicator or stream of another GPU than its current one",
     "call cudaSetDevice (torch.cuda.set_device) in each thread before it calls NCCL", "CUDA"},
    {"gpu-hardware",
     "ECC error|NVLink error|hardware stack error|busy or unavailable|devices are busy|GPU is lost|"
     "DEVICE_UNAVAILABLE|ECC_UNCORRECTABLE|rrorECCUncorrectable",
     Role::origin, Lines::gpu, "a GPU has a fault, or is held by another process",
     "look at nvidia-smi -q -d ECC and dmesg | grep Xid; nvidia-smi -r resets the GPU",
     "NVIDIA XID errors"},
    {"gpu-hardware", "Unable to determine the device handle|GPU is lost|GPU requires reset",
     Role::origin, Lines::any},
    {"topology-too-large", "too many XML|XML parser is limited", Role::fault, Lines::warnings,
     "the node has more devices than this NCCL takes into its picture of it",
     "update NCCL; name fewer NICs in NCCL_IB_HCA; unset NCCL_TOPO_FILE",
     "NVIDIA/nccl: src/graph/xml.h"},
    {"setting-changed", "Could not open XML topology", Role::slow, Lines::warnings},
    {"topology-file", "XML|Attribute*of node*not found", Role::fault, Lines::warnings,
     "the topology file cannot be read", "unset NCCL_TOPO_FILE, or write the file anew",
     "NVIDIA/nccl#1125"},
    {"topology-other-host", "not found in list of system hostHashes", Role::fault, Lines::warnings,
     "the topology file was written on another host, and says so", "remove host_hash from it",
     "NVIDIA/nccl: src/graph/xml.cc"},
    {"no-path", "Could not find a path for pattern|Could not find any local path", Role::slow,
     Lines::warnings, "NCCL found no way through the node's topology, and takes a very slow one",
     "run linerate topo --lint on this node; unset NCCL_TOPO_FILE", "NVIDIA/nccl user guide"},
    {"device-not-in-sysfs", "Could not find real path of /sys", Role::fault, Lines::warnings,
     "the GPU is not in /sys/class/pci_bus: WSL, a virtual machine, or a container without /sys",
     "mount /sys in the container; under WSL 2 take NCCL 2.11 or newer", "NVIDIA/nccl#573"},
    {"no-algorithm", "o algorithm/protocol available|No matching plan", Role::fault, Lines::nccl,
     "NCCL_ALGO and NCCL_PROTO leave nothing for this call", "unset both",
     "NVIDIA/nccl: src/graph/tuning.cc"},
    {"net-transport-missing", "has no transport for|o transport found|Error no transport for",
     Role::fault, Lines::warnings,
     "two ranks have no way to each other: P2P, shared memory and network are all off or absent",
     "unset NCCL_P2P_DISABLE, NCCL_SHM_DISABLE and NCCL_NET", "NVIDIA/nccl: src/transport.cc"},
    {"nvml-failed", "nvmlInit failed|ailed to open libnvidia-ml|nvml*failed*Driver/library",
     Role::fault, Lines::warnings,
     "NVML does not work here: the driver is missing or was updated without a restart",
     "nvidia-smi shows the same; restart the node", "NVIDIA/nccl user guide"},
    {"nvml-failed",
     "NVIDIA-SMI has failed|ailed to initialize NVML|Driver/library version mismatch|"
     "nvidia-container-cli|could not select device driver",
     Role::fault, Lines::any},
    {"rccl-kernel-options",
     "from kernel command line|NUMA auto balancing|from environment which can lead", Role::slow,
     Lines::warnings, "a setting of the kernel or of the environment can make RCCL slow or hang",
     "set what the warning names, or add it to the kernel's command line; set "
     "kernel.numa_balancing=0",
     "ROCm/rccl: src/init.cc"},
    {"rccl-hidden-gpus", "Could not read node #", Role::suspect, Lines::warnings,
     "the rank does not see all GPUs of its node, and RCCL cannot read their links",
     "let each rank see all of them, and choose by its local rank", "ROCm/rccl"},
    {"device-without-path", "Could not find real path of*(/sys", Role::harmless, Lines::warnings,
     "", "", ""},
    {"library-missing", "Failed to find CUDA library", Role::suspect, Lines::warnings},
    {"cumem-host-fallback", "cuMem host allocations do not appear to be working", Role::harmless,
     Lines::nccl, "", "", ""},
});

}  // namespace

std::span<const Signature> node_signatures() { return kNodeRows; }

}  // namespace linerate::logs
