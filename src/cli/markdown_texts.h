// The parts of docs/cli.md that no table of the parser holds.
#pragma once

#include <string_view>

namespace linerate {

// Variables that are read outside of cli: a test looks in the sources for others.
inline constexpr std::string_view kOtherVariablesText =
    "A name that begins with `NCCL_TESTS_` or `LINERATE_` and is in neither table has no effect;\n"
    "a line on stderr says so. These are read as well:\n\n"
    "| Variable | Meaning |\n"
    "|---|---|\n"
    "| `LINERATE_MODULE_PATH` | Folders of `liblinerate-mpi.so`, `liblinerate-gloo.so` and "
    "`liblinerate-nccl.so`, with `:` between them. Looked through after `lib` of the "
    "installation that the program belongs to, and before the linker's own search. |\n"
    "| `LINERATE_STORE` | `HOST` or `HOST:PORT` where rank 0 of a run without MPI listens, instead "
    "of what srun or `MASTER_ADDR` say. |\n"
    "| `LINERATE_SYSFS` | Folder that is read instead of `/sys` to see whether there is an NVIDIA "
    "GPU, which `--backend auto` then takes. |\n"
    "| `LINERATE_TOKEN` | Secret of a run without MPI, the same for all its ranks, at most 256 "
    "bytes: connections without it are refused. Never recorded. When unset: under srun the name "
    "of the job step, else none. |\n"
    "| `RANK`, `WORLD_SIZE`, `MASTER_ADDR`, `MASTER_PORT` | Rank of the process, number of "
    "processes, and where rank 0 listens (port 29500 when unset): torchrun, PyTorchJob, or by "
    "hand. "
    "|\n"
    "| `LOCAL_RANK` | Not read, though torchrun sets it: ranks of one host are counted. |\n"
    "| `TORCHELASTIC_RUN_ID`, `TORCHELASTIC_USE_AGENT_STORE` | torchrun started the process; its "
    "own store has `MASTER_PORT`, so that of linerate takes the next one. |\n"
    "| `OMPI_COMM_WORLD_*`, `PMIX_*`, `PMI_*` | An MPI launcher started the process. |\n"
    "| `SLURM_STEPID`, `SLURM_PROCID`, `SLURM_JOB_ID`, `SLURM_JOBID`, `SLURM_STEP_*` | srun "
    "started the process. "
    "|\n"
    "| `GLOO_SOCKET_IFNAME` | Interface of the gloo backend, as torch has it, but one only. When "
    "unset: loopback on one host, else the first network in which all hosts have an address. |\n"
    "| `NCCL_TOPO_FILE` | NCCL's own: the node as this file says it; expectations for runs on GPUs "
    "follow it too. |\n"
    "| `NO_COLOR` | `linerate topo` prints its tree without colours, as it does where stdout is no "
    "terminal. |\n"
    "| `XDG_CACHE_HOME` | Where `linerate tune host` keeps its table and `linerate topo --measure` "
    "what it found, in `linerate/`; `.cache` of `HOME` when unset. |\n"
    "| `PYTHON` | Interpreter of `linerate report` and `topo --svg`; `/usr/bin/python3` when "
    "unset. |\n";

inline constexpr std::string_view kFakeText =
    "## The fake backend\n\n"
    "`--backend fake --fake SPEC` moves real bytes, but its times come from a model: a virtual\n"
    "clock, the same on every machine. SPEC is a list of these keys with commas between them.\n"
    "Ranks are those of the run. Calls are counted from 1 on each rank, over warm-up, windows and\n"
    "samples; barriers do not count. Keys from `slow_rank` to `die`, but not `bimodal`, may be\n"
    "given several times.\n\n"
    "| Key | Value | Default | Meaning | Example |\n"
    "|---|---|---|---|---|\n"
    "| `alpha` | time with its unit | 5us | time of a message without bytes | `alpha=20us` |\n"
    "| `bw` | GB/s | 10 | bandwidth of each direction of each link | `bw=25` |\n"
    "| `noise` | percentage | 0% | standard deviation of a call's time | `noise=2%` |\n"
    "| `seed` | whole number | 1 | start of noise and of bimodal | `seed=7` |\n"
    "| `slow_rank` | RANK:TIME | | the rank leaves every call and barrier late, so it comes late "
    "to "
    "the next | `slow_rank=3:38us` |\n"
    "| `slow_link` | RANK-RANK:FACTOR | | bandwidth of this link in both directions, as a part of "
    "bw: 0.001 to 1 | `slow_link=0-1:0.5` |\n"
    "| `flip` | RANK or RANK:CALL | | one bit of what the rank receives is wrong in this call, or "
    "in every one | `flip=1:5` |\n"
    "| `bimodal` | PERCENTAGE:FACTOR | | this part of the calls takes that many times longer, 1 to "
    "1000 | `bimodal=20%:3` |\n"
    "| `hang` | RANK:CALL | | the rank never enters this call: end it with -T | `hang=1:40` |\n"
    "| `die` | RANK:CALL | | the rank fails instead of making this call | `die=1:10` |\n";

inline constexpr std::string_view kSignalsText =
    "Ctrl-C (SIGINT), SIGTERM, SIGHUP and SIGQUIT ask a benchmark to end. At the end of the\n"
    "window under way, or within a second in its warm-up, samples and checks, it writes the\n"
    "footer and every file, and exits with 130; a line on stderr says that it waits. While the\n"
    "job starts, it ends within a second. A second signal, half a second later or\n"
    "more, ends it at once, with 130 too: also while a call hangs. Other commands, which print\n"
    "and keep their results at their end, end at once.\n";

}  // namespace linerate
