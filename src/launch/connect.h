// From an identity to a bootstrap over all processes of the job.
//
// The folder: who am I (identity.h), the processes of --nprocs (local_fork.h), where they meet
// (store/), also again where some are lost (rendezvous.h), and how they talk (tree/, on net/), the
// ranks that are threads (threads/), who shares a host (place.h), one time line for all
// (common_clock.h) and moments on it at which all go on (common_start.h), and what keeps a job from
// waiting for ever: the guard of its start (start_guard.h), then the watch over its ranks (watch/).
#pragma once

#include "comm/bootstrap.h"
#include "launch/identity.h"
#include "launch/net/socket.h"
#include "launch/start_guard.h"

#include <memory>

namespace linerate {

// For every launcher but mpi, whose bootstrap lives in the mpi backend. Processes of slurm, env and
// nprocs meet at the store of rank 0, exchange addresses, build the tree and close the store.
// Throws TimeoutError that names the ranks that have not come, Error when an address cannot be
// used, the token differs or two processes claim one rank. `waiting_for`, unless null, is told for
// whom this process waits; where the store is reached, rank 0 knows.
std::unique_ptr<Bootstrap> connect_processes(const Identity& identity, const Deadline& deadline,
                                             WaitingFor* waiting_for = nullptr);

// Where rank 0 is to listen. An address that cannot be listened on is the user's mistake: Error,
// exit code 2.
Listener listen_as_rank_0(const SocketAddress& master);

}  // namespace linerate
