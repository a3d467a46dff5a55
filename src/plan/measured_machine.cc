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

using CallRanges = std::map<std::pair<CallKind, int>, std::pair<double, double>>;

class NotingLinks final : public LinkModel {
 public:
  explicit NotingLinks(CallRanges& all) : all_(all) {}
  double us(CallKind call, CallGroup group, double bytes) const override {
    const auto [found, fresh] = all_.try_emplace({call, group.size}, bytes, bytes);
    auto& [least, most] = found->second;
    least = std::min(least, bytes);
    most = std::max(most, bytes);
    return 1;
  }

 private:
  CallRanges& all_;
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

// [call, ranks, bytes, us]
bool read_call(const Json& row, Measurements& into) {
  if (!row.is_array() || row.size() != 4 || !row[0].is_string() || !is_time(row[3])) return false;
  const auto call = call_named(row[0].get<std::string>());
  if (!call || !is_count(row[1]) || !is_time(row[2])) return false;
  const auto size = row[1].get<std::uint64_t>();
  if (size < 2 || size > static_cast<std::uint64_t>(into.nranks)) return false;
  into.calls.push_back({*call, static_cast<int>(size), row[2].get<double>(), row[3].get<double>()});
  return true;
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

MeasuredLinks::MeasuredLinks(const std::vector<MeasuredCall>& calls) {
  for (const auto& call : calls) us_[{call.call, call.size}][call.bytes] = call.us;
}

double MeasuredLinks::us(CallKind call, CallGroup group, double bytes) const {
  if (group.size < 2 || bytes <= 0) return 0;
  const auto found = us_.find({call, group.size});
  if (found == us_.end()) return 0;
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
  for (const auto& call : measured.calls)
    all["calls"].push_back(
        {kCallNames[static_cast<std::size_t>(call.call)], call.size, call.bytes, call.us});
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
    if (!is_count(value) || value.get<std::uint64_t>() > 4096) return false;
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
  for (std::size_t i = 0; good && i < calls.size(); ++i) good = read_call(calls[i], measured);
  if (!good) return Failure{" is damaged: measure again."};
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
                  .type = DataType::float32,
                  .compute = std::make_shared<MeasuredKernels>(measured.kernels_us),
                  .links = std::make_shared<MeasuredLinks>(measured.calls),
                  .memory_bytes = measured.memory_bytes / measured.nranks,
                  .processors = static_cast<double>(measured.cores)};
  machine.peak_flops = peak * machine.share();
  return machine;
}

Needs needs_of(const std::vector<trainers::TrainConfig>& layouts, DataType type, int nranks) {
  std::set<Kernel> kernels;
  CallRanges calls;
  const Machine noting{.nranks = nranks,
                       .type = type,
                       .compute = std::make_shared<NotingKernels>(kernels),
                       .links = std::make_shared<NotingLinks>(calls)};
  Predictor predictor(noting);
  for (const auto& config : layouts) predictor.predict(config);
  Needs needs{.kernels = {kernels.begin(), kernels.end()}};
  for (const auto& [what, bytes] : calls)
    needs.calls.push_back({what.first, what.second, bytes.first, bytes.second});
  return needs;
}

}  // namespace linerate::plan
