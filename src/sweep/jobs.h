// A study as what starts it elsewhere: a script of Slurm's or mpirun's, or a job of Kubernetes'.
#pragma once

#include "sweep/study.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace linerate::sweep {

enum class JobForm : std::uint8_t { sbatch, mpirun, mpijob, pytorchjob, rayjob };

struct Job {
  std::string name{};                // of the study
  std::string file{};                // its file; empty: it has none
  std::string text{};                // of that file
  std::string output{};              // the SQLite file
  std::vector<std::string> words{};  // of the command line, without what follows from the form
  std::uint64_t seed = 0;            // of the order of runs
  std::vector<std::size_t> order{};  // cases_of(), again and again where they repeat
  double limit_s = 0;                // of a run; 0: none
};

// sbatch, mpirun and mpijob start `linerate sweep` where its launcher is, which goes on after an
// interruption. The pods of the others run the cases one after the other, each once: what they
// write is for `linerate results --import`. It is printed, never started.
std::string job_text(JobForm form, const Study& study, const Job& job);

}  // namespace linerate::sweep
