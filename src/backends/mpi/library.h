// What MPI says of itself: its version, and what carries its messages between hosts.
#pragma once

#include <string>
#include <string_view>

namespace linerate::mpi {

// "Open MPI v4.1.4, package: …" -> "Open MPI 4.1.4"; "MPICH Version:      4.0.2\n…" ->
// "MPICH 4.0.2".
std::string short_version(std::string_view library_version);

// "TCP" where Open MPI sends to other hosts over its tcp component and nothing else, "TCP on eth0"
// where btl_tcp_if_include names interfaces; "MPI" where it is something else or another MPI.
// REQUIRES: MPI is initialised.
std::string carrier();

// Which components of Open MPI may make the collective calls of a communicator, by their
// priorities: "tuned 30, basic 10, libnbc 10". The first that has a call for it makes it; where it
// declines one, the next does. Those that Open MPI has closed, and that are switched off or gave up
// (coll_ucc_enable), are not among them. Empty: another MPI, which has none.
// REQUIRES: MPI is initialised, and the communicator was made.
std::string coll_components(bool several_hosts);

}  // namespace linerate::mpi
