// Errors of MPI as Errors of ours: MPI_TRY(call) around every call that can fail.
#pragma once

#include <mpi.h>

#include <source_location>
#include <string_view>

#define MPI_TRY(call) ::linerate::mpi::check((call), #call)

namespace linerate::mpi {

[[noreturn]] void throw_failed(int code, std::string_view call, std::source_location where);

// Throws Error with MPI's text unless `code` is MPI_SUCCESS.
inline void check(int code, std::string_view call,
                  std::source_location where = std::source_location::current()) {
  if (code != MPI_SUCCESS) throw_failed(code, call, where);
}

}  // namespace linerate::mpi
