#include "backends/host/emulation/network.h"

#include "base/clock.h"
#include "base/text.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cassert>
#include <cmath>
#include <functional>

namespace linerate::host {
namespace {

std::int64_t whole_ns(double us) { return std::llround(us * kNsPerUs); }

}  // namespace

// Links: for each node its NICs, up and down in turn; racks likewise; local ones; the spine last.
Network::Network(const NetworkPlan& plan)
    : plan_(plan), of_rank_(static_cast<std::size_t>(plan.nodes * plan.ranks_per_node)) {
  assert(plan.nodes >= 1 && plan.ranks_per_node >= 1 && plan.rails >= 1 && plan.nic.gbps > 0);
  for (int node = 0; node < plan.nodes; ++node)
    for (int rail = 0; rail < plan.rails; ++rail) {
      const auto number = plan.rails > 1 ? fmt::to_string(rail) : std::string();
      for (const auto way : {"up", "down"})
        add(fmt::format("node{}.nic{}.{}", node, number, way), plan.nic);
    }
  racks_at_ = links_.size();
  const int racks = plan.rack ? (plan.nodes + plan.nodes_per_rack - 1) / plan.nodes_per_rack : 0;
  for (int rack = 0; rack < racks; ++rack)
    for (const auto way : {"up", "down"}) add(fmt::format("rack{}.{}", rack, way), *plan.rack);
  locals_at_ = links_.size();
  if (plan.local)
    for (int node = 0; node < plan.nodes; ++node)
      add(fmt::format("node{}.local", node), *plan.local);
  if (plan.spine) add("spine", *plan.spine);
}

void Network::add(std::string name, const LinkRate& rate) {
  assert(rate.gbps > 0);
  const auto latency_ns = whole_ns(rate.latency_us * plan_.dilation);
  links_.push_back({.name = std::move(name),
                    .ns_per_byte = plan_.dilation / rate.gbps,
                    .healthy_ns_per_byte = plan_.dilation / rate.gbps,
                    .latency = {latency_ns, latency_ns}});
}

std::string Network::node_name(int rank) const { return fmt::format("node{}", node_of(rank)); }

std::string Network::places() const {
  return fmt::format("{} x {}", counted(static_cast<std::size_t>(plan_.nodes), "node"),
                     counted(static_cast<std::size_t>(plan_.ranks_per_node), "rank"));
}

std::string Network::words() const {
  std::string text = places();
  if (plan_.dilation > 1) text += fmt::format(", time dilated {} times", plan_.dilation);
  return text;
}

std::optional<std::size_t> Network::find_link(std::string_view name) const {
  const auto found = std::ranges::find(links_, name, &Link::name);
  if (found == links_.end()) return std::nullopt;
  return static_cast<std::size_t>(found - links_.begin());
}

void Network::slow_link(std::size_t link, const Slowness& by) {
  links_[link].ns_per_byte *= by.factor;
  links_[link].latency.real_ns += whole_ns(by.delay_us * plan_.dilation);
  slowed_ = true;
}

void Network::slow_rank(int rank, const Slowness& by) {
  Slowness& slowness = of_rank_[static_cast<std::size_t>(rank)];
  slowness.factor *= by.factor;
  slowness.delay_us += by.delay_us;
  slowed_ = true;
}

std::size_t Network::nic(int rank, Way way) const {
  const int rail = rank % plan_.ranks_per_node % plan_.rails;
  const int number = (node_of(rank) * plan_.rails + rail) * 2 + (way == Way::down ? 1 : 0);
  return static_cast<std::size_t>(number);
}

std::size_t Network::rack(int rank, Way way) const {
  const int number = node_of(rank) / plan_.nodes_per_rack * 2 + (way == Way::down ? 1 : 0);
  return racks_at_ + static_cast<std::size_t>(number);
}

void Network::cross(std::size_t link, Path& path) const {
  path.link[path.nlinks++] = static_cast<std::uint32_t>(link);
  path.latency += links_[link].latency;
}

Path Network::path(int from, int to) const {
  Path path;
  for (const int rank : {from, to}) {
    const Slowness& slowness = of_rank_[static_cast<std::size_t>(rank)];
    path.stretch *= slowness.factor;
    path.latency.real_ns += whole_ns(slowness.delay_us * plan_.dilation);
  }
  if (node_of(from) == node_of(to)) {
    if (plan_.local) cross(locals_at_ + static_cast<std::size_t>(node_of(from)), path);
    return path;
  }
  cross(nic(from, Way::up), path);
  if (plan_.rack && rack(from, Way::up) != rack(to, Way::up)) {
    cross(rack(from, Way::up), path);
    if (plan_.spine) cross(links_.size() - 1, path);
    cross(rack(to, Way::down), path);
  }
  cross(nic(to, Way::down), path);
  return path;
}

ModeledTime Network::busy(std::size_t link, std::size_t bytes) const {
  const auto busy_ns = [&](double ns_per_byte) {
    const double ns = std::ceil(static_cast<double>(bytes) * ns_per_byte);
    return std::int64_t{std::llround(std::min(ns, kMaxBusyNs))};
  };
  return {busy_ns(links_[link].ns_per_byte), busy_ns(links_[link].healthy_ns_per_byte)};
}

std::uint64_t Network::fingerprint() const {
  std::uint64_t hash = 0;
  const auto mix = [&](std::uint64_t value) {
    hash = (std::rotl(hash, 7) ^ value) * 0x9e3779b97f4a7c15;  // 2^64 over the golden ratio
  };
  for (const int number :
       {plan_.nodes, plan_.ranks_per_node, plan_.rails, plan_.nodes_per_rack, plan_.dilation})
    mix(static_cast<std::uint64_t>(number));
  for (const Link& link : links_) {
    mix(std::hash<std::string>()(link.name));
    mix(std::bit_cast<std::uint64_t>(link.ns_per_byte));
    mix(static_cast<std::uint64_t>(link.latency.real_ns));
  }
  for (const Slowness& slowness : of_rank_) {
    mix(std::bit_cast<std::uint64_t>(slowness.factor));
    mix(std::bit_cast<std::uint64_t>(slowness.delay_us));
  }
  return hash;
}

}  // namespace linerate::host
