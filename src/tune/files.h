// What was kept, as the files by which each library gets it.
//
//   NCCL      tuner.csv with the rules of calls, for linerate's tuner plugin; nccl.conf and nccl.sh
//             with settings of the process, and where plugin and rules are
//   Open MPI  coll_tuned_rules.conf with the rules of calls; openmpi-mca-params.conf, also for
//             mpirun -tune, and openmpi.sh with settings of the process, and where the rules are
//   Gloo      gloo.sh
#pragma once

#include "tune/rules.h"

#include <string>
#include <vector>

namespace linerate::tuning {

struct Tuned {
  Library library{};
  int nodes = 1, ranks = 2;
  Variables process{};
  std::vector<Rule> rules{};
  std::string origin{};  // how and when it was measured, for the first line of each file

  bool empty() const { return process.empty() && rules.empty(); }
};

struct Paths {
  std::string folder{};  // of the files, absolute
  std::string plugin{};  // of libnccl-tuner-linerate.so
};

struct File {
  std::string name{}, text{};
  std::string use{};  // how it is used, as a phrase; empty: other files name it
};
std::vector<File> files_of(const Tuned& tuned, const Paths& paths);

// The variables with which a job gets all of it, once the files are there.
Variables variables_of(const Tuned& tuned, const Paths& paths);

}  // namespace linerate::tuning
