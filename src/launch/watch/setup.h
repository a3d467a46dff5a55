// Makes the watch's means: shared memory of the node, links to neighbours, notices of exits.
#pragma once

#include "launch/watch/link.h"
#include "launch/watch/page.h"
#include "launch/watch/process.h"
#include "launch/watch/watch.h"

#include <vector>

namespace linerate {

struct ControlParts {
  struct Exit {
    int process = 0;
    FileDescriptor pidfd;
  };

  int self = 0;  // index in processes
  std::vector<ControlProcess> processes;
  ControlPage page;
  // By process: shares this process' memory. False for itself: its slot is 0, and nobody else
  // reads.
  std::vector<bool> shares_page;
  std::vector<ControlLink> links;  // to the neighbours of graph.h, as far as they could be made
  std::vector<Exit> exits;         // of processes of this node
  std::vector<int> gone;           // died during the set-up
  const ControlProcess& mine() const { return processes[static_cast<std::size_t>(self)]; }
  bool shares(int process) const { return shares_page[static_cast<std::size_t>(process)]; }
  // REQUIRES: shares(process), or process == self.
  std::size_t slot_of(int process) const;
};

// Collective over all processes. A link or memory that cannot be had is a note on stderr: the watch
// works with what is left.
ControlParts set_up_control(Bootstrap& process, const Watch::Options& options);

}  // namespace linerate
