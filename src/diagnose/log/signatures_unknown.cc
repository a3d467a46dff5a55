// Errors that no other row knows, by the general grammar of such messages. Where no cause is known,
// the report quotes the first of them, and names no remedy.
#include "diagnose/log/signatures.h"

#include <array>

namespace linerate::logs {
namespace {

using std::string_view;

// Words that give a reason: in a line without a mark, and also in one that has it.
constexpr string_view kReasons =
    "annot |an't |an not |ould not |ouldn't |nable to |ot found|o such |t exist|nvalid |"
    "nrecognized|denied|refused|nreachable|imed out|nsufficient|ot enough|oo many|ncompatible|"
    "ssertion|ismatch|ust be |ut of memory|ndefined ref|ndefined symbol|xceeded|[Errno|errno|"
    "orrupted";
// Words of a failure.
constexpr string_view kFailures =
    "() failed|ailed to |ailed: |ailed at |ailed in |ailed on |ailed with |ailed for |ailed during "
    "|ailed while |ailure: |rror while |rror reading |rror writing |rror opening |rror loading |"
    "rror from |xception: ";
// Of a call in a source.
constexpr string_view kCalls =
    ".c:*ailed|.c:*rror|.c:*nable to |.c:*annot |.c:*nvalid |.cu:*ailed|.cu:*rror|.cu:*nable to "
    "|.cu:*annot |.cu:*nvalid |.f90:*ailed|.f90:*rror|.F90:*ailed|.F90:*rror|ailed at*.c:|ailed "
    "at*.cu:|ailed at*.cpp:|ailed at*.cc:|ailed at*.hpp:|ailed at*.f90:|ailed in*.c:|ailed "
    "in*.cu:|ailed in*.cpp:|ailed in*.cc:|ailed (*.c:|ailed (*.cu:|ailed (*.cpp:|rror at*.c:|rror "
    "at*.cu:|rror at*.cpp:|rror at*.cc:|rror at*.f90:|rror in*.c:|rror in*.cu:|rror in*.cpp:";
constexpr string_view kRemedy =
    "read it and the lines around it; what it means is in the documentation and the issues of the "
    "program that wrote it";
constexpr string_view kSource = "the program's own words";

constexpr auto kUnknownRows = std::to_array<Signature>({
    {"uncaught-exception", "Exception|Error|Interrupt|what():", Role::vague, Lines::exceptions,
     "no rule knows this exception; it is the first error that gives a reason", kRemedy, kSource},
    {"uncaught-exception", "Assertion `*failed|Assertion failure", Role::vague, Lines::any},
    {"error-without-effect",
     "going to*instead|alling back|etrying|ill retry|gnoring|gnored|not a git repository",
     Role::harmless, Lines::errors, "", "", ""},
    {"call-failed", kCalls, Role::vague, Lines::errors,
     "a call failed in a program, at the place that the line names", kRemedy, kSource},
    {"error-line",
     "ERROR|panic|Check failed|FATAL|forrtl: |ailed|CRITICAL|rror|atal|.cpp:|.cc:|bort|MPI|signal|"
     "Reason: ",
     Role::report, Lines::errors, "no rule knows this line; it is the first error", kRemedy,
     kSource},
    // Banners, with the number of processes at the last '*'.
    {"ranks-alone",
     "running on*total cores|one band on    1 cor*one band on*cor|Parallel version (MPI), running "
     "on*processor|Number of MPI processes:*|Using*MPI process|nProcs :*|GLOBAL*passing processes*|"
     "Info: Running on*processors|#*Rank  *Group|#*Rank  *Pid",
     Role::slow, Lines::any,
     "several processes were started at once, and each says that it is the only one of its job: "
     "the launcher does not belong to the MPI that the program was built with, or the program has "
     "none",
     "ldd PROGRAM | grep mpi shows its MPI, which mpirun the launcher's: take the mpirun of that "
     "MPI; in Slurm srun --mpi=list shows what srun --mpi= can be",
     "VASP, Quantum ESPRESSO, GROMACS, NVIDIA/nccl-tests"},
    {"connect-retries", "returned*retrying", Role::suspect, Lines::nccl,
     "a connection between ranks was not made at once",
     "look for the rank that is connected to: it may be late, or behind a firewall",
     "NVIDIA/nccl: src/misc/socket.cc"},
    {"rendezvous-by-ipv4", "client socket*errno: 97|server socket*errno: 97", Role::harmless,
     Lines::any, "", "", ""},
    {"rendezvous-retries",
     "client socket has failed to connect|client socket cannot be initialized|server socket has "
     "failed to bind|network addresses of*cannot be retrieved",
     Role::suspect, Lines::any, "PyTorch's rendezvous did not reach or get its address at once",
     "check MASTER_ADDR and MASTER_PORT on all hosts, and whether the port is free and open",
     "PyTorch: torch/csrc/distributed/c10d/socket.cpp"},
    {"gpu-guessed", "using best-guess GPU|devices used by this process are currently unknown",
     Role::suspect, Lines::any,
     "PyTorch did not know which GPU a rank uses, and guessed: ranks that share one hang",
     "call torch.cuda.set_device(local_rank), or give init_process_group() its device_id",
     "PyTorch distributed"},
    // Of a shell: a script goes on after it.
    {"not-found-by-shell", "command not found|sh: line *: No such file|sh: *: not found",
     Role::suspect, Lines::any, "a shell found no such program or file",
     "look at PATH and at the directory in which the script runs; load the program's module",
     "Linux"},
    {"libfabric-warning", "libfabric:*<warn>", Role::suspect, Lines::any,
     "libfabric could not use a provider, a device or a peer",
     "fi_info shows what works; FI_PROVIDER chooses", "ofiwg/libfabric"},
    {"unmarked-error", "Waiting for*imed out|Waiting for*ailed|still waiting for*imed out",
     Role::complaint, Lines::others},
    {"workers-waited-for",
     "Waiting for*engine proc|Waiting for*worker|Waiting for*rank|Waiting for*node|Waiting "
     "for*peer|Waiting for*process|Waiting for*replica|Waiting for*client|Waiting for*member|"
     "Waiting for*placement group|Waiting for*to join|Waiting for*to connect|Waiting for*to start|"
     "till waiting for",
     Role::waiting, Lines::others},
    // Without a mark. Frames of a stack, sources and settings may hold such words, too.
    {"unmarked-error",
     "going on|Unable to register cu|INFO|DEBUG|WARN|openib|OpenFabrics|relevant network "
     "interfaces|sess_dir|arning|NOTE|debug|DIAG|Unknown  |[I |: I |(most recent "
     "call|subprocess|File \"|  at |^^^|#*0x|[0x|raise |except |etry|gnor|alling "
     "back|nstead|ptional|kipp|isabl|eprecat|==|http|  if |USER|usage:|--help| times|--> |==> |"
     "rror rate|errors: 0|0 errors|no error|No error|0 failed",
     Role::harmless, Lines::others, "", "", ""},
    {"call-failed", kCalls, Role::vague, Lines::others},
    {"unmarked-error", kReasons, Role::complaint, Lines::others,
     "no rule knows this line; it is the first that reads like an error", kRemedy, kSource},
    {"unmarked-error", kFailures, Role::complaint, Lines::others},  // the last: unmarked_row()
});

}  // namespace

std::span<const Signature> unknown_signatures() { return kUnknownRows; }

const Signature& uncaught_row() { return kUnknownRows.front(); }

const Signature& unmarked_row() { return kUnknownRows.back(); }

bool is_generic(std::string_view text) {
  constexpr std::size_t kMostBytes = 120;
  constexpr string_view kEnds =
      "failed|Failed|FAILED|bort|terminat|Terminat|xiting|xited|topping|topped|giving up|non-zero|"
      "see above|see the log|check the log|rror occurred|crashed|rror code|exit code";
  return text.size() <= kMostBytes && matches(kEnds, text) && !gives_reason(text);
}

bool gives_reason(std::string_view text) { return matches(kReasons, text); }

bool is_fatal(std::string_view text) {
  return matches(
      "FATAL|Fatal|fatal|CRITICAL|panic|Abort|ABORT|aborted|Check failed|crashed|, stopping|iving "
      "up|xiting",
      text);
}

}  // namespace linerate::logs
