#include "trainers/engine/rank_order.h"

#include "base/text.h"
#include "record/json_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

namespace linerate::trainers {
namespace {

using json::Json;

constexpr std::size_t kTp = 0, kCp = 1, kDp = 2, kPp = 3;
constexpr int kMostPlacedRanks = 1 << 20;

bool names_axis(std::string_view order, std::size_t axis) {
  return std::ranges::count(split(order, '-'), kMeshAxes[axis]) > 0;
}

// A member of an object, from `least` on; nothing where it is no such number.
std::optional<int> whole_member(const Json& object, std::string_view key, int least) {
  if (!object.is_object()) return std::nullopt;
  const auto found = object.find(key);
  if (found == object.end() || !found->is_number_integer()) return std::nullopt;
  const auto value = found->get<std::int64_t>();
  if (value < least || value > kMostPlacedRanks) return std::nullopt;
  return static_cast<int>(value);
}

Failure no_placement(std::string_view why) {
  return Failure{
      fmt::format(": {} It is what `linerate topo place --format json` prints that is read.", why)};
}

struct PlacedMesh {
  int tp = 1, dp = 1, pp = 1;

  std::int64_t nranks() const { return std::int64_t{tp} * dp * pp; }
};

// Where the rank of this entry stands in the usual order.
std::optional<int> placed(const Json& entry, const PlacedMesh& mesh) {
  const auto tp = whole_member(entry, "tp", 0), dp = whole_member(entry, "dp", 0),
             pp = whole_member(entry, "pp", 0);
  if (!tp || !dp || !pp || *tp >= mesh.tp || *dp >= mesh.dp || *pp >= mesh.pp) return std::nullopt;
  return *tp + mesh.tp * (*dp + mesh.dp * *pp);
}

}  // namespace

Result<AxisOrder> parse_order(std::string_view text) {
  AxisOrder order{};
  std::size_t count = 0;
  const auto has = [&](std::size_t axis) {
    return std::ranges::find(order.begin(), order.begin() + count, axis) != order.begin() + count;
  };
  for (const auto& name : split(text, '-')) {
    const auto found = std::ranges::find(kMeshAxes, name);
    if (found == kMeshAxes.end()) return Failure{unknown_choice("axis", name, kMeshAxes)};
    const auto axis = static_cast<std::size_t>(found - kMeshAxes.begin());
    if (has(axis)) return Failure{fmt::format("The order '{}' has {} twice.", text, name)};
    order[count++] = axis;
  }
  for (std::size_t axis = 0; axis < kMeshAxes.size(); ++axis)
    if (!has(axis)) order[count++] = axis;
  return order;
}

std::string text_of(const AxisOrder& order) {
  std::string text;
  for (const auto axis : order)
    text += fmt::format("{}{}", text.empty() ? "" : "-", kMeshAxes[axis]);
  return text;
}

Mesh mesh_in_order(const MeshShape& shape, const AxisOrder& order) {
  std::vector<MeshAxis> axes;
  for (const auto axis : order) axes.push_back({std::string(kMeshAxes[axis]), shape[axis]});
  return Mesh(std::move(axes));
}

int place_of(const MeshShape& shape, const AxisOrder& order, int rank) {
  const auto mesh = mesh_in_order(shape, order);
  const auto usual = mesh_in_order(shape, {kTp, kCp, kDp, kPp});
  std::size_t place = 0;
  for (std::size_t i = 0; i < order.size(); ++i)
    place = usual.moved(place, order[i], mesh.coordinate(static_cast<std::size_t>(rank), i));
  return static_cast<int>(place);
}

Result<RankPlaces> read_rank_places(std::string_view text) {
  const auto root =
      text.size() > kMostPlacementBytes ? Json() : json::parse_bounded(text).value_or(Json());
  if (!root.is_object() || root.value("kind", Json()) != "placement")
    return no_placement("it is no placement.");
  const auto& sizes = root.value("mesh", Json());
  const PlacedMesh mesh{.tp = whole_member(sizes, "tp", 1).value_or(0),
                        .dp = whole_member(sizes, "dp", 1).value_or(0),
                        .pp = whole_member(sizes, "pp", 1).value_or(0)};
  const auto ranks = root.value("ranks", Json());
  if (mesh.nranks() == 0 || !ranks.is_array() ||
      static_cast<std::int64_t>(ranks.size()) != mesh.nranks())
    return no_placement("its ranks are not as many as its mesh has.");
  RankPlaces order{.tp = static_cast<std::size_t>(mesh.tp),
                   .pp = static_cast<std::size_t>(mesh.pp)};
  order.places.assign(ranks.size(), -1);
  std::set<int> taken;
  for (const auto& entry : ranks) {
    const auto rank = whole_member(entry, "rank", 0);
    const auto place = placed(entry, mesh);
    if (!rank || *rank >= mesh.nranks() || !place || !taken.insert(*place).second ||
        order.places[static_cast<std::size_t>(*rank)] >= 0)
      return no_placement("each rank needs a place of its own on its mesh.");
    order.places[static_cast<std::size_t>(*rank)] = *place;
  }
  return order;
}

std::optional<std::string> order_refusal(const RankOrder& order, const MeshShape& shape) {
  const auto nranks = shape[kTp] * shape[kCp] * shape[kDp] * shape[kPp];
  const auto& given = order.given;
  if (!given.places.empty()) {
    if (given.tp != shape[kTp] || given.pp != shape[kPp])
      return fmt::format(
          "--rank-order is for --tp {} --pp {}, and this run has --tp {} --pp {}: ask `linerate "
          "topo place` for these.",
          given.tp, given.pp, shape[kTp], shape[kPp]);
    if (given.places.size() != nranks)
      return fmt::format(
          "--rank-order is for {} ranks, and this run has {}: ask `linerate topo place --nranks "
          "{}`.",
          given.places.size(), nranks, nranks);
    return std::nullopt;
  }
  for (std::size_t axis = 0; axis < kMeshAxes.size(); ++axis)
    if (shape[axis] > 1 && !names_axis(order.axes, axis))
      return fmt::format("--order {} says nothing of {}, which has {} ranks: add it.", order.axes,
                         kMeshAxes[axis], shape[axis]);
  return std::nullopt;
}

int rank_at(const RankOrder& order, const MeshShape& shape, int place) {
  const auto& places = order.given.places;
  if (!places.empty()) return static_cast<int>(std::ranges::find(places, place) - places.begin());
  const auto axes = *parse_order(order.axes);
  const auto mesh = mesh_in_order(shape, axes);
  const auto usual = mesh_in_order(shape, {kTp, kCp, kDp, kPp});
  std::size_t rank = 0;
  for (std::size_t i = 0; i < axes.size(); ++i)
    rank = mesh.moved(rank, i, usual.coordinate(static_cast<std::size_t>(place), axes[i]));
  return static_cast<int>(rank);
}

int place_of(const RankOrder& order, const MeshShape& shape, int rank) {
  if (!order.given.places.empty()) return order.given.places[static_cast<std::size_t>(rank)];
  return place_of(shape, *parse_order(order.axes), rank);
}

}  // namespace linerate::trainers
