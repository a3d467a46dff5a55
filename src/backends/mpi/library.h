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

}  // namespace linerate::mpi
