#include "backends/mpi/mpi_api.h"

#include "base/error.h"

#include <fmt/format.h>

#include <array>

namespace linerate::mpi {

void throw_failed(int code, std::string_view call, std::source_location where) {
  std::array<char, MPI_MAX_ERROR_STRING> text{};
  int length = 0;
  if (MPI_Error_string(code, text.data(), &length) != MPI_SUCCESS) length = 0;
  const std::string_view function = call.substr(0, call.find('('));
  throw Error(fmt::format("MPI: {} failed: {} (code {}).", function,
                          std::string_view(text.data(), static_cast<std::size_t>(length)), code),
              ExitCode::failed, where);
}

}  // namespace linerate::mpi
