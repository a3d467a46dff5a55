// The parts of the harness: each stands beside one source file of NCCL's, whose static functions it
// calls, and so is a translation unit of its own.
#pragma once

#include "comm.h"

#include <cstddef>

struct Choice {
  int algorithm = -1, protocol = -1;  // as NCCL numbers them; -1: it finds none
  int channels = 0;
  float time_us = 0;
};

// settings.cc, beside init.cc: the communicator's configuration from the environment.
void read_settings(ncclComm* comm);

// nvls.cc, beside transport/nvls.cc: whether there is NVLS, and on how many channels it runs.
void init_nvls(ncclComm* comm);
void tune_nvls(ncclComm* comm, ncclTopoGraph* nvls);

// choice.cc, beside enqueue.cc: what a call of float is done with, that adds or averages.
struct Call {
  ncclFunc_t function;
  std::size_t bytes = 0;
  bool averages = false;
};
Choice choose(ncclComm* comm, const Call& call);

extern const char* ncclAlgoStr[];
extern const char* ncclProtoStr[];
