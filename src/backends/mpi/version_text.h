// What MPI says of itself, cut to what a person wants to read.
#pragma once

#include <string>
#include <string_view>

namespace linerate::mpi {

// "Open MPI v4.1.4, package: …" -> "Open MPI 4.1.4"; "MPICH Version:      4.0.2\n…" ->
// "MPICH 4.0.2".
std::string short_version(std::string_view library_version);

}  // namespace linerate::mpi
