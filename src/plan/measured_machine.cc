// Needs are found by predicting with models that write down what they are asked.
#include "plan/measured_machine.h"

#include "base/text.h"
#include "plan/predict.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>
#include <memory>
#include <set>

namespace linerate::plan {
namespace {

using Json = nlohmann::json;

constexpr int kMachineSchema = 1;
constexpr std::size_t kMostPoints = 100'000;
constexpr int kMostRanks = 4096;

// How far two shapes are apart: as ratios of each side.
double distance(const Kernel& one, const Kernel& other) {
  const auto side = [](std::size_t a, std::size_t b) {
    return std::abs(std::log(static_cast<double>(std::max<std::size_t>(a, 1)) /
                             static_cast<double>(std::max<std::size_t>(b, 1))));
  };
  return side(one.m, other.m) + side(one.n, other.n) + side(one.k, other.k);
}

double work_of(const Kernel& kernel) {
  const double flops = flops_of(kernel);
  return flops > 0 ? flops : elements_of(kernel);
}

class NotingKernels final : public ComputeModel {
 public:
  explicit NotingKernels(std::set<Kernel>& all) : all_(all) {}
  double us(const Kernel& kernel) const override { return all_.insert(kernel), 1; }

 private:
  std::set<Kernel>& all_;
};

using CallRanges = std::map<std::pair<CallKind, CallGroup>, std::pair<double, double>>;

// Of the host it is the size of a group that matters.
CallGroup size_of(CallGroup group) { return {.size = group.size}; }

void note(CallKind call, CallGroup group, double bytes, CallRanges& all) {
  const auto [found, fresh] = all.try_emplace({call, group}, bytes, bytes);
  auto& [least, most] = found->second;
  least = std::min(least, bytes);
  most = std::max(most, bytes);
}

std::vector<Needs::Calls> needs_in(const CallRanges& ranges) {
  std::vector<Needs::Calls> needs;
  for (const auto& [what, bytes] : ranges)
    needs.push_back({what.first, what.second, bytes.first, bytes.second});
  return needs;
}

class NotingLinks final : public LinkModel {
 public:
  NotingLinks(CallRanges& by_size, CallRanges& by_group) : by_size_(by_size), by_group_(by_group) {}
  double us(CallKind call, CallGroup group, double bytes) const override {
    note(call, size_of(group), bytes, by_size_);
    note(call, group, bytes, by_group_);
    return 1;
  }

 private:
  CallRanges& by_size_;
  CallRanges& by_group_;
};

std::optional<CallKind> call_named(std::string_view name) {
  const auto found = std::ranges::find(kCallNames, name);
  if (found == std::end(kCallNames)) return std::nullopt;
  return static_cast<CallKind>(found - std::begin(kCallNames));
}

bool is_time(const Json& value) {
  return value.is_number() && std::isfinite(value.get<double>()) && value.get<double>() > 0;
}

bool is_count(const Json& value) {
  return value.is_number_unsigned() && value.get<std::uint64_t>() > 0;
}

// [kind, m, n, k, us]
bool read_kernel(const Json& row, Measurements& into) {
  if (!row.is_array() || row.size() != 5 || !row[0].is_string() || !is_time(row[4])) return false;
  const auto kind = kernel_named(row[0].get<std::string>());
  if (!kind || !is_count(row[1]) || !is_count(row[2]) || !is_count(row[3])) return false;
  into.kernels_us[{*kind, row[1].get<std::size_t>(), row[2].get<std::size_t>(),
                   row[3].get<std::size_t>()}] = row[4].get<double>();
  return true;
}

// A number of ranks, or a distance between them.
std::optional<int> read_ranks(const Json& value, std::uint64_t least, int nranks) {
  if (!value.is_number_unsigned()) return std::nullopt;
  const auto number = value.get<std::uint64_t>();
  if (number < least || number > static_cast<std::uint64_t>(nranks)) return std::nullopt;
  return static_cast<int>(number);
}

// [call, ranks, bytes, us], and of a network's calls stride, run and jump of the group behind them.
bool read_call(const Json& row, bool over_network, int nranks, std::vector<MeasuredCall>& into) {
  if (!row.is_array() || row.size() != (over_network ? 7 : 4) || !row[0].is_string()) return false;
  const auto call = call_named(row[0].get<std::string>());
  const auto size = read_ranks(row[1], 2, nranks);
  if (!call || !size || !is_time(row[2]) || !is_time(row[3])) return false;
  CallGroup group{.size = *size};
  if (over_network) {
    const auto stride = read_ranks(row[4], 1, nranks), run = read_ranks(row[5], 0, nranks),
               jump = read_ranks(row[6], 0, nranks);
    if (!stride || !run || !jump) return false;
    group = {*size, *stride, *run, *jump};
  }
  into.push_back({*call, group, row[2].get<double>(), row[3].get<double>()});
  return true;
}

nlohmann::ordered_json row_of(const MeasuredCall& call, bool over_network) {
  const auto& group = call.group;
  nlohmann::ordered_json row{kCallNames[static_cast<std::size_t>(call.call)], group.size,
                             call.bytes, call.us};
  if (over_network)
    for (const int number : {group.stride, group.run, group.jump}) row.push_back(number);
  return row;
}

// The network that the calls were measured over, where there is one.
bool read_network(const Json& all, Measurements& into) {
  const auto found = all.find("network");
  if (found == all.end()) return true;
  if (!found->is_object()) return false;
  const auto file = found->value("file", Json()), ranks = found->value("node_ranks", Json()),
             calls = found->value("calls", Json());
  const auto node_ranks = read_ranks(ranks, 1, kMostRanks);
  if (!file.is_string() || file.get<std::string>().empty() || !node_ranks || !calls.is_array() ||
      calls.size() > kMostPoints)
    return false;
  into.network.file = file.get<std::string>();
  into.network.node_ranks = *node_ranks;
  return std::ranges::all_of(calls, [&](const Json& row) {
    return read_call(row, true, into.nranks, into.network.calls);
  });
}

}  // namespace

double MeasuredKernels::us(const Kernel& kernel) const {
  const auto exact = us_.find(kernel);
  if (exact != us_.end()) return exact->second;
  double nearest = std::numeric_limits<double>::infinity(), result = 0;
  for (const auto& [other, us] : us_) {
    if (other.kind != kernel.kind) continue;
    const double apart = distance(kernel, other);
    if (apart >= nearest) continue;
    nearest = apart;
    result = us * work_of(kernel) / work_of(other);
  }
  return result;
}

MeasuredLinks::MeasuredLinks(const std::vector<MeasuredCall>& calls,
                             const std::vector<MeasuredCall>& over_network)
    : us_(by_group(calls)), over_network_us_(by_group(over_network)) {}

MeasuredLinks::Calls MeasuredLinks::by_group(const std::vector<MeasuredCall>& calls) {
  Calls all;
  for (const auto& call : calls) all[{call.call, call.group}][call.bytes] = call.us;
  return all;
}

double MeasuredLinks::us(CallKind call, CallGroup group, double bytes) const {
  return us_in(us_, call, size_of(group), bytes) + network_us(call, group, bytes);
}

double MeasuredLinks::network_us(CallKind call, CallGroup group, double bytes) const {
  if (over_network_us_.empty()) return 0;
  return std::max(
      0.0, us_in(over_network_us_, call, group, bytes) - us_in(us_, call, size_of(group), bytes));
}

double MeasuredLinks::us_in(const Calls& calls, CallKind call, CallGroup group, double bytes) {
  if (group.size < 2 || bytes <= 0) return 0;
  const auto found = calls.find({call, group});
  if (found == calls.end()) return 0;
  const auto& points = found->second;
  const auto after = points.lower_bound(bytes);
  if (after == points.begin()) return after->second;
  const auto& [less, less_us] = *std::prev(after);
  if (after == points.end()) return less_us * bytes / less;
  const auto& [more, more_us] = *after;
  return less_us + (more_us - less_us) * (bytes - less) / (more - less);
}

std::string measurements_json(const Measurements& measured) {
  nlohmann::ordered_json all{{"kind", "machine"},        {"schema", kMachineSchema},
                             {"host", measured.host},    {"nranks", measured.nranks},
                             {"cores", measured.cores},  {"memory_bytes", measured.memory_bytes},
                             {"kernels", Json::array()}, {"calls", Json::array()}};
  for (const auto& [kernel, us] : measured.kernels_us)
    all["kernels"].push_back({name_of(kernel.kind), kernel.m, kernel.n, kernel.k, us});
  for (const auto& call : measured.calls) all["calls"].push_back(row_of(call, false));
  const auto& network = measured.network;
  if (!network.file.empty()) {
    all["network"] = {
        {"file", network.file}, {"node_ranks", network.node_ranks}, {"calls", Json::array()}};
    for (const auto& call : network.calls) all["network"]["calls"].push_back(row_of(call, true));
  }
  return all.dump() + '\n';
}

Result<Measurements> read_measurements(std::string_view text) {
  const auto all = Json::parse(text, nullptr, false);
  if (!all.is_object() || all.value("kind", Json()) != "machine")
    return Failure{" is no machine that linerate plan has measured."};
  if (all.value("schema", Json()) != kMachineSchema)
    return Failure{" is of another version of linerate plan: measure again."};
  Measurements measured;
  const auto whole = [&](const char* key, int& into) {
    const auto value = all.value(key, Json());
    if (!is_count(value) || value.get<std::uint64_t>() > kMostRanks) return false;
    into = value.get<int>();
    return true;
  };
  const auto kernels = all.value("kernels", Json()), calls = all.value("calls", Json());
  const auto memory = all.value("memory_bytes", Json(0)), host = all.value("host", Json(""));
  bool good = whole("nranks", measured.nranks) && whole("cores", measured.cores) &&
              kernels.is_array() && !kernels.empty() && calls.is_array() &&
              kernels.size() + calls.size() <= kMostPoints && memory.is_number() &&
              host.is_string();
  for (std::size_t i = 0; good && i < kernels.size(); ++i) good = read_kernel(kernels[i], measured);
  for (std::size_t i = 0; good && i < calls.size(); ++i)
    good = read_call(calls[i], false, measured.nranks, measured.calls);
  if (!good || !read_network(all, measured)) return Failure{" is damaged: measure again."};
  measured.host = host.get<std::string>();
  measured.memory_bytes = memory.get<double>();
  return measured;
}

Machine measured_machine(const Measurements& measured) {
  double peak = 0;  // in operations a second
  for (const auto& [kernel, us] : measured.kernels_us)
    if (kernel.kind <= KernelKind::product_weight)
      peak = std::max(peak, flops_of(kernel) / us * 1e6);
  Machine machine{.name = measured.host,
                  .nranks = measured.nranks,
                  .node_ranks = measured.network.node_ranks,
                  .type = DataType::float32,
                  .compute = std::make_shared<MeasuredKernels>(measured.kernels_us),
                  .links = std::make_shared<MeasuredLinks>(measured.calls, measured.network.calls),
                  .memory_bytes = measured.memory_bytes / measured.nranks,
                  .processors = static_cast<double>(measured.cores)};
  machine.peak_flops = peak * machine.share();
  return machine;
}

Needs needs_of(const std::vector<trainers::TrainConfig>& layouts, DataType type, int nranks,
               int node_ranks) {
  std::set<Kernel> kernels;
  CallRanges by_size, by_group;
  const Machine noting{.nranks = nranks,
                       .node_ranks = node_ranks,
                       .type = type,
                       .compute = std::make_shared<NotingKernels>(kernels),
                       .links = std::make_shared<NotingLinks>(by_size, by_group)};
  Predictor predictor(noting);
  for (const auto& config : layouts) predictor.predict(config);
  return {.kernels = {kernels.begin(), kernels.end()},
          .calls = needs_in(by_size),
          .over_network = node_ranks > 0 ? needs_in(by_group) : std::vector<Needs::Calls>()};
}

}  // namespace linerate::plan
