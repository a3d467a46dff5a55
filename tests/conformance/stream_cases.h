// What every backend must do with streams, batches and decorators, on one rank of a job: used with
// threads as ranks (streams_test.cc) and with processes (tests/system/mpi_conformance.cc).
#pragma once

#include "comm/communicator.h"

#include <memory>

namespace linerate::conformance {

// Each is collective over `world`, and expects what must hold with GoogleTest's EXPECT.

// Parts of `world` with a stream each, to which each rank hands calls in an order of its own.
void expect_communicators_run_at_once(Communicator& world);
// Calls of one communicator in turn on two async streams and an inline one.
void expect_one_order_over_streams(Communicator& world);
// A part of a part of `world`, on a stream beside one of `world`'s.
void expect_split_of_split_beside_its_parent(Communicator& world);
// Both ways with all peers and itself, unequal counts, more and larger messages than fit on the
// way.
void expect_batches_without_deadlock(Communicator& world, StreamKind kind);
// A stream that waits for the event of another sees what was done before it.
void expect_events_order_streams(Communicator& world);
// A decorator sees every call with its tag, and hangs are named through it. Ends `world`.
void expect_decorators_count_bytes_by_tag(std::unique_ptr<Communicator> world);

}  // namespace linerate::conformance
