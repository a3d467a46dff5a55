// See traffic_source.h.
#include "bench/traffic_source.h"

#include "base/error.h"

#include <fmt/format.h>

#include <fstream>
#include <iterator>
#include <string>

namespace linerate {
namespace {

std::string text_of(const std::string& path) {
  std::ifstream file(path);
  if (!file)
    throw Error(fmt::format("NCCL_TESTS_ALLTOALLV_MATRIX_FILE '{}' cannot be read.", path),
                ExitCode::usage);
  return {std::istreambuf_iterator<char>(file), {}};
}

void check_sizes(const RunConfig& config, const TrafficMatrix& matrix, int nranks) {
  const Sizing in_bytes{.nranks = nranks, .traffic = &matrix, .type = DataType::uint8};
  const auto busiest = matrix.busiest(in_bytes);
  if (config.min_bytes == config.max_bytes && config.max_bytes >= busiest) return;
  throw Error(fmt::format("With NCCL_TESTS_ALLTOALLV_MATRIX_FILE, -b and -e must be equal and at "
                          "least the busiest rank's {} bytes: give -b {} -e {}.",
                          busiest, busiest, busiest),
              ExitCode::usage);
}

}  // namespace

std::unique_ptr<TrafficMatrix> traffic_of(const RunConfig& config, int nranks) {
  if (!config.collective->varies) return nullptr;
  const auto& options = config.traffic;
  if (options.matrix_file.empty())
    return std::make_unique<TrafficMatrix>(TrafficMatrix::weighted(options.spread, nranks));
  auto matrix = TrafficMatrix::parse(text_of(options.matrix_file), nranks, options.matrix_scale);
  if (!matrix) throw Error(matrix.sentence(), ExitCode::usage);
  check_sizes(config, *matrix, nranks);
  return std::make_unique<TrafficMatrix>(std::move(matrix).value());
}

}  // namespace linerate
