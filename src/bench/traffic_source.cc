// See traffic_source.h.
#include "bench/traffic_source.h"

#include "base/error.h"
#include "base/regular_file.h"

#include <fmt/format.h>

#include <string>
#include <string_view>

namespace linerate {
namespace {

Error refused(const std::string& path, std::string_view why) {
  return Error(fmt::format("NCCL_TESTS_ALLTOALLV_MATRIX_FILE '{}': {}", path, why),
               ExitCode::usage);
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
  const auto text = read_regular_file(options.matrix_file, TrafficMatrix::kMaxTextBytes);
  if (!text) throw refused(options.matrix_file, text.sentence());
  auto matrix = TrafficMatrix::parse(*text, nranks, options.matrix_scale);
  if (!matrix) throw refused(options.matrix_file, matrix.sentence());
  check_sizes(config, *matrix, nranks);
  return std::make_unique<TrafficMatrix>(std::move(matrix).value());
}

}  // namespace linerate
