// GPUs, NVLink, shared memory, drivers and limits of a node.
#include "diagnose/log/signatures.h"

#include <array>

namespace linerate::logs {
namespace {

constexpr auto kNodeRows = std::to_array<Signature>({
    {"gpu-xid", "NVRM: Xid|fallen off the bus|Critical Xid Error", Role::origin, Lines::any,
     "the driver reported an error of a GPU",
     "look the number behind Xid up in NVIDIA's catalogue of them", "NVIDIA XID errors"},
    {"kernel-fault",
     "Machine check|Machine Check|Hardware Error|soft lockup|Link is Down|Link DOWN|able "
     "unplugged|link status definitely down|blocked for more than",
     Role::origin, Lines::any, "the kernel reported a failure of the node",
     "look at dmesg around that time; take the node out of service until it is understood",
     "Linux"},
    {"shared-memory-full",
     "posix_fallocate*failed|failed to extend|No space left on device|ing shared memory*No space",
     Role::fault, Lines::warnings, "/dev/shm is too small or full",
     "enlarge /dev/shm: docker --shm-size=8g, in Kubernetes an emptyDir of medium Memory at "
     "/dev/shm; remove /dev/shm/nccl-* of dead jobs",
     "NVIDIA/nccl#290, NVIDIA/nccl#525"},
    {"shared-memory-full", "of shared memory|insufficient shared memory|unable to write to file </",
     Role::fault, Lines::reports},
    {"shared-memory-permission",
     "shm_open failed*Permission|shared memory*Permission denied|shmutils*Permission denied",
     Role::fault, Lines::warnings,
     "this user may not make or open the file of a shared memory segment",
     "chmod 1777 /dev/shm, or the directory that the line names; where another user's file holds "
     "the "
     "name, remove it",
     "NVIDIA/nccl#328"},
    {"shared-memory-permission",
     "MPIU_SHMW*ermission denied|MPIDU_*hm*ermission denied|MPIDI_*hm*ermission denied|"
     "MPIDI_*SHM*ermission denied|MPL_shm*ermission denied|shm_open*ermission "
     "denied|shmget*ermission "
     "denied|shmat(*ermission denied|hared mem*ermission denied|dev/shm*ermission denied|"
     "mm_posix.c*ermission denied|mm_sysv.c*ermission denied",
     Role::fault, Lines::any},
    {"shared-memory-gone",
     "unlink shared memory*failed|attaching to shared "
     "memory|shared memory*No such file|shmutils*No such file",
     Role::fault, Lines::warnings,
     "no such segment: ranks of a host have different /dev/shm, or systemd removed it at a logout",
     "RemoveIPC=no in logind.conf; one /dev/shm (ipc: host) for a host, or NCCL_SHM_DISABLE=1",
     "NVIDIA/nccl#2190"},
    {"same-gpu-twice", "Duplicate GPU detected|Multiple Ranks are using the same GPU", Role::fault,
     Lines::nccl, "two ranks use the same GPU",
     "give each its own: check CUDA_VISIBLE_DEVICES and torch.cuda.set_device(local_rank)",
     "horovod/horovod#3929, NVIDIA/nccl#1241"},
    {"versions-mismatch", "Mismatched NCCL version|NCCL version mismatch", Role::fault, Lines::any,
     "ranks run different versions of NCCL",
     "install one everywhere: check LD_LIBRARY_PATH, the container's image, pip's nvidia-nccl",
     "NVIDIA/nccl: src/init.cc"},
    {"library-too-old", "library is too old|not backwards compatible", Role::fault, Lines::warnings,
     "the program was compiled for a newer NCCL than the one that it loaded",
     "find the older libnccl.so.2 on LD_LIBRARY_PATH, and remove it", "NVIDIA/nccl: src/init.cc"},
    {"header-mismatch",
     "Invalid config*attribute|compiled with too old version of NCCL|not initialized via NCCL",
     Role::fault, Lines::warnings,
     "the program was compiled with the header of another NCCL than the one that it loaded",
     "find the other libnccl.so.2 (LD_LIBRARY_PATH, pip's nvidia-nccl), and keep the right one",
     "SpursGoZmy/Table-LLaVA#4"},
    {"invalid-call",
     "argument is NULL|is not a valid pointer|allocated on device*NCCL device|: invalid root|: "
     "invalid type|: invalid reduction|Invalid rank requested|Invalid device count|invalid device "
     "count|corrupted comm object|improper usage of|mixing different streams|not in a group call|"
     "to self without a matching|Blocking and nonblocking "
     "communicators|aptured by the same graph|FP8 reduction support begins",
     Role::fault, Lines::warnings, "NCCL was called in a way that it forbids or lacks",
     "mend the call: the warning says what is wrong with it", "NCCL user guide"},
    {"imex-channel",
     "MNNVL*available but not working|Check the IMEX|Cuda failure 800*not permitted", Role::fault,
     Lines::warnings, "this process may not use the NVLink between nodes: no IMEX channel",
     "give it /dev/nvidia-caps-imex-channels; check nvidia-imex-ctl -N; or NCCL_MNNVL_ENABLE=0",
     "NVIDIA/nccl#1925"},
    {"imex-channel", "CUDA_ERROR_NOT_PERMITTED", Role::fault, Lines::gpu},
    {"fabric-degraded", "healthMask*SIGSEGV|NVLink*degraded", Role::fault, Lines::warnings,
     "the NVLink fabric is not healthy", "set NCCL_MNNVL_ENABLE=0, and have the fabric checked",
     "NVIDIA/nccl#2186"},
    {"nvls-failed", "nvls.cc*Cuda failure|Multicast*ailed|nvls*CUDA error", Role::fault,
     Lines::warnings,
     "NVLink SHARP could not be set up: the fabric manager is off, or restarted without the GPUs",
     "without jobs restart the fabric manager, then nvidia-smi -r; or NCCL_NVLS_ENABLE=0",
     "NVIDIA/nccl#1488, pytorch/pytorch#177472"},
    {"nvls-failed", "Failed to bind NVLink SHARP", Role::fault, Lines::any},
    {"fabric-manager-off", "system not yet initialized|ailure 802", Role::fault, Lines::gpu,
     "CUDA cannot start: the fabric manager does not run, or is of another version than the driver",
     "look at systemctl status nvidia-fabricmanager; it has to be of the driver's very version",
     "NVIDIA/nccl-tests#264, NVIDIA/gpu-operator#544"},
    {"fabric-manager-off", "fabric*match with driver version", Role::fault, Lines::any},
    {"fabric-manager-failed", "ailed*NV_WARN_NOTHING_TO_DO", Role::fault, Lines::any,
     "the fabric manager found no NVSwitch: this host has none and needs no fabric manager, or it "
     "has those of HGX B200 and later, and nvlsm does not run",
     "lspci shows whether there are NVSwitches; switch the service off, or install nvlsm",
     "NVIDIA/gpu-operator#610, siderolabs/extensions#717"},
    {"nvlink-p2p-disabled", "P2P is disabled between NVLINK connected GPUs", Role::slow,
     Lines::nccl, "two GPUs may not use their NVLink: it has a fault, or NCCL_P2P_DISABLE is set",
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
     "NCCL_P2P_DISABLE=1 as a test; ACS and IOMMU off; one order in CUDA_VISIBLE_DEVICES",
     "NVIDIA/nccl#257"},
    {"ipc-handle", "cudaIpc|hipIpc", Role::fault, Lines::gpu, "", "", "", "invalid-device"},
    {"ipc-handle", "ailed to open ipc mem handle", Role::fault, Lines::errors},
    {"invalid-device",
     "invalid device ordinal|no CUDA-capable device|no ROCm-capable|Invalid device*totalnDev|"
     "exceeds ndev|No CUDA GPUs|no NVIDIA driver|not compiled with CUDA|nvalid number of GPUs|"
     "invalid device ID|ERROR_NO_DEVICE|ERROR_INVALID_DEVICE|rrorNoDevice|rrorInvalidDevice",
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
    {"driver-too-old", "unsupported CUDA version|unsatisfied condition: cuda", Role::fault,
     Lines::reports},
    {"no-kernel-image",
     "no kernel image is available|invalid device function|symbol not found|not compatible with "
     "the current PyTorch|NO_BINARY_FOR_GPU|INVALID_PTX|rrorNoKernelImage|NoBinaryForGpu|PTX JIT",
     Role::fault, Lines::gpu, "the library has no code for this GPU",
     "install an NCCL or PyTorch that was built for this GPU", "NVIDIA/nccl user guide"},
    {"out-of-gpu-memory",
     "out of memory|torch.OutOfMemoryError|cuda.OutOfMemoryError|Out of memory error on "
     "GPU|OUT_OF_MEMORY|RESOURCE_EXHAUSTED|rrorMemoryAllocation",
     Role::origin, Lines::gpu, "a rank had no more memory on its GPU",
     "a smaller batch; nvidia-smi shows who else holds some; NCCL takes 100s of MB a communicator",
     "NVIDIA/nccl user guide"},
    {"device-assertion", "block: [*thread: [*Assertion*failed", Role::origin, Lines::any,
     "an assertion of a kernel failed on the GPU; one on a class or an index (t < n_classes, "
     "srcIndex "
     "< srcSelectDimSize, index out of bounds) says that a label, a token id or a position is out "
     "of "
     "range",
     "compare the least and the largest label or token id of the batch with the model's classes or "
     "vocabulary; CUDA_LAUNCH_BLOCKING=1, or one batch on the CPU, names the call",
     "PyTorch: aten/src/ATen/native/cuda"},
    {"device-assertion", "evice-side assert|ERROR_ASSERT|rrorAssert", Role::origin, Lines::gpu},
    {"illegal-access",
     "illegal memory access|misaligned address|unspecified launch failure|"
     "illegal instruction|illegal address|invalid address space|invalid program counter|launch "
     "timed out|ERROR_ILLEGAL_A|ERROR_ILLEGAL_I|ERROR_LAUNCH_FAILED|rrorIllegalA|"
     "rrorIllegalI|rrorLaunchFailure|memory aperture",
     Role::origin, Lines::gpu, "a kernel of the program or of NCCL crashed on the GPU",
     "CUDA_LAUNCH_BLOCKING=1 or compute-sanitizer finds it; look in dmesg for an Xid", "CUDA"},
    {"illegal-access",
     "Memory access fault by GPU|HSA_STATUS_ERROR_MEMORY|"
     "HSA_STATUS_ERROR_EXCEPTION|HW Exception by GPU",
     Role::origin, Lines::any},
    {"pcie-atomics", "tomics not enabled|tomics not supported|ejects atomics", Role::fault,
     Lines::any,
     "RCCL's kernels need PCIe atomics, and none reach the GPU, as in many virtual machines",
     "take the bare machine, or a slot at the processor; dmesg shows the device",
     "ROCm hardware requirements"},
    {"cuda-graph-capture",
     "stream is capturing|apture*nvalidated|StreamCapture|captured in a graph", Role::fault,
     Lines::gpu, "a call was made that a CUDA graph cannot hold while it is recorded",
     "warm up before the capture; keep other threads from CUDA meanwhile; or go without graphs",
     "CUDA"},
    {"nvml-failed", "nvidia-container-cli: ", Role::fault, Lines::any},
    {"cuda-not-started",
     "initialization error|driver shutting down|re-initialize CUDA|driver initialization failed|"
     "ERROR_NOT_INITIALIZED|CUDA unknown error|rrorInitialization|driver is shutting down",
     Role::fault, Lines::gpu,
     "CUDA could not start in this process: it was forked from one that had used CUDA, it is "
     "ending, or the container lacks the devices",
     "start workers by spawn; nvidia-smi in the container shows whether it has the GPUs",
     "NVIDIA/nccl#1029"},
    {"wrong-device",
     "invalid resource handle|invalid device context|context is "
     "destroyed|INVALID_CONTEXT|INVALID_HANDLE",
     Role::vague, Lines::gpu,
     "a thread used a communicator or stream of another GPU than its current one",
     "call cudaSetDevice (torch.cuda.set_device) in each thread before it calls NCCL", "CUDA"},
    {"gpu-hardware",
     "ECC error|NVLink error|hardware stack error|busy or unavailable|devices are busy|GPU is lost|"
     "DEVICE_UNAVAILABLE|ECC_UNCORRECTABLE|rrorECCUncorrectable",
     Role::origin, Lines::gpu, "a GPU has a fault, or is held by another process",
     "look at nvidia-smi -q -d ECC and dmesg | grep Xid; nvidia-smi -r resets the GPU",
     "NVIDIA XID errors"},
    {"gpu-hardware",
     "Unable to determine the device handle|GPU is lost|GPU requires reset|uncorrectable hardware "
     "error",
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
     "run linerate topo --lint on this node; unset NCCL_TOPO_FILE", "NVIDIA/nccl user guide",
     "topology-incomplete"},
    {"topology-incomplete", "ring*does not loop back|ring*does not contain", Role::fault,
     Lines::warnings},
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
     "could not select device driver",
     Role::fault, Lines::any},
    {"rccl-kernel-options",
     "from kernel command line|NUMA auto balancing|from environment which can lead", Role::slow,
     Lines::warnings, "a setting of the kernel or of the environment can make RCCL slow or hang",
     "set what the warning names, there or on the kernel's command line; kernel.numa_balancing=0",
     "ROCm/rccl: src/init.cc"},
    {"rccl-hidden-gpus", "Could not read node #", Role::suspect, Lines::warnings,
     "the rank does not see all GPUs of its node, and RCCL cannot read their links",
     "let each rank see all of them, and choose by its local rank", "ROCm/rccl"},
    {"device-without-path", "Could not find real path of*(/sys", Role::harmless, Lines::warnings,
     "", "", ""},
    {"library-missing", "Failed to find CUDA library", Role::suspect, Lines::warnings},
});

}  // namespace

std::span<const Signature> node_signatures() { return kNodeRows; }

}  // namespace linerate::logs
