// GlooCommunicator::split: a new mesh, whose addresses travel over the old one.
#include "backends/gloo/gloo_communicator.h"

#include <gloo/barrier.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <utility>
#include <vector>

namespace linerate::gloo {
namespace {

// What a rank says of itself in a split.
struct Choice {
  std::int32_t color = 0;
  std::int32_t key = 0;
};

std::vector<Choice> choices_in(const Bytes& all) {
  std::vector<Choice> choices(all.size() / sizeof(Choice));
  std::memcpy(choices.data(), all.data(), all.size());
  return choices;
}

// The ranks with the colour of `rank`, in the order of their new group; `rank` alone without one.
std::vector<int> group_of(const std::vector<Choice>& choices, int rank) {
  const auto choice_of = [&](int r) { return choices[static_cast<std::size_t>(r)]; };
  if (choice_of(rank).color < 0) return {rank};
  std::vector<int> group;
  for (int r = 0; r < static_cast<int>(choices.size()); ++r)
    if (choice_of(r).color == choice_of(rank).color) group.push_back(r);
  std::ranges::stable_sort(group, {}, [&](int r) { return choice_of(r).key; });
  return group;
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
    const Choice mine{color, key};
    const auto choices = choices_in(gather_from_all(std::as_bytes(std::span(&mine, 1))));
    const auto group = group_of(choices, rank());
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
