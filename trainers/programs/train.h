// The trainers as programs: from their words to the exit code.
//
//   train.h        the whole of it: a job of ranks, a Trainer on each, steps
//   outputs.h      what rank 0 prints and writes of a run; records.h are the lines of --jsonl,
//                  peer_waits.h says which ranks the others waited for
//   trace.h        --trace: a file of all ranks' intervals; trace_events.h is its text
//   elastic.h      --elastic: generations of a job that loses ranks; members.h says who takes part
//   preview.h      --list and --dry-run: what is said without starting
//   utilisation.h  measures the peak of matrix products, of which MFU and HFU are shares
#pragma once

#include "cli/train_config.h"

namespace linerate {

// Yields what main() returns.
int run_trainer(int argc, char** argv, TrainProgram program);

}  // namespace linerate
