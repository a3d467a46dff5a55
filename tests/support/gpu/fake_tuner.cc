// As NCCL 2.28: the cheapest cell of a table of costs, which the plugin may change.
#include "support/gpu/fake_tuner.h"

#include "backends/nccl/tuner_plugin/abi.h"
#include "backends/nccl/tuner_rules/rules.h"

#include <dlfcn.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdlib>
#include <map>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>

namespace linerate::nccl::fake {
namespace {

constexpr int kAlgorithms = 7, kProtocols = 3;
constexpr std::chrono::milliseconds kSlow{2};  // beside other work this still shows

std::string variable(const char* name) {
  const char* const text = std::getenv(name);
  return text == nullptr ? std::string() : std::string(text);
}

bool is_on() { return !variable("LINERATE_FAKE_NCCL_FAST").empty(); }

struct Contexts {
  std::mutex mutex;
  std::map<const Member*, void*> of;
  const tuner::EntryPointsV5* plugin = nullptr;
};
Contexts& contexts() {
  static Contexts all;
  return all;
}

float cost(int algorithm, int protocol) {
  const auto wanted_algorithm = variable("NCCL_ALGO"), wanted_protocol = variable("NCCL_PROTO");
  const auto name = tuner::algorithm_name(algorithm), with = tuner::protocol_name(protocol);
  if (!wanted_algorithm.empty() && name != wanted_algorithm) return -1;
  if (!wanted_protocol.empty() && with != wanted_protocol) return -1;
  return name == "Ring" && with == "Simple" ? 5.F : 10.F;
}

int function_of(OpKind kind) {
  int number = 0;
  while (!tuner::collective_name(number).empty() && tuner::collective_name(number) != name_of(kind))
    ++number;
  return number;
}

// Of the larger buffer, as NCCL counts.
std::size_t bytes_of_call(const Member& member, const Call& call) {
  const bool blocks = call.kind == OpKind::all_gather || call.kind == OpKind::reduce_scatter;
  return call.bytes() * (blocks ? static_cast<std::size_t>(member.nranks()) : 1);
}

std::string choice_of(const Member& member, const Call& call) {
  std::array<float, kAlgorithms * kProtocols> costs{};
  for (int cell = 0; cell < kAlgorithms * kProtocols; ++cell)
    costs[static_cast<std::size_t>(cell)] = cost(cell / kProtocols, cell % kProtocols);
  auto& all = contexts();
  void* context = nullptr;
  {
    const std::lock_guard lock(all.mutex);
    context = all.of[&member];
  }
  int channels = 0;
  if (all.plugin != nullptr)
    (void)all.plugin->choose(context, function_of(call.kind), bytes_of_call(member, call), 1,
                             reinterpret_cast<float**>(costs.data()), kAlgorithms, kProtocols, 0,
                             &channels);
  std::size_t best = 0;
  for (std::size_t cell = 0; cell < costs.size(); ++cell)
    if (costs[cell] >= 0 && (costs[best] < 0 || costs[cell] < costs[best])) best = cell;
  const int cell = static_cast<int>(best);
  return std::string(tuner::algorithm_name(cell / kProtocols)) + '/' +
         std::string(tuner::protocol_name(cell % kProtocols));
}

}  // namespace

void tune_begin(const Member& member) {
  if (!is_on()) return;
  auto& all = contexts();
  const std::lock_guard lock(all.mutex);
  if (const auto file = variable("NCCL_TUNER_PLUGIN"); !file.empty() && all.plugin == nullptr)
    if (void* const library = dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL))
      all.plugin = static_cast<const tuner::EntryPointsV5*>(dlsym(library, "ncclTunerPlugin_v5"));
  void* context = nullptr;
  if (all.plugin != nullptr)
    (void)all.plugin->init(&context, 7, static_cast<std::size_t>(member.nranks()), 1, nullptr,
                           nullptr, nullptr);
  all.of[&member] = context;
}

void tune(const Member& member, const Call& call) {
  if (is_on() && choice_of(member, call) != variable("LINERATE_FAKE_NCCL_FAST"))
    std::this_thread::sleep_for(kSlow);
}

void tune_end(const Member& member) {
  if (!is_on()) return;
  auto& all = contexts();
  const std::lock_guard lock(all.mutex);
  if (all.plugin != nullptr) (void)all.plugin->finalize(all.of[&member]);
  all.of.erase(&member);
}

}  // namespace linerate::nccl::fake
