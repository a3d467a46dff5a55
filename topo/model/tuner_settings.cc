#include "topo/model/tuner_settings.h"

#include "base/text.h"
#include "topo/model/name_lists.h"
#include "topo/search/search_rules.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdlib>
#include <optional>
#include <span>
#include <string_view>

namespace linerate::topo {
namespace {

// CollNet is off where nobody asks for it, and so its names change nothing.
ListWords<bool> algorithm_words() {
  ListWords<bool> words{.what = "algorithm", .on = true, .off = false};
  for (const auto algorithm : kAllAlgorithms) words.names.push_back(name_of(algorithm));
  words.names.insert(words.names.end(), {"CollNetDirect", "CollNetChain"});
  return words;
}

ListWords<ProtocolUse> protocol_words() {
  ListWords<ProtocolUse> words{.what = "protocol", .on = ProtocolUse::on, .off = ProtocolUse::off};
  for (const auto protocol : kAllProtocols) words.names.push_back(name_of(protocol));
  return words;
}

// One variable after the other, and what they make of the settings.
class SettingsReader {
 public:
  SettingsReader(const Environment& environment, const NcclVersion& version)
      : environment_(environment), version_(version), most_(search_rules(version).max_channels) {}

  Result<TunerSettings> read() {
    read_lists("NCCL_PROTO", protocol_words(), settings_.protocols);
    read_lists("NCCL_ALGO", algorithm_words(), settings_.algorithms);
    auto& channels = settings_.channels;
    if (const auto enabled = number("NCCL_NVLS_ENABLE")) channels.nvls = *enabled != 0;
    read_ctas(channels);
    read_channels(channels);
    if (!refusal_.empty()) return Failure{refusal_};
    return std::move(settings_);
  }

 private:
  template <typename Use, std::size_t kCount>
  void read_lists(const std::string& name, const ListWords<Use>& words,
                  std::array<std::array<Use, kCount>, kFunctions>& uses) {
    const auto text = environment_.get(name);
    if (!text) return;
    settings_.given.emplace_back(name, *text);
    const auto why = apply_lists(*text, words, version_, uses);
    if (!why.empty() && refusal_.empty())
      refusal_ = fmt::format("{}={}: NCCL {} ends with an error: {}", name, plain_text(*text),
                             text_of(version_), why);
  }

  // As C's strtoll reads it; nothing: not set, empty or out of range.
  std::optional<int> number(const std::string& name) {
    const auto text = environment_.get(name);
    if (!text || text->empty()) return std::nullopt;
    errno = 0;
    const long long value = std::strtoll(text->c_str(), nullptr, 0);
    if (errno != 0) return std::nullopt;
    settings_.given.emplace_back(name, *text);
    constexpr long long kFar = 1 << 30;
    return static_cast<int>(std::clamp(value, -kFar, kFar));
  }

  // envConfigOverride in src/init.cc: since 2.25 what is below 1 is ignored.
  void read_ctas(ChannelSettings& channels) {
    constexpr NcclVersion kIgnoresNone{2, 25, 0};
    const auto least = number("NCCL_MIN_CTAS"), most = number("NCCL_MAX_CTAS");
    if (least && *least > 0) channels.min_ctas = std::min(*least, most_);
    if (most && *most > 0) channels.max_ctas = std::min(*most, most_);
    if (most && *most <= 0 && version_ < kIgnoresNone && refusal_.empty())
      refusal_ = fmt::format("NCCL_MAX_CTAS={}: NCCL {} has no channel left: give 1 or more.",
                             *most, text_of(version_));
    channels.min_ctas = std::min(channels.min_ctas, channels.max_ctas);
  }

  // ncclMinNchannels and ncclMaxNchannels in src/graph/connect.cc. The names of before 2.5 stand
  // behind those of today.
  void read_channels(ChannelSettings& channels) {
    for (const auto* name : {"NCCL_MIN_NRINGS", "NCCL_MIN_NCHANNELS"})
      if (const auto least = number(name)) channels.min_channels = std::clamp(*least, 0, most_);
    for (const auto* name : {"NCCL_MAX_NRINGS", "NCCL_MAX_NCHANNELS"})
      if (const auto most = number(name)) channels.max_channels = std::clamp(*most, 1, most_);
  }

  const Environment& environment_;
  NcclVersion version_;
  int most_;
  TunerSettings settings_;
  std::string refusal_;
};

using Names = std::span<const std::string_view>;

constexpr auto kPathNames = std::to_array<std::string_view>({"NCCL_P2P_LEVEL",
                                                             "NCCL_P2P_DISABLE",
                                                             "NCCL_SHM_DISABLE",
                                                             "NCCL_NVB_DISABLE",
                                                             "NCCL_IGNORE_DISABLED_P2P",
                                                             "NCCL_NET_GDR_LEVEL",
                                                             "NCCL_NET_GDR_READ",
                                                             "NCCL_NET_GDR_C2C",
                                                             "NCCL_PXN_DISABLE",
                                                             "NCCL_P2P_PXN_LEVEL",
                                                             "NCCL_PXN_C2C",
                                                             "NCCL_CROSS_NIC",
                                                             "NCCL_IB_HCA",
                                                             "NCCL_IB_DISABLE",
                                                             "NCCL_IB_MERGE_NICS",
                                                             "NCCL_NET_MERGE_LEVEL",
                                                             "NCCL_NET_FORCE_MERGE",
                                                             "NCCL_NET",
                                                             "NCCL_NET_PLUGIN",
                                                             "NCCL_NETDEVS_POLICY",
                                                             "NCCL_SOCKET_IFNAME",
                                                             "NCCL_TOPO_FILE",
                                                             "NCCL_GRAPH_FILE",
                                                             "NCCL_MNNVL_ENABLE"});
constexpr auto kChoiceNames =
    std::to_array<std::string_view>({"NCCL_COLLNET_ENABLE", "NCCL_PAT_ENABLE", "NCCL_LL128_C2C",
                                     "NCCL_NET_OVERHEAD", "NCCL_TUNER_PLUGIN", "NCCL_CTA_POLICY"});
constexpr auto kChannelNames = std::to_array<std::string_view>(
    {"NCCL_NVLS_NCHANNELS", "NCCL_NTHREADS", "NCCL_LL128_NTHREADS", "NCCL_THREAD_THRESHOLDS",
     "NCCL_UNPACK_DOUBLE_NCHANNELS", "NCCL_WORK_ARGS_BYTES", "NCCL_NCHANNELS_PER_NET_PEER",
     "NCCL_MIN_P2P_NCHANNELS", "NCCL_MAX_P2P_NCHANNELS"});
constexpr auto kFileNames = std::to_array<std::string_view>({"NCCL_CONF_FILE"});

struct Unmodelled {
  std::string_view effect;
  Names names;
};

constexpr std::array kUnmodelled{
    Unmodelled{"NCCL may take other paths and NICs, and find other channels", kPathNames},
    Unmodelled{"NCCL may choose another algorithm or protocol", kChoiceNames},
    Unmodelled{"NCCL may use other numbers of channels and threads", kChannelNames},
    Unmodelled{"NCCL reads more variables from that file", kFileNames},
};

}  // namespace

Result<TunerSettings> read_tuner_settings(const Environment& environment,
                                          const NcclVersion& version) {
  return SettingsReader(environment, version).read();
}

std::vector<std::string> unmodelled_settings(const Environment& environment) {
  std::vector<std::string> sentences;
  for (const auto& kind : kUnmodelled) {
    std::vector<std::string_view> set;
    for (const auto name : kind.names)
      if (!environment.get(name).value_or("").empty()) set.push_back(name);
    if (set.empty()) continue;
    sentences.push_back(fmt::format("{} {} set, and left out of this prediction: {}.",
                                    join(set, ", "), set.size() == 1 ? "is" : "are", kind.effect));
  }
  return sentences;
}

}  // namespace linerate::topo
