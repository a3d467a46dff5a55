// Each row of the tables is met by a line, and no other row takes that line first.
#include "diagnose/log/signatures.h"

#include "base/text.h"
#include "unit/diagnose/log/log_text.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>
#include <string>

namespace linerate::logs {
namespace {

struct Example {
  std::string_view name, line;
};

// Warnings without their site, which begin with "W ", and other lines as they are.
constexpr Example kExamples[] = {
    {"ib-port-error", "W NET/IB : mlx5_0:1 Got async event : port error"},
    {"gid-table-changed", "W NET/IB : mlx5_0:1 GID table changed"},
    {"ib-access-violation", "W NET/IB : Got async event : local access violation work queue error"},
    {"ib-port-error", "W NET/IB : mlx5_0:1 Got async error event: port error"},
    {"ib-async-event", "W NET/IB : mlx5_3:1 async fatal event: device fatal"},
    {"ib-device-failed", "W NET/IB: Device 7 marked as failed. Initiating recovery? No"},
    {"ib-local-protection",
     "W NET/IB : Got completion from peer 1.2.3.4<5> with error 4, opcode 1, len 1, vendor err 81"},
    {"ib-local-protection", "W NET/IB : Got completion from peer p with status=4 opcode=0 len=0"},
    {"ib-remote-access", "W NET/IB : Got completion from peer p with status=10 opcode=0 len=0"},
    {"ib-receiver-not-ready", "W NET/IB : Got completion with error 13, opcode 0, len 0"},
    {"ib-flushed", "W NET/IB : Got completion from peer p with error 5, opcode 48, vendor err 249"},
    {"ib-unreachable", "W NET/IB : Got completion with error 12, opcode 0, len 0, vendor err 129"},
    {"ib-unreachable", "W NET/IB : Got completion from peer p with error 12, opcode 1, len 0"},
    {"ib-unreachable", "W NET/IB : Got completion from peer p with status=12 opcode=0 (Send)"},
    {"ib-unreachable",
     "W NET/IB: Got completion from peer p with status=IBV_WC_RETRY_EXC_ERR(12) opcode=SEND(0)"},
    {"ib-completion-error", "W NET/IB : Got completion from peer p with status=2 opcode=0 len=0"},
    {"locked-memory-limit", "W Call to ibv_reg_mr failed with error Cannot allocate memory"},
    {"locked-memory-limit", "W Call to ibv_create_qp failed"},
    {"peer-memory-missing", "W Call to ibv_reg_mr_iova2 failed with error Bad address"},
    {"ib-registration-failed", "W Call to ibv_reg_mr_iova2 failed"},
    {"dmabuf-unsupported", "W Call to ibv_reg_dmabuf_mr failed with error Operation not supported"},
    {"gid-index", "W Call to ibv_modify_qp failed with error Invalid argument"},
    {"gid-index", "W Call to ibv_modify_qp failed with 61 No data available, on dev mlx5_0:1"},
    {"roce-no-route", "W Call to ibv_modify_qp failed with error Network is unreachable"},
    {"rails-not-connected", "W Call to ibv_modify_qp failed with 110 Connection timed out, on dev"},
    {"ib-modify-qp", "W Call to ibv_modify_qp failed with error Remote I/O error"},
    {"ib-device-not-open", "W NET/IB : Unable to open device mlx5_1"},
    {"ib-mixed-devices", "W NET/IB : Attempted to connect incompatible devices: [0]mlx5_0"},
    {"ib-call-failed", "W Call to ibv_query_port failed with error Input/output error"},
    {"no-socket-interface", "W Bootstrap : no socket interface found"},
    {"address-family", "W Net : address family 18505 is neither AF_INET(2) nor AF_INET6(10)"},
    {"address-in-use", "W Call to bind failed : Address already in use"},
    {"connection-refused", "W Connect to 10.0.0.9<4000> failed : Connection refused"},
    {"no-route-to-host", "W Net : Connect to 10.0.0.9<4000> failed : No route to host"},
    {"connect-timeout", "W Call to connect failed : Connection timed out"},
    {"connect-retries",
     "I Call to connect returned Connection timed out, retrying\nTest NCCL failure x"},
    {"rendezvous-retries",
     "[W socket.cpp:9] [c10d] The client socket has failed to connect to [h]:1\nTest NCCL failure "
     "x"},
    {"gpu-guessed",
     "[W a.cpp:9] Rank 0 using best-guess GPU 0 to perform barrier\nTest NCCL failure"},
    {"nvshmem-failed", "/x/init.cu:1033: non-zero status: 7 nvshmem setup failed"},
    {"nvshmem-failed", "/x/bootstrap_uid.cpp:f:77: No socket interface found"},
    {"nvshmem-failed", "n:7:7 [0] NVSHMEM ERROR x"},
    {"ib-local-protection",
     "[1.5] [n4:31:0] a.c:9 UCX  DIAG  ep 0x7: error 'Input/output error' on mlx5_1:1\n"
     "[n4:31:0:31] ib_mlx5_log.c:7  Local protection on mlx5_1:1/IB (synd 0x4)"},
    {"driver-message", "[12.3] infiniband mlx5_0: dump_cqe:272:(pid 12): dump error cqe"},
    {"libfabric-warning", "libfabric:7:core:core:f():7<warn> no provider\nTest NCCL failure x"},
    {"nvshmem-failed", "/nvshmem/ibgda.cpp:77: NULL value Unable to create x"},
    {"nvshmem-failed", "/x/ibgda.cpp 77 no active IB device that can do x is found, exiting..."},
    {"sharp-failure", "sharp_plugin.c:7 NCCL WARN NET/IB : SHARP coll init error: x(-7)"},
    {"sharp-failure", "[n1:0:77 - comm.c:7] ERROR Failed to lock tree(ID:0x4 ret:0x4)"},
    {"sharp-failure", "[n1:0:77 unique id 12] ERROR collect_data: device mlx5_0 is not valid"},
    {"slingshot-undeliverable",
     "MPIR_x(7): OFI poll failed (events.c:7:x:Input/output error - UNDELIVERABLE)"},
    {"ucx-transport-missing",
     "[1.5] [n4:31 :0] x.c:9 UCX  WARN  transports 'cuda_ipc' are not available, please use x\n"
     "Test NCCL failure x"},
    {"ucx-failure", "cache.c:7 UCX Fatal: dest:77: failed to open x (Element already exists)"},
    {"ucx-unreachable", "[n4:31:0:31] mlx5_log.c:7  Transport retry count exceeded on mlx5_0:1/IB"},
    {"ofi-failure", "[0000]        fi_mr_regattr (heap) failed"},
    {"locked-memory-limit", "libfabric:7:9::efa:cq:x():7<warn> no CQ: Cannot allocate memory"},
    {"imex-channel", "[CUDA_ERROR_NOT_PERMITTED] operation not permitted in expression x()"},
    {"cuda-failure", "[CUDA_ERROR_INVALID_VALUE] invalid argument in expression x() in y() : z:7"},
    {"gpu-hardware", "[7.1] amdgpu 0000:1c:00.0: {1}uncorrectable hardware error(x) detected!"},
    {"nvml-failed", "stderr: nvidia-container-cli: initialization error: cuda error: x"},
    {"rank-killed", "[0]<stderr>:Killed"},
    {"peer-closed",
     "Thu 2019[0]<stderr>:  what():  [/x/pair.cc:7] Connection closed by peer [h]:7"},
    {"invalid-call", "W Attempt to use communicator before the previous operation returned x"},
    {"feature-unavailable", "W nvmlDeviceGetP2PStatus(0,0,x) failed: Not Supported"},
    {"feature-unavailable",
     "W Failed to find nvml device for busId x. This may affect performance."},
    {"feature-unavailable", "W Cannot get incoming CPU."},
    {"connect-retries", "W Maximum retry reached for accept 7.\nTest NCCL failure x"},
    {"failure-passed-on", "ERROR 77 [worker_base.py:7] Error executing method x"},
    {"gdrcopy-failed", "W NET/OFI Failed to initialize GDRCopy: x"},
    {"efa-registration", "W NET/OFI Could not register memory on rail 7"},
    {"efa-provider-missing", "W NET/OFI Only EFA provider is supported"},
    {"efa-provider-missing", "W NET/OFI Couldn't find any optimal provider"},
    {"net-plugin-failed", "W Failed to initialize any NET plugin"},
    {"gin-failure", "W User requested GIN but not all ranks in the communicator support GIN"},
    {"nic-merge", "W NET/IB : Can't merge net devices with different link_layer"},
    {"address-not-resolved", "W Net : error encountered when getting address info : x"},
    {"ofi-failure", "NET/OFI Unexpected number of remote devices. Expected 7"},
    {"ofi-failure", "W NET/OFI Request completed with error"},
    {"ofi-failure", "WARN: Function: main Line: 66: NET/OFI OFI NCCL failure: 2"},
    {"ofi-failure", "W NET/OFI Couldn't open AV. RC: -22, ERROR: Invalid argument"},
    {"ofi-failure", "WARN: Function: ofi_init Line: 66: NET/OFI Couldn't open AV"},
    {"efa-failure",
     "libfabric:7:9::efa:cq:handle_error():7<warn> err: 5, message: Invalid address"},
    {"ucx-unreachable",
     "[1.5] [n4:31 :0] ib_log.c:9 UCX  ERROR Error on QP 0x7: Transport retry count exceeded"},
    {"network-kinds-differ", "W socketFinalizeAccept: wrong type 4 != 3"},
    {"ib-device-not-open", "W Rank 7 could not open rdma9 (errno 2). Restrict NCCL_IB_HCA"},
    {"plugin-settings", "W NCCL/NET (shim) mismatch enforced: NCCL_X=7 (expected 9)"},
    {"mixed-devices-per-rank",
     "W Detected mixed local Net device counts across ranks (min 1, max 8)"},
    {"truncated-message", "W Message truncated : received 1024 bytes instead of 256"},
    {"peer-closed", "W socketProgress: Connection closed by remote peer node1<4000>"},
    {"socket-failed", "W NET/Socket : socket progress error"},
    {"proxy-failed",
     "W [Proxy Service 1] Failed to execute operation Connect from rank 1, retcode 2"},
    {"rank-twice", "W Bootstrap Root : rank 1 of 8 ranks has already checked in"},
    {"rccl-kernel-options", "W Missing \"iommu=pt\" from kernel command line which can lead to"},
    {"gpu-xid", "kernel: NVRM: Xid (PCI:0000:3b:00): 79, GPU has fallen off the bus"},
    {"shared-memory-full", "W Call to posix_fallocate failed : No space left on device"},
    {"shared-memory-permission", "W Call to shm_open failed : Permission denied"},
    {"shared-memory-gone", "W Error while attaching to shared memory segment /dev/shm/nccl-x"},
    {"shared-memory-gone", "misc/shmutils.cc:9 NCCL WARN Call to open failed: No such file or dir"},
    {"shared-memory-failed", "W Error while creating shared memory segment /dev/shm/nccl-x"},
    {"same-gpu-twice", "W Duplicate GPU detected : rank 1 and rank 0 both on CUDA device 7000"},
    {"versions-mismatch", "W Mismatched NCCL version detected : rank 0 version 22105 rank 1 21803"},
    {"library-too-old", "W NCCL library is too old. This application was compiled with NCCL 2.29"},
    {"header-mismatch", "W Invalid config splitShare attribute value 77"},
    {"invalid-call", "W ncclAllReduce : sendbuff is not a valid pointer"},
    {"imex-channel", "W MNNVL (cliqueSize 8) is available but not working. Check the IMEX channel"},
    {"imex-channel", "W MNNVL (cliqueSize 8) is available but not working on this system."},
    {"pcie-atomics", "rocvirtual.cpp:77  Pcie atomics not enabled, x"},
    {"fabric-degraded", "W NVLink fabric degraded"},
    {"nvls-failed", "W Failed to bind NVLink SHARP (NVLS) Multicast memory of size 1"},
    {"fabric-manager-off", "W Cuda failure 802 'system not yet initialized'"},
    {"fabric-manager-off",
     "Jan 01 00:00:01 n1 nv-fabricmanager[7]: fabric manager driver interface version 1.2.3 don't "
     "match with driver version 1.2.4"},
    {"fabric-manager-failed",
     "Jan 01 00:00:01 n1 nv-fabricmanager[7]: query of x failed: x [NV_WARN_NOTHING_TO_DO]"},
    {"nvlink-p2p-disabled", "I P2P is disabled between NVLINK connected GPUs 1 and 0"},
    {"p2p-disabled", "I P2P is disabled between connected GPUs 1 and 0"},
    {"gpudirect-disabled", "I NET/IB : GPU Direct RDMA Disabled for HCA 0 'mlx5_0'"},
    {"peer-access-failed",
     "W failed to peer with device 1(=7000): 217 peer access is not supported"},
    {"ipc-handle", "W cudaIpcGetMemHandle failed : invalid argument"},
    {"ipc-handle", "W hipIpcGetMemHandle failed : invalid argument"},
    {"invalid-device", "Test CUDA failure common.cu:1 'invalid device ordinal'"},
    {"driver-too-old", "W Cuda failure 'CUDA driver version is insufficient for CUDA runtime'"},
    {"no-kernel-image", "W Cuda failure 209 'no kernel image is available for execution'"},
    {"out-of-gpu-memory", "W Cuda failure 'out of memory'"},
    {"out-of-gpu-memory", "torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2 GiB"},
    {"out-of-gpu-memory", "torch.OutOfMemoryError: HIP out of memory. Tried to allocate 2 GiB"},
    {"illegal-access", "RuntimeError: CUDA error: an illegal memory access was encountered"},
    {"cuda-not-started", "W Cuda failure 'initialization error'"},
    {"cuda-failure", "RuntimeError: CUDA error: unknown error"},
    {"rccl-hidden-gpus", "W Could not read node # 7\nTest NCCL failure x"},
    {"wrong-device", "W Cuda failure 400 'invalid resource handle'"},
    {"no-kernel-image", "W Cuda failure 'named symbol not found'"},
    {"gpu-hardware", "W Cuda failure 214 'uncorrectable ECC error encountered'"},
    {"files-or-threads-limit", "W Call to socket failed : Too many open files"},
    {"topology-too-large", "W Error : too many XML nodes (max 77)"},
    {"topology-file", "W XML Parse : expected >, got <"},
    {"topology-other-host", "W localHostHash 0x1 not found in list of system hostHashes"},
    {"no-path", "W Could not find a path for pattern 4, falling back to simple order"},
    {"topology-incomplete", "W Could not find NET with id 3"},
    {"device-not-in-sysfs", "W Could not find real path of /sys/class/pci_bus/0000:02"},
    {"no-algorithm", "W Error : no algorithm/protocol available for function AllReduce"},
    {"net-transport-missing", "W Rank 1 has no transport for send peer 2 on channel 0/0"},
    {"nvml-failed", "W nvmlInit failed: Driver/library version mismatch"},
    {"gdrcopy-failed", "W gdr_map(handle 7, size 7) failed: 22"},
    {"out-of-host-memory", "W Failed to malloc 77 bytes"},
    {"gpu-allocation-failed", "W Failed to CUDA calloc 77 bytes"},
    {"nvml-call-failed", "W nvmlDeviceGetHandleByPciBusId() failed: Not Found"},
    {"system-call-failed", "W Call to fcntl failed: Bad file descriptor"},
    {"not-to-open", "W Could not open /x/y for rank 7"},
    {"ranks-disagree", "W Rank 7 has channels that differ from those of rank 3"},
    {"nvls-failed", "RuntimeError: Failed to bind NVLink SHARP memory: CUDA error out of memory"},
    {"kernel-fault", "mlx5_core 0000:3b:00.0: Port module event: module 7, Cable unplugged"},
    {"rank-crashed", "subprocess: 'x' died with <Signals.SIGSEGV: 11>"},
    {"impossible-state", "W Local rank 7 has been lost"},
    {"topology-incomplete", "W Error : ring 7 does not contain rank 3"},
    {"setting-changed", "W User asked for a minimum of 77 channels, limiting to 32"},
    {"feature-unavailable", "W MNNVL is not supported on this system"},
    {"cuda-failure", "W Cuda failure 'unknown error'"},
    {"node-failed", "slurmstepd: error: *** JOB 7 ON n1 CANCELLED AT 2025 DUE TO NODE FAILURE ***"},
    {"rank-killed", "failed (exitcode: -9) local_rank: 0 (pid: 9) of binary: python"},
    {"rank-killed", "srun: error: n4: task 6: Exited with exit code 137"},
    {"rank-killed", "srun: error: n4: tasks 5-7: Killed"},
    {"node-failed", "srun: error: Node failure on n4"},
    {"rank-killed", "[launch.py:9:sigkill_handler] ['python'] exits with return code = -9"},
    {"rank-killed", "    reason: OOMKilled"},
    {"rank-killed", "srun: error: n4: task 5: Out Of Memory"},
    {"rank-killed", "slurmstepd: error: Detected 3 oom_kill events in StepId=8.0"},
    {"rank-killed", "/var/spool/slurmd/job8/slurm_script: line 9: 31 Killed    python train.py"},
    {"rank-crashed", "Segmentation fault (core dumped)"},
    {"rank-crashed", "  traceback : Signal 7 (SIGBUS) received by PID 31"},
    {"rank-crashed", "Bus error (core dumped)"},
    {"rank-crashed", "!!! Segfault encountered !!!"},
    {"rank-crashed", "python3[77]: segfault at 8 ip 7f sp 7f error 4 in libx.so"},
    {"library-missing", "run.sh: line 7: mpirun: command not found"},
    {"disk-full", "writing the checkpoint again: [Errno 28] No space left on device"},
    {"rank-aborted", "terminate called without an active exception"},
    {"rank-crashed", "[n4:31] Signal: Bus error (7)"},
    {"job-ended", "slurmstepd: error: *** STEP 8.0 ON n4 CANCELLED AT 2025 DUE TO TIME LIMIT ***"},
    {"rank-ended", "slurmstepd: error: *** STEP 8.0 ON n4 CANCELLED AT 2025-02-01T07:30:01 ***"},
    {"rank-ended", "Sending process 7 closing signal SIGTERM"},
    {"rank-aborted", "failed (exitcode: -6) local_rank: 0 (pid: 88) of binary: python"},
    {"rank-aborted", "[n4:31] Signal: Aborted (6)"},
    {"mpi-failed",
     "  what():  [TensorRT-LLM][ERROR] Assertion failed: Failed: MPI error /x.cpp:7 '6'"},
    {"collective-timeout", "DeepEP dispatch NVL receiver timeout, channel: 3, RDMA: 1, nvl: 0"},
    {"locked-memory-limit",
     "[1.5] [n:7:0] ib_md.c:7 UCX ERROR ibv_reg_mr(length=7) failed: Cannot allocate memory"},
    {"cuda-failure", "[FATAL ERROR]: HIP failure: 'invalid device pointer'"},
    {"rendezvous-unreachable",
     "x.RendezvousConnectionError: The connection to the C10d store has failed."},
    {"daemon-lost", "ORTE has lost communication with a remote daemon."},
    {"hosts-unreachable",
     "[mpiexec@n1] check_exit_codes (poll.c:7): unable to run bstrap_proxy on n4 (pid 7, code "
     "256)"},
    {"mpi-failed", "[mpiexec@n1] match_arg (args.c:7): unrecognized argument mca"},
    {"mpi-failed", "The LSF process starter (lsb_launch) failed to start the daemons on the nodes"},
    {"failure-passed-on",
     "[proxy:0:0@n4] HYD_pmcd_x (pmip_cb.c:7): assert (!closed) failed\n"
     "=   BAD TERMINATION OF ONE OF YOUR APPLICATION PROCESSES"},
    {"program-not-found", "problem with execution of x  on  n4:  [Errno 2] No such file"},
    {"rank-killed", "num: 25\n=   EXIT CODE: 256\n=   EXIT CODE: 9"},
    {"rank-crashed", "n4.x: rank 7 died from signal 15\nn5.x: rank 9 died from signal 11"},
    {"rank-aborted", "[n4:31] *** End of error message ***\nsignal 6 (Aborted)."},
    {"ucx-unreachable",
     "[1.5] [n4:31:0] x.c:7 UCX  ERROR ibv_create_ah(x) failed: Connection timed out"},
    {"ib-call-failed",
     "[1.5] [n4:31:0] x.c:7 UCX  ERROR ibv_create_cq(cqe=7) failed: Connection timed out"},
    {"error-line", "w-1: EH9999: 2024 wait for compute device to finish failed, result = 7"},
    {"failure-passed-on", "[mpiexec@n1] poll_for_event (poll.c:7): check exit codes error"},
    {"mpi-failed", "Assertion failed in file x/socksm.c at line 7: y"},
    {"mpi-failed", "x(7): OFI poll failed (events.c:7:x:Input/output error - PTLTE_NOT_FOUND)"},
    {"rank-crashed", "Program received signal SIGSEGV: Segmentation x - invalid memory reference."},
    {"rank-aborted", "Program received signal SIGABRT: Process abort signal."},
    {"rank-aborted", "forrtl: error (76): Abort trap signal"},
    {"rank-ended", "forrtl: error (78): process killed (SIGTERM)"},
    {"rank-ended", "FatalError: A serious error (Termination signal) is detected by the x"},
    {"error-line", "forrtl: severe (24): end-of-file during read, unit 7"},
    {"error-line", "INTERNAL: external/x/x.cc:7: strange error"},
    {"rank-failed", "2025-01-02 03:04:05,409 WARNING worker.py:7 -- Raylet is terminated: ip=x."},
    {"library-missing", "INTERNAL: x.cc:7: f(&id) failed: Unable to load NCCL library. y"},
    {"mpi-unreachable",
     "[proxy:0:3@n4.x] HYDU_sock_connect (sock.c:7): unable to connect from \"n4.x\" to \"n1.x\""},
    {"hosts-unreachable", "ssh_exchange_identification: Connection closed by remote host"},
    {"program-not-found", "slurmstepd: error: execve(): /x/y: No such file or directory"},
    {"program-not-found",
     "[proxy:0:0@n4] HYDU_create_process (launch.c:7): execvp error on file ./x (No such file)"},
    {"program-not-found", "bash: orted: command not found"},
    {"pmix-unreachable", "[unset]: Unable to write to PMI_fd"},
    {"psm-failed", "n4.31PSM2 can't open hfi unit: -1 (err=23)"},
    {"mpi-not-gpu-aware", "aborting job: x is requested, but GTL library is not linked"},
    {"mpi-misused", "*** The MPI_Send() function was called after MPI_FINALIZE was invoked."},
    {"mpi-misused", "[n4:31] *** MPI_ERR_TRUNCATE: message truncated"},
    {"mpi-failed", "[n4:31] *** MPI_ERR_OTHER: known error not in list"},
    {"mpi-network-failed", "f(7).....: OFI endpoint open failed (init.c:7:f:Invalid argument)"},
    {"shared-memory-failed", "MPIU_SHMW_Seg_x(7): open failed - x"},
    {"program-aborted", "3: application called MPI_Abort(MPI_COMM_WORLD, 7) - process 3"},
    {"program-aborted", "MPI_ABORT was invoked on rank 3 in communicator MPI_COMM_WORLD"},
    {"rank-restarted",
     "2025-01-02 03:04:05.6: E external/x/x/distributed_runtime/coordination/x_service.cc:962] "
     "/job:x/task:3 unexpectedly tried to connect with a different incarnation."},
    {"node-failed", "worker exit type: SYSTEM_ERROR Worker exit detail: Owner's node has crashed."},
    {"files-or-threads-limit",
     "(W pid=7) [2025-01-02 03:04:05,014 E 7 7] logging.cc:1: Unhandled exception: N5x. what(): "
     "thread: Resource temporarily unavailable [system:11]"},
    {"failure-passed-on",
     "Exception: x failed due to an exception in a background process. See stack trace for root."},
    {"job-not-started", "sbatch: error: CPU count per node can not be satisfied"},
    {"rank-crashed", "pure virtual method called"},
    {"nccl-failed", "x.EnforceNotMet: unhandled cuda error at [/x/nccl_helper.h:93]"},
    {"nccl-failed", "OSError: (External)  Nccl error, unhandled cuda error  (at /x.cc:7)"},
    {"driver-too-old", "Error: unsupported CUDA version: driver 0.0 < image 7.5"},
    {"driver-too-old", "CUDA initialization error on n4: system has unsupported display driver"},
    {"node-failed", "W1008 10:13:07.9  4  4 x.cc:3] Node 3d failed, rescheduling the groups"},
    {"error-line", "(pid=7) E0328 18:23:00.1 7 x.cc:3] Raylet failed. Shutting down."},
    {"cuda-failure",
     "[E ProcessGroupNCCL.cpp:9] [Rank 0] NCCL watchdog thread terminated with exception: CUDA "
     "error: unknown error"},
    {"error-line", "F20250825 11:10:33.5   331 x.h:592] Check failed: y(z)"},
    {"ib-async-event", "W NET/IB : Got async event : client reregistration"},
    {"mpi-failed", "Open MPI failed an OFI library call (fi_x)."},
    {"storage-failed",
     "May 1 01:02:03 n4 kernel: [ 7.5] nfs: server x.y not responding, still trying"},
    {"invalid-device", "THCudaCheck FAIL file=x.cpp line=7 error=101 : invalid device ordinal"},
    {"mpi-failed", "[n4:31] PML xyz cannot be selected"},
    {"mpi-failed", "No components were able to be opened in the xyz framework."},
    {"collectives-differ", "error msg: Culprit rank 3; Error type: SIZE_MISMATCH, Expected sizes"},
    {"ib-completion-error", "mlx5: n4: got completion with error:"},
    {"nccl-failed", "x, NCCL error encountered at: file=x.hpp line=7: call='ncclBroadcast(x)'"},
    {"rank-aborted", "--- Processor 7 Exiting: Called XyzAbort ---"},
    {"collective-timeout", "what(): [PG ID 7 Rank 3] Watchdog caught colle"},
    {"ranks-missing",
     "2025-01-02 03:04:05.6: E x/rendezvous.cc:7] Rank 3 has been waiting for `x` and may be "
     "stuck"},
    {"job-not-started", "srun: error: Task launch for 7.0 failed on node n4: x"},
    {"job-not-started", "srun: error: task 7 launch failed: Unspecified error"},
    {"job-not-started", "slurmstepd: error: pyxis: container start failed with error code: 7"},
    {"gloo-unreachable", "[rank3]:[E Process.cpp:7] Gloo connectFullMesh failed with [pair.cc:7]"},
    {"nccl-failed", "Failed, NCCL error /x/y.cpp:7 'unknown result code'"},
    {"failure-passed-on", "=   BAD TERMINATION OF ONE OF YOUR APPLICATION PROCESSES"},
    {"impossible-state", "W (init.cc:7) something"},
    {"rank-aborted", "process rank 0 with PID 31 on node n4 exited on signal 6 (Aborted)."},
    {"nccl-unusable", "RuntimeError: Distributed package doesn't have NCCL built in"},
    {"collectives-differ",
     "RuntimeError: Detected mismatch between collectives on ranks. Rank 0 is running collective"},
    {"unused-parameters",
     "RuntimeError: Expected to have finished reduction in the prior iteration before a new one"},
    {"pytorch-bug",
     "[Rank 3] NCCL watchdog thread terminated with exception: x == y INTERNAL ASSERT FAILED at z"},
    {"mpi-failed", "*** An error occurred in MPI_Init"},
    {"mpi-failed", "[n4:31] a.h:7: *** The Open MPI OFI MTL is aborting the MPI job"},
    {"rendezvous-unreachable",
     "[E socket.cpp:9] [c10d] The client socket has timed out after 60s while trying to connect"},
    {"port-in-use",
     "[E socket.cpp:9] [c10d] The server socket has failed to listen on any address"},
    {"unique-id-timeout",
     "[2] is setting up NCCL communicator and retrieving ncclUniqueId from [0] via c10d key-value "
     "store by key '0', but store->get('0') got error: Socket Timeout"},
    {"invalid-usage", "ncclInvalidUsage: This usually reflects invalid usage of NCCL library"},
    {"collective-timeout",
     "[Rank 1] Watchdog caught collective operation timeout: WorkNCCL(SeqNum=5"},
    {"heartbeat-timeout", "[E ProcessGroupNCCL.cpp:9] [PG 0 Rank 1] Heartbeat monitor timed out!"},
    {"torch-failure", "[Rank 1] NCCL watchdog thread terminated with exception"},
    {"nccl-failed",
     "ncclSystemError: System call (e.g. socket, malloc) or external library failed"},
    {"rank-failed", "failed (exitcode: 1) local_rank: 0 (pid: 88) of binary: python"},
    {"rank-failed", "  Exit code:    3"},
    {"store-closed",
     "[rank8]:[W ProcessGroupNCCL.cpp:9] [PG ID 0 PG GUID 0 Rank 8] Failed to check the \"should "
     "dump\" flag on TCPStore, with error: Broken pipe"},
    {"store-closed",
     "[W TCPStore.cpp:9] [c10d] recvValue failed on SocketImpl(fd=7): Connection reset by peer"},
    {"error-code", "I graph/paths.cc:7 -> 3"},
    {"failure-passed-on", "ERROR api.py: torch.distributed.elastic.ChildFailedError: x"},
    {"failure-passed-on", "subprocess.CalledProcessError: Command x"},
    {"ranks-missing", "torch.DistStoreError: Timed out after 9 seconds. 1/2 clients joined."},
    {"peer-closed", "ConnectionResetError: [Errno 104] Connection reset by peer"},
    {"disk-full", "OSError: [Errno 28] No space left on device: 'x'"},
    {"shared-memory-full", "ERROR: it is out of shared memory"},
    {"port-in-use", "OSError: [Errno 98] Address already in use"},
    {"address-not-resolved", "W Socket creation failed : Address family not supported by protocol"},
    {"permission-denied", "W Strange open of x failed : Permission denied (13)"},
    {"library-missing", "ImportError: x.so: undefined symbol: ncclNew"},
    {"storage-failed", "OSError: [Errno 5] Input/output error"},
    {"kernel-fault", "[7.1] mlx5_core 0000:3b:00.0 ens1: NIC Link is Down"},
    {"nvml-failed", "nvidia-container-cli: initialization error: driver not loaded"},
    {"cuda-graph-capture", "W Cuda failure 900 'operation not permitted when stream is capturing'"},
    {"illegal-access", "Memory access fault by GPU node-4 on address 0x7f"},
    {"pmix-unreachable", "[n1:1] OPAL ERROR: Unreachable in file ext3x_client.c at line 112"},
    {"hosts-unreachable", "n2: ssh: connect to host n2 port 22: Connection refused"},
    {"job-not-started", "srun: error: Unable to create step for job 7: Invalid generic resource"},
    {"wrong-results", "# Out of bounds values : 12 FAILED"},
    {"too-few-slots", "There are not enough slots available in the system"},
    {"ucx-failure", "[1.5] [n4:31 :0] a.c:9 UCX  ERROR strange"},
    {"cuda-library-failed", "RuntimeError: CUDA error: CUBLAS_STATUS_NOT_INITIALIZED"},
    {"unmarked-error", "mixer: cannot stir\nsrun: error: n4: task 3: Exited with exit code 1"},
    {"uncaught-exception", "ValueError: x"},
    {"uncaught-exception", "  what():  x"},
    {"error-line", "2025-01-01 ERROR x"},
    {"cleanup-failed", "W rank 3 deregister IPC buffer 0x7f peerRank 2 failed"},
    {"ib-failure", "W NET/IB : Cannot use physical device 9, max 8"},
    {"gin-failure", "W RMA CE is not initialized"},
    {"plugin-failure", "W SHARP regmr failed"},
    {"symmetric-space-used-up", "W (ncclSpaceAlloc) x. No suitable space found for size=0x7"},
    {"not-found-by-shell", "sh: 1: x: not found\nsrun: error: n4: task 3: Exited with exit code 1"},
    {"workers-waited-for",
     "INFO No available shared memory broadcast block found in 60 seconds.\nx.EngineDeadError: y"},
    {"registration-failed", "W Communicator does not support symmetric memory!"},
    {"msccl-failure", "W MSCCL: protocol x is not supported."},
    {"socket-failure", "W Bootstrap Root : localId 9 is out of range"},
    {"in-abort", "W Comm 0x55 is in abort state"},
};

// By all that a log goes through; empty: none.
std::string rule_of(const std::string& log) {
  const auto report = read_log(log);
  return report.findings.empty() ? "" : report.findings[0].rule;
}

TEST(Signatures, AreEachMetByALine) {
  std::set<std::string_view> met;
  for (const auto& [name, line] : kExamples) {
    const auto log = line.starts_with("W ")   ? warn(0, "a.cc:1", line.substr(2))
                     : line.starts_with("I ") ? info(0, line.substr(2))
                                              : std::string(line);
    EXPECT_EQ(rule_of(log), name) << line;
    met.insert(name);
  }
  for (const auto table : signature_tables())
    for (const auto& row : table)
      EXPECT_TRUE(met.contains(row.name) || row.role == Role::harmless) << row.name;
}

// A line that the alternative matches, as far from a warning as the row allows.
std::string line_of(const Signature& row, std::string_view alternative) {
  const auto text = "a " + replaced(std::string(alternative), "*", " x ") + " b";
  switch (row.lines) {
    case Lines::warnings:
      return warn(0, "a.cc:1", text);
    case Lines::nccl:
      return info(0, text);
    case Lines::gpu:
      return "CUDA error: " + text;
    case Lines::errors:
    case Lines::reports:
      return "ERROR " + text;
    case Lines::exceptions:
      return "AnError: " + text;
    case Lines::others:
    case Lines::any:
      break;
  }
  return text;
}

TEST(Signatures, AreMetByEachAlternativeOfTheirPatterns) {
  for (const auto table : signature_tables())
    for (const auto& row : table)
      for (const auto& alternative : split(row.pattern, '|'))
        EXPECT_EQ(rule_of(line_of(row, alternative) +
                          (row.role == Role::suspect ? "\nTest NCCL failure" : "")),
                  row.role == Role::harmless ? "" : row.name)
            << alternative;
}

TEST(Signatures, OfHarmlessLinesSaySo) {
  for (const std::string_view text :
       {"NET/IB : No device found.", "Failed to open libibverbs.so[.1]"}) {
    const auto* row = find_signature({.level = Level::info, .text = text, .whole = text});
    ASSERT_NE(row, nullptr) << text;
    EXPECT_EQ(row->role, Role::harmless);
  }
}

TEST(Signatures, DoNotTakeLinesOfHealthyJobs) {
  for (const std::string_view text :
       {"Call to connect returned Connection refused, retrying", "Using network Socket",
        "NET/Plugin : No plugin found (libnccl-net.so), using internal implementation",
        "NET/Socket : GPU Direct RDMA Disabled for HCA 0 'eth0'", "Connected all rings",
        "comm 0x1 rank 0 - Abort COMPLETE", "misc/socket.cc:47 -> 7",
        "Init timings - ncclCommInitRank: rank 0 nranks 8 total 12.00"})
    EXPECT_EQ(rule_of(info(0, text)), "") << text;
  for (const std::string_view line :
       {"INFO: NCCL collective timeout from the command line is 900 s",
        "step 12: CUDA out of memory, going on with a smaller batch",
        "installed a handler of SIGUSR1 and SIGTERM: Signal 15 writes a checkpoint",
        "[PG ID 0 Rank 3] Aborting NCCL communicator 0 after destroy_process_group",
        "E external/a.cc:4] Unable to register cuFFT factory",
        "[W socket.cpp:6] [c10d] The client socket cannot be initialized to connect to [::1]:29500",
        "libfabric:7:core:f():9<warn> fi_getinfo: provider psm returned -61",
        "INFO caught KeyError: 'x'; Connection refused, trying again",
        "Test error: 0.034",
        "metrics of NCCL sent; Broken pipe seen 0 times",
        "Detected 4 NICs",
        "Exited with code 0",
        "n:7:7 [0] NVSHMEM INFO [0] status 0 cudaErrorNoKernelImageForDevice 209",
        "[1.5] [n:7:0] x.c:9 UCX  DEBUG handler of CUDA_ERROR_NOT_PERMITTED",
        "NVSHMEM_ENABLE_ERROR_CHECKS false (type: bool, default: false)",
        "  raise RuntimeError(f\"NCCL error: {text}\")",
        "SIGSEGV would show a Segmentation violation",
        "[mpiexec@n1] Exit codes: [n1] 0,0",
        "[mpiexec@n1] Launch arguments: ssh n4 x --error-file y.log",
        "[mpiexec@n1] got PMI command: cmd=barrier_in",
        "/bin/sh: ip: command not found"})
    EXPECT_EQ(rule_of(std::string(line)), "") << line;
}

TEST(SignaturePattern, TakesPiecesInOrderOrAnAlternative) {
  EXPECT_TRUE(matches("a*c|x", "abc"));
  EXPECT_TRUE(matches("a*c|x", "x"));
  EXPECT_FALSE(matches("a*c", "ca"));
  EXPECT_FALSE(matches("a*a", "a"));
  EXPECT_TRUE(matches("failed*", "it failed"));
}

}  // namespace
}  // namespace linerate::logs
