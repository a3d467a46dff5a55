#include "topo/place/plan_text.h"

#include "base/text.h"
#include "record/json_io.h"
#include "topo/show/device_text.h"
#include "topo/show/text_layout.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <iterator>
#include <ranges>
#include <utility>

namespace linerate::topo {
namespace {

std::string duration_text(double us) {
  constexpr double kMs = 1000, kS = 1e6;
  if (us <= 0) return "-";
  if (us < kMs) return fmt::format("{:.1f} us", us);
  return us < kS ? fmt::format("{:.1f} ms", us / kMs) : fmt::format("{:.2f} s", us / kS);
}

// Those with more than one rank, as `order` has them.
std::vector<Axis> long_axes(const Mesh& mesh, const AxisOrder& order = kAllAxes) {
  std::vector<Axis> axes;
  std::ranges::copy_if(order, std::back_inserter(axes),
                       [&](Axis axis) { return mesh.size(axis) > 1; });
  return axes;
}

std::string cost_row(const Plan& plan, const OrderCost& cost) {
  auto row = fmt::format("  {:<10}", outermost_first(plan.mesh, cost.order));
  for (const Axis axis : long_axes(plan.mesh))
    row += fmt::format(" {:>11}", duration_text(cost.us(axis)));
  return row + fmt::format(" {:>11}", duration_text(cost.total_us()));
}

std::string remark_on(const Plan& plan, std::size_t i) {
  const double best = plan.costs.front().total_us(), here = plan.costs[i].total_us();
  if (plan.costs.size() == 1) return "";
  if (i == 0) return "  best";
  if (here <= best) return "  as good";
  return fmt::format("  {}{:.2f} times the best", i + 1 == plan.costs.size() ? "worst, " : "",
                     here / best);
}

std::string costs_text(const Plan& plan) {
  const auto axes = long_axes(plan.mesh);
  if (axes.empty()) return "";
  if (plan.costs.empty()) return plan.unpredicted + "\n";
  auto text = fmt::format(
      "\nTime in communication of one step, nothing of it hidden, by NCCL {}'s model:\n  {:<10}",
      text_of(plan.version), "order");
  for (const Axis axis : axes) text += fmt::format(" {:>11}", name_of(axis));
  text += fmt::format(" {:>11}\n", "total");
  for (std::size_t i = 0; i < plan.costs.size(); ++i)
    text += cost_row(plan, plan.costs[i]) + remark_on(plan, i) + '\n';
  return text +
         "  An order is told with the outermost axis first: the last one's ranks are "
         "neighbours by number.\n";
}

// Options of public trainers. Megatron-LM's defaults: megatron/core/parallel_state.py.
std::string trainers_text(const Plan& plan) {
  const auto axes = long_axes(plan.mesh, plan.order);
  if (axes.size() < 2 || plan.costs.empty()) return "";
  constexpr AxisOrder kPipelinesInside{Axis::tp, Axis::pp, Axis::dp};
  std::vector<std::string_view> innermost_first;  // as Megatron Core's `order` has them
  std::vector<std::string> sizes, names;          // outermost first
  for (const Axis axis : axes) {
    innermost_first.push_back(name_of(axis));
    sizes.insert(sizes.begin(), fmt::format("{}", plan.mesh.size(axis)));
    names.insert(names.begin(), fmt::format("\"{}\"", name_of(axis)));
  }
  const auto megatron =
      axes == long_axes(plan.mesh) ? "its default order, tp-cp-ep-dp-pp"
      : axes == long_axes(plan.mesh, kPipelinesInside)
          ? "--use-tp-pp-dp-mapping"
          : fmt::format("initialize_model_parallel(order=\"{}\")", fmt::join(innermost_first, "-"));
  return fmt::format(
      "\nFor the best one:\n  Megatron-LM: {}\n  PyTorch:     init_device_mesh(\"cuda\", ({}), "
      "mesh_dim_names=({}))\n",
      megatron, fmt::join(sizes, ", "), fmt::join(names, ", "));
}

std::string nics_text(const RankBinding& binding) {
  std::string text;
  for (const auto& nic : binding.nics)
    text +=
        fmt::format("{}{} ({})", text.empty() ? "" : ", ", plain_text(nic.name), name_of(nic.type));
  return text.empty() ? "none" : text;
}

std::vector<std::string> binding_cells(const Plan& plan, int rank) {
  const RankBinding& binding = plan.binding_of(rank);
  std::vector<std::string> cells{fmt::format("{}", rank)};
  if (plan.hosts_per_node > 1) cells.push_back(fmt::format("{}", binding.host));
  for (const Axis axis : long_axes(plan.mesh))
    cells.push_back(fmt::format("{}", coordinate_of(plan.mesh, plan.order, axis, rank)));
  if (binding.dev >= 0) cells.push_back(plain_text(binding.gpu));
  const bool cores = !binding.cores.empty();
  cells.push_back(cores ? fmt::format("{}", fmt::join(binding.numas, ",")) : "-");
  if (plan.bindings.knows_cores)
    cells.push_back(cores ? fmt::format("{}", binding.cores.size()) : "-");
  cells.push_back(cores ? cores_text(mask_text(threads_of(binding.cores))) : "not known");
  cells.push_back(nics_text(binding));
  return cells;
}

std::vector<std::string> heading(const Plan& plan) {
  std::vector<std::string> cells{"rank"};
  if (plan.hosts_per_node > 1) cells.emplace_back("host");
  for (const Axis axis : long_axes(plan.mesh)) cells.emplace_back(name_of(axis));
  if (plan.bindings.all.front().dev >= 0) cells.emplace_back("GPU");
  cells.emplace_back("NUMA");
  if (plan.bindings.knows_cores) cells.emplace_back("cores");
  cells.insert(cells.end(), {"hardware threads", "NICs (path)"});
  return cells;
}

// What stands above the bindings, which are those of every node.
std::string bindings_title(const Plan& plan) {
  if (plan.nnodes == 1) return "\nRanks:\n";
  if (plan.per_node() == 1)
    return "\nThe rank of the first node; node k has rank k on the same devices:\n";
  return fmt::format(
      "\nRanks of the first node; node k has ranks {0} k to {0} k + {1} on the same devices:\n",
      plan.per_node(), plan.per_node() - 1);
}

std::string bindings_text(const Plan& plan) {
  std::vector<std::vector<std::string>> rows{heading(plan)};
  for (int rank = 0; rank < plan.per_node(); ++rank) rows.push_back(binding_cells(plan, rank));
  auto text = bindings_title(plan) + aligned(rows, 2);
  if (!plan.bindings.knows_cores)
    text += "  Which hardware threads share a core is not known: each counts as a core.\n";
  return text;
}

}  // namespace

std::string plan_text(const Plan& plan) {
  auto text = fmt::format("{} on {} of {}, {} on each",
                          counted(static_cast<std::size_t>(plan.nranks()), "rank"),
                          counted(static_cast<std::size_t>(plan.nnodes), "node"),
                          plain_text(plan.machine), plan.per_node());
  for (const Axis axis : long_axes(plan.mesh))
    text += fmt::format("; {} {}", name_of(axis), plan.mesh.size(axis));
  return text + '\n' + costs_text(plan) + trainers_text(plan) + bindings_text(plan);
}

namespace {

using Json = nlohmann::ordered_json;

Json axes_json(const Mesh& mesh, const AxisOrder& order) {
  Json json = Json::array();
  for (const Axis axis : std::views::reverse(long_axes(mesh, order))) json.push_back(name_of(axis));
  return json;
}

Json cost_json(const Mesh& mesh, const OrderCost& cost) {
  Json json{{"order", axes_json(mesh, cost.order)}};
  for (const Axis axis : kAllAxes) json[fmt::format("{}_us", name_of(axis))] = cost.us(axis);
  json["total_us"] = cost.total_us();
  return json;
}

Json binding_json(const Plan& plan, const RankBinding& binding) {
  Json json{{"host", binding.host}};
  if (binding.dev >= 0) {
    json["gpu"] = binding.gpu;
    json["cuda_device"] = binding.dev;
  }
  json["numas"] = binding.numas;
  if (plan.bindings.knows_cores)
    for (const auto& core : binding.cores) json["cores"].push_back(core.logical);
  const auto threads = threads_of(binding.cores);
  if (!threads.empty()) json["threads"] = cores_text(mask_text(threads));
  json["nics"] = Json::array();
  for (const auto& nic : binding.nics)
    json["nics"].push_back(Json{{"name", nic.name}, {"path", name_of(nic.type)}});
  return json;
}

Json rank_json(const Plan& plan, int rank) {
  Json json{{"rank", rank}, {"host", plan.host_of(rank)}, {"local_rank", rank % plan.per_node()}};
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
  json["bindings"] = Json::array();
  for (const auto& binding : plan.bindings.all)
    json["bindings"].push_back(binding_json(plan, binding));
  json["ranks"] = Json::array();
  for (int rank = 0; rank < plan.nranks(); ++rank) json["ranks"].push_back(rank_json(plan, rank));
  return json::document(std::move(json));
}

}  // namespace linerate::topo
