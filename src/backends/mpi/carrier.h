// What carries MPI's messages between hosts, as far as MPI's own variables tell.
#pragma once

#include <string>

namespace linerate::mpi {

// "TCP" where Open MPI sends to other hosts over its tcp component and nothing else, "TCP on eth0"
// where btl_tcp_if_include names interfaces; "MPI" where it is something else or another MPI.
// REQUIRES: MPI is initialised.
std::string carrier();

}  // namespace linerate::mpi
