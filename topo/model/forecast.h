// How fast a call will measure: NCCL's model, corrected by what published runs show.
//
// NCCL's model is made to choose, not to time: it leaves out what the host and the launch of a
// kernel cost, and how long large messages take to get up to speed. A forecast adds these, with
// few parameters that mean something each:
//
//   time = host + latency_share x latency + nic_share x NICs' latency + move + filling
//   move = transfer / efficiency, or what the switches between nodes need, if that is longer
//   filling = f x move / (move + f), with f = fill x depth: it grows with the message up to f
//
// Where NCCL's variables leave a call fewer channels than NCCL would take, each of them carries at
// most what one channel is known to carry. Nobody published such runs: the band grows with the
// time that this adds, up to half and twice the forecast.
//
// Collectives made of sends have no model in NCCL: their messages run on as many channels as NCCL
// gives them, at what a channel carries in the node and between nodes, or at the speed of the
// busiest link (SendPlan). The parameters and the bands are in forecast_parameters.h, which
// topo/calibration/fit.py writes.
#pragma once

#include "topo/model/job.h"
#include "topo/model/p2p_model.h"
#include "topo/model/predict.h"

#include <cstddef>
#include <optional>

namespace linerate::topo {

// Of the runs of healthy machines 80 % lie between low and high.
struct Forecast {
  double time_us = 0;
  double busbw_gbps = 0, low_gbps = 0, high_gbps = 0;
  int sources = 0;  // publishers of such a job; 0: it rests on other machines or collectives
};

// A call as NCCL makes it, on a cluster whose switches take their time too.
struct ChosenCall {
  Scheme scheme{};
  std::size_t bytes = 0;
  double fabric_us = 0, crossing_us = 0;  // of switches: bytes, and latency
};

// What a forecast of a call starts from.
struct CallParts {
  double latency_us = 0;   // NCCL's, without what the network plugin tells of its NICs
  double nic_us = 0;       // the latter: made up to steer NCCL's choice, on AWS
  double transfer_us = 0;  // by the newest of NCCL's tables, but NVLSTree
  double depth = 1;        // of the pipeline that large messages fill, in nodes of 8 GPUs
  double ring_gbps = 0;    // of the job, as below
};
CallParts call_parts(const JobShape& job, const ChosenCall& call);

// What all rings of the job carry, as NCCL counts: tells apart machines of one generation.
double ring_gbps(const JobShape& job);

// Nothing where NCCL found no path for the scheme's channels: it then goes on in some order, and
// its model has no speed for that. REQUIRES: NCCL uses the scheme in this job.
std::optional<Forecast> forecast(const JobShape& job, const ChosenCall& call);

// How NCCL cuts a send (src/enqueue.cc of NCCL, addP2pToPlan, and src/graph/paths.cc,
// ncclTopoComputeP2pChannels).
struct SendPlan {
  int channels = 1;                      // of all messages of the busiest rank together
  double channel_gbps = 0;               // of one, as rings have them
  Protocol protocol = Protocol::simple;  // LL where messages are small
  int peers = 1;                         // of the busiest rank
  double moved_bytes = 0;                // by it
  // What the busiest rank sends to other nodes, and how many channels' worth of steps in flight it
  // has for that: 8 steps of a channel that one message has to itself, 16 where several share it
  // (NCCL_STEPS, and NCCL_SHARED_STEPS of src/transport/net.cc).
  double crossing_bytes = 0;
  int net_channels = 0;
  double ring_gbps = 0;           // of the job
  std::size_t most_ll_bytes = 0;  // of the row: longer messages take Simple
};
SendPlan send_plan(const JobShape& job, const P2pCost& step, std::size_t bytes);

// Of a collective made of sends. `bytes` and nothing: as P2pCosts::at().
std::optional<Forecast> forecast(const JobShape& job, const P2pCosts& costs, std::size_t bytes);

}  // namespace linerate::topo
