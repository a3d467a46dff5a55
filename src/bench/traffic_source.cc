// See traffic_source.h.
#include "bench/traffic_source.h"

#include "base/error.h"
#include "base/units.h"

#include <fmt/format.h>

#include <sys/stat.h>

#include <cerrno>
#include <cstring>
#include <fstream>
#include <iterator>
#include <string>
#include <string_view>

namespace linerate {
namespace {

Error refused(const std::string& path, std::string_view why) {
  return Error(fmt::format("NCCL_TESTS_ALLTOALLV_MATRIX_FILE '{}': {}", path, why),
               ExitCode::usage);
}

// Not opened before it is known to be a regular file of a size that can be read: opening a pipe
// would wait for its writer.
std::string text_of(const std::string& path) {
  struct stat status {};
  if (::stat(path.c_str(), &status) != 0)
    throw refused(path, fmt::format("{}.", std::strerror(errno)));
  if (S_ISDIR(status.st_mode)) throw refused(path, "it is a directory, not a file.");
  if (!S_ISREG(status.st_mode)) throw refused(path, "it is a pipe or device, not a file.");
  if (static_cast<std::size_t>(status.st_size) > TrafficMatrix::kMostTextBytes)
    throw refused(path, fmt::format("it has {}; at most {} are read.",
                                    about_bytes_text(static_cast<std::size_t>(status.st_size)),
                                    bytes_text(TrafficMatrix::kMostTextBytes)));
  std::ifstream file(path);
  if (!file) throw refused(path, "it cannot be read.");
  return {std::istreambuf_iterator<char>(file), {}};
}

void check_sizes(const RunConfig& config, const TrafficMatrix& matrix, int nranks) {
  const Sizing in_bytes{.nranks = nranks, .traffic = &matrix, .type = DataType::uint8};
  const auto busiest = matrix.busiest(in_bytes);
  if (config.min_bytes == config.max_bytes && config.max_bytes >= busiest) return;
  throw refused(config.traffic.matrix_file,
                fmt::format("-b and -e must be equal and at least its busiest rank's {0} bytes: "
                            "give -b {0} -e {0}.",
                            busiest));
}

}  // namespace

std::unique_ptr<TrafficMatrix> traffic_of(const RunConfig& config, int nranks) {
  if (!config.collective->varies) return nullptr;
  const auto& options = config.traffic;
  if (options.matrix_file.empty())
    return std::make_unique<TrafficMatrix>(TrafficMatrix::weighted(options.spread, nranks));
  auto matrix = TrafficMatrix::parse(text_of(options.matrix_file), nranks, options.matrix_scale);
  if (!matrix) throw refused(options.matrix_file, matrix.sentence());
  check_sizes(config, *matrix, nranks);
  return std::make_unique<TrafficMatrix>(std::move(matrix).value());
}

}  // namespace linerate
