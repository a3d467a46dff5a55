// GlooCommunicator::split: a new mesh, whose addresses travel over the old one.
#include "comm/split.h"

#include "backends/gloo/gloo_communicator.h"

#include <gloo/barrier.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <utility>
#include <vector>

namespace linerate::gloo {
namespace {

std::vector<SplitChoice> choices_in(const Bytes& all) {
  std::vector<SplitChoice> choices(all.size() / sizeof(SplitChoice));
  std::memcpy(choices.data(), all.data(), all.size());
  return choices;
}

}  // namespace

Bytes GlooCommunicator::gather_from_all(ConstView mine) {
  Bytes all(static_cast<std::size_t>(nranks()) * mine.size());
  run({.kind = OpKind::all_gather,
       .send = mine,
       .recv = all,
       .count = mine.size(),
       .type = DataType::uint8});
  return all;
}

// The addresses of all groups travel in one all_gather, each padded to the longest that there
// may be.
std::unique_ptr<Communicator> GlooCommunicator::split(int color, int key) {
  try {
    const SplitChoice mine{color, key};
    const auto choices = choices_in(gather_from_all(std::as_bytes(std::span(&mine, 1))));
    const auto group = color < 0 ? std::vector{rank()} : split_group(choices, rank());
    const auto place = static_cast<int>(std::ranges::find(group, rank()) - group.begin());
    Mesh part({mesh_.own().device, place, static_cast<int>(group.size())}, {});
    Bytes addresses = part.addresses();
    const auto used = static_cast<std::ptrdiff_t>(addresses.size());
    const auto longest = static_cast<std::ptrdiff_t>(Mesh::max_address_bytes(nranks()));
    addresses.resize(static_cast<std::size_t>(longest));
    const auto all = gather_from_all(addresses);
    std::vector<Bytes> all_addresses;
    all_addresses.reserve(group.size());
    for (const int member : group)
      all_addresses.emplace_back(all.begin() + longest * member,
                                 all.begin() + longest * member + used);
    part.connect(all_addresses);
    ::gloo::BarrierOptions all_connected(mesh_.context());
    ::gloo::barrier(all_connected);  // who fails from now on breaks no connecting of others
    if (color < 0) return nullptr;
    return std::make_unique<GlooCommunicator>(device_, std::move(part));
  } catch (...) {
    give_up("split");
  }
}

}  // namespace linerate::gloo
