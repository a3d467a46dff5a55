// Reads an emulated cluster key by key; the first thing that is wrong ends it, with its line.
#include "backends/host/emulation/network.h"
#include "base/file.h"
#include "yaml/document.h"
#include "yaml/section.h"

#include <fmt/format.h>

#include <array>
#include <set>

namespace linerate::host {
namespace {

using yaml::Bounds;
using yaml::Complaints;
using yaml::Section;

constexpr std::array<std::string_view, 8> kNetworkKeys{
    "nodes", "ranks_per_node", "nic", "local", "rack", "spine", "slow", "dilation"};
constexpr std::array<std::string_view, 2> kLinkKeys{"bandwidth", "latency"};
constexpr std::array<std::string_view, 3> kNicKeys{"bandwidth", "latency", "rails"};
constexpr std::array<std::string_view, 3> kRackKeys{"nodes", "bandwidth", "latency"};
constexpr std::array<std::string_view, 4> kSlowKeys{"link", "rank", "factor", "delay_us"};

constexpr Bounds kGbps{1e-6, 1e6};
constexpr Bounds kLatencyUs{0, 1e6};
constexpr Bounds kFactor{1, 1000};

// One document, step by step.
class NetworkReader {
 public:
  Result<Network> read(const YAML::Node& document) {
    const Section top(document, "the network", kNetworkKeys, complaints_);
    const NetworkPlan plan = plan_of(top);
    if (complaints_.first()) return *complaints_.first();
    Network network(plan);
    read_slow(top, network);
    if (complaints_.first()) return *complaints_.first();
    return network;
  }

  const Complaints& complaints() const { return complaints_; }

 private:
  NetworkPlan plan_of(const Section& top) {
    NetworkPlan plan;
    for (const auto key : {"nodes", "ranks_per_node", "nic"}) top.require(key);
    top.whole("nodes", {1, NetworkPlan::kMaxNodes}, plan.nodes);
    top.whole("ranks_per_node", {1, NetworkPlan::kMaxRanksPerNode}, plan.ranks_per_node);
    top.whole("dilation", {1, NetworkPlan::kMaxDilation}, plan.dilation);
    read_nic(top, plan);
    read_link(top, "local", plan.local);
    read_rack(top, plan);
    read_link(top, "spine", plan.spine);
    if (plan.spine && !plan.rack)
      top.complain("spine", "connects racks: give rack too, or leave it out.");
    return plan;
  }

  void read_rate(const Section& section, LinkRate& rate) {
    section.require("bandwidth");
    section.require("latency");
    section.quantity("bandwidth", yaml::kRateUnits, kGbps, rate.gbps);
    section.quantity("latency", yaml::kTimeUnits, kLatencyUs, rate.latency_us);
  }

  void read_link(const Section& top, std::string_view key, std::optional<LinkRate>& into) {
    const auto node = top.value(key);
    if (node) read_rate(Section(*node, std::string(key), kLinkKeys, complaints_), into.emplace());
  }

  void read_nic(const Section& top, NetworkPlan& plan) {
    const auto node = top.value("nic");
    if (!node) return;
    const Section nic(*node, "nic", kNicKeys, complaints_);
    read_rate(nic, plan.nic);
    nic.whole("rails", {1, NetworkPlan::kMaxRails}, plan.rails);
  }

  void read_rack(const Section& top, NetworkPlan& plan) {
    const auto node = top.value("rack");
    if (!node) return;
    const Section rack(*node, "rack", kRackKeys, complaints_);
    rack.require("nodes");
    rack.whole("nodes", {1, NetworkPlan::kMaxNodes}, plan.nodes_per_rack);
    read_rate(rack, plan.rack.emplace());
  }

  // One entry, or a list of them.
  void read_slow(const Section& top, Network& network) {
    const auto slow = top.value("slow");
    if (!slow) return;
    if (!slow->IsSequence()) return slow_down(*slow, network);
    for (const auto& entry : *slow) {
      slow_down(entry, network);
      if (complaints_.first()) return;
    }
  }

  void slow_down(const YAML::Node& node, Network& network) {
    const Section entry(node, "slow", kSlowKeys, complaints_);
    if (entry.has("rank"))
      slow_rank(entry, network);
    else
      slow_link(entry, network);
  }

  void slow_link(const Section& entry, Network& network) {
    const Slowness by = slowness_of(entry);
    std::string name;
    entry.text("link", name);
    const auto link = network.find_link(name);
    if (!link)
      entry.complain("link",
                     fmt::format("names none of them: they go from {} to {}.", network.name_of(0),
                                 network.name_of(network.nlinks() - 1)));
    if (takes(entry, name)) network.slow_link(*link, by);
  }

  void slow_rank(const Section& entry, Network& network) {
    const Slowness by = slowness_of(entry);
    int rank = 0;
    entry.whole("rank", {0, static_cast<double>(network.nranks() - 1)}, rank);
    if (takes(entry, fmt::format("rank {}", rank))) network.slow_rank(rank, by);
  }

  Slowness slowness_of(const Section& entry) const {
    Slowness by;
    entry.number("factor", kFactor, by.factor);
    entry.number("delay_us", kLatencyUs, by.delay_us);
    if (!entry.has("factor") && !entry.has("delay_us"))
      entry.complain("factor", "or delay_us is needed.");
    if (entry.has("link") == entry.has("rank"))
      entry.complain("link", "or rank is needed, and not both.");
    return by;
  }

  // Whether nothing is wrong so far and `what` is not slow already.
  bool takes(const Section& entry, const std::string& what) {
    if (!complaints_.first() && !slowed_.insert(what).second)
      entry.complain("entry", fmt::format("for {} is the second one: give it once.", what));
    return !complaints_.first();
  }

  Complaints complaints_;
  std::set<std::string> slowed_;  // links and ranks
};

}  // namespace

Result<Network> parse_network(std::string_view text) {
  const auto document = yaml::load_document(text, kMaxNetworkBytes);
  return document ? NetworkReader().read(*document) : document.failure();
}

Result<std::shared_ptr<const Network>> read_network(const std::string& path) {
  const auto text = read_regular_file(path, kMaxNetworkBytes);
  if (!text) return Failure{fmt::format("--emulate '{}': {}", path, text.sentence())};
  auto network = parse_network(*text);
  if (!network) return Failure{fmt::format("--emulate '{}'{}", path, network.sentence())};
  return std::make_shared<const Network>(std::move(network).value());
}

}  // namespace linerate::host
