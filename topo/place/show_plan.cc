// See show_plan.h.
#include "topo/place/show_plan.h"

#include "topo/show/plain_text.h"
#include "topo/show/words.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <ranges>
#include <span>

namespace linerate::topo {
namespace {

std::string duration_text(double us) {
  constexpr double kMs = 1000, kS = 1e6;
  if (us <= 0) return "-";
  if (us < kMs) return fmt::format("{:.1f} us", us);
  return us < kS ? fmt::format("{:.1f} ms", us / kMs) : fmt::format("{:.2f} s", us / kS);
}

std::vector<Axis> long_axes(const Mesh& mesh) {
  std::vector<Axis> axes;
  for (const Axis axis : kAllAxes)
    if (mesh.size(axis) > 1) axes.push_back(axis);
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

// The axes' names joined, innermost first, as Megatron Core's `order` has them.
std::string innermost_first(const Plan& plan) {
  std::string text;
  for (const Axis axis : plan.order)
    if (plan.mesh.size(axis) > 1)
      text += fmt::format("{}{}", text.empty() ? "" : "-", name_of(axis));
  return text;
}

bool agrees(const Plan& plan, const AxisOrder& other) {
  AxisOrder mine = plan.order, theirs = other;
  const auto lone = [&](Axis axis) { return plan.mesh.size(axis) == 1; };
  std::ranges::stable_partition(mine, [&](Axis axis) { return !lone(axis); });
  std::ranges::stable_partition(theirs, [&](Axis axis) { return !lone(axis); });
  const auto axes = long_axes(plan.mesh).size();
  return std::equal(mine.begin(), mine.begin() + static_cast<std::ptrdiff_t>(axes), theirs.begin());
}

// Options of public trainers. Megatron-LM's defaults: megatron/core/parallel_state.py.
std::string trainers_text(const Plan& plan) {
  const auto axes = long_axes(plan.mesh);
  if (axes.size() < 2 || plan.costs.empty()) return "";
  constexpr AxisOrder kPipelinesInside{Axis::tp, Axis::pp, Axis::dp};
  std::string megatron =
      agrees(plan, kAllAxes) ? "its default order, tp-cp-ep-dp-pp"
      : agrees(plan, kPipelinesInside)
          ? "--use-tp-pp-dp-mapping"
          : fmt::format("initialize_model_parallel(order=\"{}\")", innermost_first(plan));
  std::vector<std::string> sizes, names;
  for (const Axis axis : std::views::reverse(plan.order)) {
    if (plan.mesh.size(axis) == 1) continue;
    sizes.push_back(fmt::format("{}", plan.mesh.size(axis)));
    names.push_back(fmt::format("\"{}\"", name_of(axis)));
  }
  return fmt::format(
      "\nFor the best one:\n  Megatron-LM: {}\n  PyTorch:     init_device_mesh(\"cuda\", ({}), "
      "mesh_dim_names=({}))\n",
      megatron, fmt::join(sizes, ", "), fmt::join(names, ", "));
}

std::string nics_text(const Seat& seat) {
  std::string text;
  for (const auto& nic : seat.nics)
    text +=
        fmt::format("{}{} ({})", text.empty() ? "" : ", ", plain_text(nic.name), name_of(nic.type));
  return text.empty() ? "none" : text;
}

std::vector<std::string> seat_cells(const Plan& plan, int rank) {
  const Seat& seat = plan.seat_of(rank);
  std::vector<std::string> cells{fmt::format("{}", rank)};
  if (plan.hosts_per_node > 1) cells.push_back(fmt::format("{}", seat.host));
  for (const Axis axis : long_axes(plan.mesh))
    cells.push_back(fmt::format("{}", coordinate_of(plan.mesh, plan.order, axis, rank)));
  if (seat.dev >= 0) cells.push_back(plain_text(seat.gpu));
  const bool cores = !seat.cores.empty();
  cells.push_back(cores ? fmt::format("{}", fmt::join(seat.numas, ",")) : "-");
  if (plan.seats.knows_cores) cells.push_back(cores ? fmt::format("{}", seat.cores.size()) : "-");
  cells.push_back(cores ? core_words(words_of(threads_of(seat.cores))) : "not known");
  cells.push_back(nics_text(seat));
  return cells;
}

std::vector<std::string> heading(const Plan& plan) {
  std::vector<std::string> cells{"rank"};
  if (plan.hosts_per_node > 1) cells.emplace_back("host");
  for (const Axis axis : long_axes(plan.mesh)) cells.emplace_back(name_of(axis));
  if (plan.seats.all.front().dev >= 0) cells.emplace_back("GPU");
  cells.emplace_back("NUMA");
  if (plan.seats.knows_cores) cells.emplace_back("cores");
  cells.insert(cells.end(), {"hardware threads", "NICs (path)"});
  return cells;
}

// What stands above the seats, which are those of every node.
std::string seats_title(const Plan& plan) {
  if (plan.nnodes == 1) return "\nRanks:\n";
  if (plan.per_node() == 1)
    return "\nThe rank of the first node; node k has rank k on the same devices:\n";
  return fmt::format(
      "\nRanks of the first node; node k has ranks {0} k to {0} k + {1} on the same devices:\n",
      plan.per_node(), plan.per_node() - 1);
}

std::string seats_text(const Plan& plan) {
  std::vector<std::vector<std::string>> rows{heading(plan)};
  for (int rank = 0; rank < plan.per_node(); ++rank) rows.push_back(seat_cells(plan, rank));
  auto text = seats_title(plan) + aligned(rows, 2);
  if (!plan.seats.knows_cores)
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
  return text + '\n' + costs_text(plan) + trainers_text(plan) + seats_text(plan);
}

}  // namespace linerate::topo
