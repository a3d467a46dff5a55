// NCCL's settings. Calls choose algorithm, protocol and channels, which the tuner plugin hands to
// NCCL; all else is a variable.
#include "backends/nccl/tuner_rules/rules.h"
#include "tune/settings.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace linerate::tuning {
namespace {

namespace tuner = nccl::tuner;

constexpr auto kNcclRows = std::to_array<ProcessRow>({
    {"NCCL_BUFFSIZE", "1048576 8388608 16777216"},
    {"NCCL_NVLS_CHUNKSIZE", "65536 262144", Needs::ranks_of_a_node},
    {"NCCL_P2P_NET_CHUNKSIZE", "65536 524288", Needs::nodes},
    {"NCCL_P2P_LEVEL", "NVL PXB SYS", Needs::ranks_of_a_node},
    {"NCCL_NET_GDR_LEVEL", "PIX PHB SYS", Needs::infiniband},
    {"NCCL_IB_QPS_PER_CONNECTION", "2 4", Needs::infiniband},
    {"NCCL_IB_SPLIT_DATA_ON_QPS", "1", Needs::infiniband},
    {"NCCL_CROSS_NIC", "0 1", Needs::infiniband},
    {"NCCL_SOCKET_NTHREADS", "2 4", Needs::sockets},
    {"NCCL_NSOCKS_PERTHREAD", "2 4", Needs::sockets},
});

constexpr std::array<std::string_view, 2> kChoice{"NCCL_ALGO", "NCCL_PROTO"};
constexpr std::array<std::string_view, 4> kChannels{"NCCL_MIN_CTAS", "NCCL_MAX_CTAS",
                                                    "NCCL_MIN_NCHANNELS", "NCCL_MAX_NCHANNELS"};
constexpr std::array kChannelCounts{2, 4, 8, 16, 32};
constexpr env::Release kHasCtas{17, 0}, kHasPat{23, 0};

// Empty: it can be tried.
std::string why_no_choice(const Facts& facts, std::string_view algorithm,
                          std::string_view protocol) {
  if (const auto why = danger_of("NCCL_PROTO", protocol); !why.empty())
    return fmt::format("unsafe: {}", why);
  if (algorithm.starts_with("CollNet")) {
    if (facts.nodes == 1) return "switches between nodes reduce, and there is one node";
    if (!facts.set.contains("NCCL_COLLNET_ENABLE"))
      return "it needs a network plugin with SHARP, and NCCL_COLLNET_ENABLE=1, which is not set";
  }
  if (algorithm == "NVLSTree" && facts.nodes == 1) return "it is for several nodes";
  if (algorithm.starts_with("NVLS") && facts.ranks_per_node == 1)
    return "NVSwitches reduce, and each node has one rank";
  if (algorithm == "PAT" && facts.nccl < kHasPat)
    return fmt::format("NCCL {} has none", env::text_of(facts.nccl));
  if (algorithm == "PAT" && facts.ranks_per_node > 1) return "it is for one rank on each node";
  return {};
}

void add_choices(const Facts& facts, const Collective& collective, Candidates& to) {
  for (int a = 0; !tuner::algorithm_name(a).empty(); ++a)
    for (int p = 0; !tuner::protocol_name(p).empty(); ++p) {
      const std::string algorithm(tuner::algorithm_name(a)), protocol(tuner::protocol_name(p));
      if (!tuner::exists(collective.name, algorithm, protocol)) continue;
      const auto words = fmt::format("{} with {}", algorithm, protocol);
      if (auto why = why_no_choice(facts, algorithm, protocol); !why.empty())
        to.left_out.push_back({fmt::format("{}: {}", collective.name, words), std::move(why)});
      else
        to.arms.push_back({.words = words,
                           .variables = {{"NCCL_ALGO", algorithm}, {"NCCL_PROTO", protocol}},
                           .collective = &collective,
                           .algorithm = algorithm,
                           .protocol = protocol});
    }
}

void add_channels(const Collective& collective, Candidates& to) {
  for (const int count : kChannelCounts) {
    const auto text = fmt::to_string(count);
    to.arms.push_back({.words = fmt::format("{} channels", count),
                       .variables = {{"NCCL_MIN_CTAS", text}, {"NCCL_MAX_CTAS", text}},
                       .collective = &collective,
                       .channels = count});
  }
}

bool has_choice(const Collective& collective) {
  for (int i = 0; !tuner::collective_name(i).empty(); ++i)
    if (tuner::collective_name(i) == collective.name) return true;
  return false;
}

}  // namespace

std::span<const ProcessRow> nccl_process_rows() { return kNcclRows; }

Candidates nccl_candidates(const Facts& facts, const Collectives& collectives) {
  Candidates all;
  add_process_rows(kNcclRows, facts, all);
  const auto chosen = set_already(facts, kChoice);
  if (!chosen.empty()) all.left_out.push_back({"algorithms and protocols", chosen});
  auto counted = set_already(facts, kChannels);
  if (facts.nccl < kHasCtas)
    counted = fmt::format("NCCL {} has no NCCL_MIN_CTAS", env::text_of(facts.nccl));
  if (!counted.empty()) all.left_out.push_back({"numbers of channels", counted});
  for (const auto* collective : collectives) {
    if (!has_choice(*collective)) {
      all.left_out.push_back({fmt::format("{}: algorithms, protocols, channels", collective->name),
                              "NCCL makes it of sends and receives, which have no choice"});
      continue;
    }
    if (chosen.empty()) add_choices(facts, *collective, all);
    if (counted.empty()) add_channels(*collective, all);
  }
  return all;
}

}  // namespace linerate::tuning
