// Sizes, types, operators and roots in nccl-tests' order; groups by colour; traffic matrices.
#include "bench/plan.h"

#include "base/error.h"
#include "base/file.h"
#include "base/text.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <ranges>
#include <string_view>
#include <utility>

namespace linerate {
namespace {

// Data that is only moved is what a maximum is checked with: inputs for sums are mostly zero.
std::vector<RedOp> ops_of(const CaseConfig& config) {
  if (!config.collective->reduces) return {RedOp::max};
  return config.ops;
}

std::vector<int> roots_of(const CaseConfig& config, int nranks) {
  if (!config.collective->rooted) return {0};
  if (config.root >= 0) return {config.root};
  std::vector<int> roots;
  for (int root = 0; root < nranks; ++root) roots.push_back(root);
  return roots;
}

Error refused(const std::string& path, std::string_view why) {
  return Error(fmt::format("NCCL_TESTS_ALLTOALLV_MATRIX_FILE '{}': {}", path, why),
               ExitCode::usage);
}

void check_sizes(const CaseConfig& config, const TrafficMatrix& matrix, int nranks) {
  const Sizing sizing{.nranks = nranks, .traffic = &matrix};
  const auto busiest = row_bytes(*config.collective, sizing, DataType::uint8);
  if (config.min_bytes == config.max_bytes && config.max_bytes >= busiest) return;
  throw refused(config.traffic.matrix_file,
                fmt::format("-b and -e must be equal and at least its busiest rank's {0} bytes: "
                            "give -b {0} -e {0}.",
                            busiest));
}

using Types = std::vector<DataType>;

// The one call that a collective consists of; nothing where it is made of sends and receives.
std::optional<OpKind> call_of(const Collective& collective) {
  for (std::size_t i = 0; i < kOpKinds; ++i)
    if (const auto kind = static_cast<OpKind>(i); name_of(kind) == collective.name) return kind;
  return std::nullopt;
}

std::string refusal_of(const Case& what, const CallRefusal& refusal) {
  const auto kind = call_of(*what.collective).value_or(OpKind::send);
  return refusal({.kind = kind, .type = what.type, .op = what.op});
}

// Why this rank can make none of the calls, or that another one cannot.
std::string sentence_for(const std::vector<Case>& left_out, const CallRefusal& refusal) {
  for (const Case& what : left_out)
    if (auto sentence = refusal_of(what, refusal); !sentence.empty()) return sentence;
  return "The communicator of another group has no such call: give another -d or -o.";
}

template <typename Value>
void add_once(std::vector<Value>& values, Value value) {
  if (std::ranges::find(values, value) == values.end()) values.push_back(value);
}

Types types_with(const std::vector<Case>& cases, RedOp op) {
  Types types;
  for (const Case& what : cases)
    if (what.op == op) add_once(types, what.type);
  return types;
}

std::string names_of(const Types& types) {
  std::vector<std::string_view> names;
  names.reserve(types.size());
  for (const DataType type : types) names.push_back(name_of(type));
  return join(names, ", ");
}

// "prod; sum of f8e4m3, f8e5m2": an operator alone is left out with every type that was asked for.
std::string names_of_left_out(const std::vector<Case>& left_out, const std::vector<Case>& asked) {
  std::vector<RedOp> ops;
  for (const Case& what : left_out) add_once(ops, what.op);
  std::string text;
  for (const RedOp op : ops) {
    const Types types = types_with(left_out, op);
    text += fmt::format("{}{}", text.empty() ? "" : "; ", name_of(op));
    if (types != types_with(asked, op)) text += fmt::format(" of {}", names_of(types));
  }
  return text;
}

}  // namespace

Sizing sizing_of(const Case& what, int nranks, const TrafficMatrix* traffic) {
  return {.count = count_of(*what.collective, what.bytes, what.type, nranks),
          .nranks = nranks,
          .traffic = traffic,
          .type = what.type};
}

std::vector<std::size_t> sweep_sizes(const CaseConfig& config) {
  std::vector<std::size_t> sizes;
  const auto factor = static_cast<std::size_t>(config.step_factor);
  const auto last = config.max_bytes;
  constexpr std::size_t kMaxSizes = 1'000'000;
  if (factor <= 1 && (last - config.min_bytes) / config.step_bytes >= kMaxSizes)
    throw Error(fmt::format("-i {} from -b {} to -e {} makes more than {} sizes: give a larger "
                            "step, or a factor such as -f 2.",
                            config.step_bytes, config.min_bytes, last, kMaxSizes),
                ExitCode::usage);
  for (std::size_t bytes = config.min_bytes;;) {
    sizes.push_back(bytes);
    // Asked this way round, no product or sum can overflow.
    if (factor > 1 ? bytes > last / factor : last - bytes < config.step_bytes) return sizes;
    bytes = factor > 1 ? bytes * factor : bytes + config.step_bytes;
  }
}

std::vector<Case> plan_cases(const CaseConfig& config, int nranks) {
  std::vector<Case> cases;
  const auto sizes = sweep_sizes(config);
  for (const auto type : config.types)
    for (const auto op : ops_of(config))
      for (const auto root : roots_of(config, nranks))
        for (const auto bytes : sizes)
          cases.push_back({.collective = config.collective,
                           .bytes = bytes,
                           .type = type,
                           .op = op,
                           .root = root});
  return cases;
}

std::size_t rank_bytes_of(std::size_t free, std::size_t sharers) {
  constexpr double kShareOfFree = 0.8;
  return static_cast<std::size_t>(static_cast<double>(free) * kShareOfFree /
                                  static_cast<double>(sharers));
}

std::size_t max_bytes_within(std::size_t rank_bytes) {
  constexpr std::size_t kBuffers = 2;  // send and recv
  constexpr std::size_t kPage = 4096;
  return rank_bytes / kBuffers / kPage * kPage;
}

std::string redop_text(const Case& what) {
  return std::string(what.collective->reduces ? name_of(what.op) : what.collective->redop);
}

std::map<int, int> group_sizes(const CaseConfig& config, int nranks) {
  std::map<int, int> sizes;
  for (int rank = 0; rank < nranks; ++rank) ++sizes[config.split.color(rank)];
  return sizes;
}

int smallest_group(const CaseConfig& config, int nranks) {
  return std::ranges::min(group_sizes(config, nranks) | std::views::values);
}

int largest_group(const CaseConfig& config, int nranks) {
  return std::ranges::max(group_sizes(config, nranks) | std::views::values);
}

std::unique_ptr<TrafficMatrix> traffic_of(const CaseConfig& config, int nranks) {
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

RunnableCases runnable_cases(const std::vector<Case>& cases, const CallRefusal& refusal,
                             const AnyThread& any_thread) {
  RunnableCases runnable;
  std::vector<Case> left_out;
  std::map<std::pair<DataType, RedOp>, bool> refused;
  for (const Case& what : cases) {
    const auto [known, fresh] = refused.try_emplace({what.type, what.op});
    if (fresh) known->second = any_thread(!refusal_of(what, refusal).empty());
    (known->second ? left_out : runnable.cases).push_back(what);
  }
  if (left_out.empty()) return runnable;
  if (runnable.cases.empty()) return {.note = sentence_for(left_out, refusal)};
  runnable.note = fmt::format("note: left out, as there is no kernel for them: {}",
                              names_of_left_out(left_out, cases));
  return runnable;
}

}  // namespace linerate
