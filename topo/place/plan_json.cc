// A plan as JSON. See show_plan.h.
#include "topo/place/show_plan.h"
#include "topo/show/words.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <ranges>

namespace linerate::topo {
namespace {

using Json = nlohmann::ordered_json;

Json axes_json(const Mesh& mesh, const AxisOrder& order) {
  Json json = Json::array();
  for (const Axis axis : std::views::reverse(order))
    if (mesh.size(axis) > 1) json.push_back(name_of(axis));
  return json;
}

Json cost_json(const Mesh& mesh, const OrderCost& cost) {
  Json json{{"order", axes_json(mesh, cost.order)}};
  for (const Axis axis : kAllAxes) json[fmt::format("{}_us", name_of(axis))] = cost.us(axis);
  json["total_us"] = cost.total_us();
  return json;
}

Json seat_json(const Plan& plan, const Seat& seat) {
  Json json{{"host", seat.host}};
  if (seat.dev >= 0) {
    json["gpu"] = seat.gpu;
    json["cuda_device"] = seat.dev;
  }
  json["numas"] = seat.numas;
  if (plan.seats.knows_cores)
    for (const auto& core : seat.cores) json["cores"].push_back(core.logical);
  const auto threads = threads_of(seat.cores);
  if (!threads.empty()) json["threads"] = core_words(words_of(threads));
  json["nics"] = Json::array();
  for (const auto& nic : seat.nics)
    json["nics"].push_back(Json{{"name", nic.name}, {"path", name_of(nic.type)}});
  return json;
}

Json rank_json(const Plan& plan, int rank) {
  Json json{{"rank", rank}, {"host", plan.host_of(rank)}, {"seat", rank % plan.per_node()}};
  for (const Axis axis : kAllAxes)
    json[std::string(name_of(axis))] = coordinate_of(plan.mesh, plan.order, axis, rank);
  return json;
}

}  // namespace

// Bytes that are no UTF-8 become U+FFFD.
std::string plan_json(const Plan& plan) {
  Json json{{"kind", "placement"},
            {"schema", kPlacementSchema},
            {"name", plan.machine},
            {"nccl_version", text_of(plan.version)},
            {"nranks", plan.nranks()},
            {"nnodes", plan.nnodes},
            {"ranks_per_node", plan.per_node()}};
  for (const Axis axis : kAllAxes) json["mesh"][std::string(name_of(axis))] = plan.mesh.size(axis);
  json["order"] = axes_json(plan.mesh, plan.order);
  json["orders"] = Json::array();
  for (const auto& cost : plan.costs) json["orders"].push_back(cost_json(plan.mesh, cost));
  json["seats"] = Json::array();
  for (const auto& seat : plan.seats.all) json["seats"].push_back(seat_json(plan, seat));
  json["ranks"] = Json::array();
  for (int rank = 0; rank < plan.nranks(); ++rank) json["ranks"].push_back(rank_json(plan, rank));
  return json.dump(2, ' ', false, nlohmann::json::error_handler_t::replace) + '\n';
}

}  // namespace linerate::topo
