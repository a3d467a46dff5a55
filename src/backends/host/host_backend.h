// Ranks of one host over shared memory: threads, processes, or both in any mixture.
#pragma once

#include "base/clock.h"
#include "base/environment.h"
#include "comm/backend.h"

#include <cstddef>
#include <memory>

namespace linerate {

namespace host {
class Network;  // emulation/network.h
}

// What the host backend is made with; the defaults are those of a program without options.
struct HostOptions {
  // Address space of one job's shared memory, at most; each rank's share is at most the machine's
  // physical memory. Less is taken where a limit of the process leaves less.
  std::size_t reserve_bytes = std::size_t{16} << 40;
  // Cores that the ranks of a job may use; 0: as the affinity masks of its processes say.
  int cores = 0;
  // Where there are enough cores, each rank's thread keeps the one that it has at the first
  // barriers of its communicator, as long as that lives: right for threads that only call and wait,
  // wrong for those that start threads to compute.
  bool ranks_stay = false;
  // Private buffers of so many bytes are read and written by other processes where the kernel lets
  // them: from there on its calls (1.5 us) cost less than a second copy; where ranks share cores,
  // collectives do so from four times as many on, because a rank loses its core in such a call,
  // too. Smaller ones go through shared memory, all of them where it is kNever.
  static constexpr std::size_t kNever = std::size_t{1} << 60;
  std::size_t attach_bytes = std::size_t{32} << 10;
  // Consecutive ranks that count as close to each other; 0: as caches and memory nodes say.
  int ranks_per_group = 0;
  // Says where measured tables of algorithms are kept; outlives the backend. Null: the built-in
  // one.
  const Environment* environment = nullptr;
  // The network to emulate, with at least as many ranks as the job; null: none. Its nodes stand in
  // the place of ranks_per_group, and the devices' clocks are dilated as it says.
  std::shared_ptr<const host::Network> network{};
};

// `clock` outlives the backend and all that it makes.
std::unique_ptr<Backend> make_host_backend(const Clock& clock, const HostOptions& options = {});

}  // namespace linerate
