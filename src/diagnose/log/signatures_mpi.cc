// MPI: its launchers (mpirun, prterun, Hydra, srun), and its libraries, which fail before NCCL is
// asked. A launcher's summary comes after the line that says why, whichever was written first.
#include "diagnose/log/signatures.h"

#include <array>

namespace linerate::logs {
namespace {

constexpr auto kMpiRows = std::to_array<Signature>({
    {"program-not-found", "ssh exited with exit code 127", Role::fault, Lines::any},
    {"hosts-unreachable",
     "ssh: connect to host|ssh exited with exit code 255|Host key verification failed|Permission "
     "denied (publickey|ssh: Could not "
     "resolve|ssh_exchange_identification|kex_exchange_identification|Command 'ssh *non-zero exit "
     "status 255",
     Role::fault, Lines::any,
     "a launcher did not reach a host by ssh, or got nothing started there",
     "ssh to each host without a password; for a port of its own see the launcher's options",
     "DeepSpeed, Open MPI"},
    {"hosts-unreachable", "unable to run bstrap_proxy|unable to run proxy", Role::report,
     Lines::any},
    {"program-not-found",
     "unable to find the specified executable|unable to launch the specified application|execvp "
     "error|problem with execution of|execve(): |orted: command not found|prted: command not "
     "found|proxy: command not found|start failed: *No such file",
     Role::fault, Lines::any,
     "a launcher could not start a program on a host: it is not there, or not executable",
     "write its whole path, check that it is on all hosts, and PATH in shells without a login; of "
     "Open MPI's own daemon --prefix says where it is",
     "horovod/horovod#347, open-mpi/ompi#599"},
    {"failure-passed-on", "ssh exited with exit code", Role::relay, Lines::any},
    {"launcher-usage",
     "Open MPI has detected that a parameter|An unrecognized option was included on the|Error: "
     "unknown option \"|[mpiexec@*unrecognized argument|[mpiexec@*nvalid option|mpiexec: "
     "unrecognized |mpirun: unrecognized |mpiexec: invalid option|mpirun: invalid option|srun: "
     "unrecognized option|srun: invalid option|srun: option requires an argument|srun: error: "
     "Invalid numeric value|srun: error: Invalid*specification|torchrun: error: |run.py: error: "
     "the following arguments are required: training_script|accelerate <command>*error: ",
     Role::fault, Lines::any,
     "a launcher does not understand its own command line: it has no such option, or an option got "
     "a value of another kind",
     "mend the option that it names; an option whose value is missing takes the next word for it; "
     "what is meant for the program stands behind the program's name; launchers differ in their "
     "options (--version, --help)",
     "Open MPI, MPICH, Slurm, PyTorch"},
    {"fork-unsafe", "EFA provider is operating in|EFA provider to work safely", Role::fault,
     Lines::any,
     "a process that uses EFA started another one by fork(), which libfabric allows only if it "
     "is told so: it ends the job",
     "FI_EFA_FORK_SAFE=1 (before libfabric 1.13: RDMAV_FORK_SAFE=1), or start no programs after "
     "MPI_Init: system(), popen(), Python's subprocess",
     "ofiwg/libfabric#6332"},
    {"fork-unsafe", "to the fork() system call|to the \"fork()\" system call", Role::suspect,
     Lines::any},
    {"too-few-slots",
     "not enough slots|requested more processes|Unable to layout tasks|binding more processes "
     "than|job are already filled",
     Role::fault, Lines::any, "more ranks were asked for than there are places for them",
     "give each host its number: slots=N in the hostfile, --ntasks-per-node and --cpus-per-task "
     "in Slurm; or mpirun --oversubscribe",
     "openpmix/prrte#666"},
    {"mpi-unreachable",
     "failed to TCP connect|unable to complete a TCP|HYDU_sock_connect*unable to connect|unable to "
     "connect to server*at port|unable to connect to*on port|unable to connect to "
     "rank|ommunication error with rank*refused|ommunication error with rank*imed out|ommunication "
     "error with rank*No route",
     Role::fault, Lines::any,
     "ranks or daemons of MPI do not reach each other by TCP: a firewall, or the wrong interface",
     "name the interface that reaches all hosts: Open MPI --mca btl_tcp_if_include and "
     "oob_tcp_if_include, PRTE --prtemca prte_if_include, Hydra -iface; open the ports",
     "open-mpi/ompi#4963, pmodels/mpich#4599"},
    {"daemon-lost",
     "ORTE has lost communication|PRTE has lost communication|ORTE does not know how to route|PRTE "
     "does not know how to route",
     Role::vague, Lines::any,
     "a launcher's daemon on another host was gone: it or its host ended, or the network between",
     "look at that host: dmesg, its memory, its health; name the interface that reaches all hosts: "
     "Open MPI --mca oob_tcp_if_include, PRTE --prtemca prte_if_include",
     "open-mpi/ompi#6786"},
    {"pmix-unreachable",
     "OPAL ERROR: Unreachable in file|Unable to write to PMI_fd|PMI_Init returned|PMI_Init failed|"
     "PMI2_Init failed|SLURM's PMI support|pmix_base_select failed",
     Role::fault, Lines::any,
     "a rank did not reach the process manager (PMI, PMIx) of its launcher: the program was built "
     "with another MPI, or munged ended while the job started",
     "start it with the mpirun of the MPI that it was built with, or with the right srun --mpi=; "
     "where munged comes and goes, set PMIX_MCA_psec=native",
     "open-mpi/ompi#7025"},
    {"psm-failed",
     "PSM2 can't open|PSM2 was unable|PSM was "
     "unable|hfi_userinit|map_hfi_mem*failed|assign_context command failed|communicating with the "
     "driver",
     Role::fault, Lines::any,
     "PSM, the library of Omni-Path adapters, could not open one: its link is down, or other ranks "
     "hold all of its contexts",
     "opainfo shows the link; PSM2_RANKS_PER_CONTEXT=4 shares contexts; --mca mtl ^psm2 or "
     "FI_PROVIDER=tcp do without",
     "open-mpi/ompi#10601"},
    {"mpi-not-gpu-aware", "GTL library is not linked", Role::fault, Lines::any,
     "MPI was to take memory of GPUs, and was built or linked without that",
     "load the module of the GPU before the program is linked (Cray: craype-accel-*), take an MPI "
     "with CUDA or ROCm, or unset MPICH_GPU_SUPPORT_ENABLED",
     "flux-framework/flux-core#6924"},
    {"mpi-not-gpu-aware", "not CUDA-aware|not GPU-aware", Role::fault, Lines::errors},
    {"mpi-failed", "MPI_ERR_OTHER|MPI_ERR_INTERN|MPI_ERR_UNKNOWN", Role::vague, Lines::any},
    {"peer-closed", "MPI_ERR_PROC_", Role::consequence, Lines::any},
    {"not-to-open", "MPI_ERR_NO_SUCH_FILE|MPI_ERR_ACCESS|MPI_ERR_BAD_FILE", Role::vague,
     Lines::any},
    {"disk-full", "MPI_ERR_NO_SPACE|MPI_ERR_QUOTA", Role::fault, Lines::any},
    {"storage-failed", "MPI_ERR_IO", Role::fault, Lines::any},
    {"mpi-misused",
     "called after MPI_FINALIZE|called before MPI_INIT|to use an MPI routine before|to use an MPI "
     "routine after| MPI_ERR_*: |Exception: MPI_ERR_|truncated; *bytes received",
     Role::fault, Lines::any, "the program called MPI in a way that it forbids",
     "mend the call: the line says what is wrong with it, and its rank which one", "MPI standard"},
    {"mpi-network-failed",
     "OFI addrinfo() failed|OFI*open failed|OFI*getinfo() failure|fabric is not "
     "available and fallback",
     Role::fault, Lines::any, "MPI could not open the network that libfabric was to find for it",
     "fi_info shows what works; FI_PROVIDER=tcp (Intel MPI: I_MPI_OFI_PROVIDER=tcp) does without "
     "fast adapters",
     "sxs-collaboration/spectre#5935"},
    {"mpi-failed", "OFI poll failed|ucx function returned with failed|Assertion failed in file",
     Role::vague, Lines::any},
    {"shared-memory-failed", "MPIU_SHMW*failed", Role::fault, Lines::any},
    // Hydra writes errors from the inside out: the first that is no echo is the cause.
    {"failure-passed-on",
     "@*): *assert (!closed) failed|@*): *callback returned error|@*): *demux engine error|@*): "
     "*error waiting|@*): *terminated badly; abort|@*): *check exit codes error|@*): *poll for "
     "event error|@*): *returned error|@*): *error setting up the boot|@*): *write error (Bad file",
     Role::relay, Lines::any},
    {"mpi-failed", "[mpiexec@*): |[proxy:*): |HYDU_*): |HYDT_*): ", Role::report, Lines::any},
    {"mpirun-within-mpirun", "not support recursive calls", Role::fault, Lines::any,
     "mpirun or mpiexec was called by a process that one had started: a script or a program that "
     "it runs calls it again",
     "let one of the two start the ranks; unset the OMPI_* and PMIX_* variables for the inner one, "
     "if it is to start a job of its own",
     "open-mpi/ompi"},
    {"mpi-component-missing", "requested component was not found", Role::suspect, Lines::any,
     "Open MPI or PMIx lacks a component that a setting asks for; the lines below it in the log "
     "name framework and component",
     "unset that variable (OMPI_MCA_*, PMIX_MCA_*; for Slurm's munge PMIX_MCA_psec=^munge), or "
     "install what the component needs",
     "open-mpi/ompi, openpmix/openpmix", "mpi-failed"},
    {"cma-refused", "Read -1, expected*errno = 1", Role::slow, Lines::any,
     "a process may not read the memory of another (cross-memory attach): Open MPI copies twice, "
     "which is slower",
     "containers: --cap-add SYS_PTRACE permits it; --mca btl_vader_single_copy_mechanism none "
     "(Open MPI 5: --mca smsc ^cma) silences the message",
     "open-mpi/ompi#4948"},
    {"pmix-unreachable", "_pmi_mmap*bootstrap barrier failed", Role::fault, Lines::any},
    {"ssh-key-modes", "bad ownership or modes", Role::origin, Lines::any,
     "sshd refuses a key, as the directory or the file that the line names may be written by "
     "others, or is another user's",
     "chmod 700 ~/.ssh; chmod 600 ~/.ssh/*; in Kubernetes defaultMode: 0600 of the secret, or copy "
     "it; chown it to the user of sshd's session",
     "kubeflow/mpi-operator, OpenSSH"},
    {"ucx-without-rdma",
     "rdma_create_event_channel failed: No such device|UCX *component rdmacm|ailed to create UCP "
     "worker",
     Role::harmless, Lines::any, "", "", "", "mpi-failed"},
    // What UCX calls any failure.
    {"mpi-failed",
     "UCX *nput/output error|ucx *nput/output error|ucp *nput/output error|ucp_*nput/output error|"
     "pml_ucx*nput/output error",
     Role::report, Lines::reports},
    {"pmix-error", "PMIX ERROR: |PRTE ERROR: ", Role::harmless, Lines::any, "", "", "",
     "mpi-failed"},
    {"ib-call-failed", "UCX *ibv_*failed", Role::vague, Lines::reports},
    {"program-aborted",
     "MPI_ABORT was invoked|called MPI_Abort(|FATAL: MPI_Abort|job.exception*MPI_Abort",
     Role::relay, Lines::any,
     "the program called MPI_Abort: it met an error itself, and may have said which",
     "look at the lines before, and at what the rank that it names wrote to its own files",
     "MPI standard"},
    {"mpi-failed", "OFI MTL is aborting|MPI processes are unable to reach", Role::fault,
     Lines::any},
    {"mpi-failed",
     "Fatal error in PMPI|Fatal error in MPI|Fatal error in internal_|run was unable to|Failed: "
     "MPI error|Open MPI failed an|MPI_INIT has failed|MPI_INIT failed|MPI_Init failed|error "
     "occurred in MPI|failed for some reason|unrecoverable error|a terminal error|MPI job will "
     "now|able to be opened|ML*cannot be selected|enough space for*backing|MPICH ERROR",
     Role::vague, Lines::any, "MPI or its launcher failed, before NCCL was asked",
     "start a program that only calls MPI_Init on these hosts; UCX_TLS=tcp, or with Open MPI --mca "
     "pml ob1 --mca btl tcp,self, tells whether MPI's fast network is at fault",
     "NVIDIA/nccl-tests#295"},
    {"mpi-failed",
     "process starter*failed to start|OPAL ERROR: |ORTE_ERROR_LOG: |ORTE was unable to|PRTE was "
     "unable to|daemon has unexpectedly failed",
     Role::report, Lines::any},
});

}  // namespace

std::span<const Signature> mpi_signatures() { return kMpiRows; }

}  // namespace linerate::logs
