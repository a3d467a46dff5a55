// What the driver asks of a rank, and what the rank answers: JSON objects.
#pragma once

#include "bench/plan.h"
#include "record/record.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace linerate::benchmarks {

// How the calls of a window are made.
enum class Loop : std::uint8_t {
  harness,  // as the tools make them: run_window() over a CallIssuer
  bare,     // Communicator::all_reduce in a bare loop: what the harness adds is the difference
};

// Windows of one case. The driver sends the same request to every rank.
struct Request {
  Case what{};
  Placement placement = Placement::out_of_place;
  bool cold = false;    // every call works on memory that none of the last calls touched
  bool verify = false;  // first one call whose data is compared
  Loop loop = Loop::harness;
  std::uint64_t iters = 1;   // calls of a window
  std::uint64_t warmup = 1;  // calls before the first window
  std::uint64_t windows = 1;
};

struct Answer {
  std::size_t count = 0;            // as nccl-tests counts; 0: the size is too small for the ranks
  std::uint64_t wrong = 0;          // elements of this rank, where it was asked to verify
  std::vector<double> window_us{};  // of one call
  std::string transport{};          // as far as this rank has seen by now
};

// Who a rank is: the first line that it writes.
struct Greeting {
  int rank = 0;
  int nranks = 1;
  std::string version{};  // of the backend's library; empty: a part of linerate
};

// Throws Error where the line is no request: the driver is of another build.
Request parse_request(std::string_view line);

std::string line_of(const Answer& answer);
std::string line_of(const Greeting& greeting);

}  // namespace linerate::benchmarks
