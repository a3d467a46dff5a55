#include "trainers/engine/adam.h"

#include "trainers/engine/injected.h"
#include "trainers/memory/mapped_file.h"

#include <algorithm>
#include <utility>

namespace linerate::trainers {
namespace {

// Elements that are in memory at once: initial values before they are copied, and what a step works
// on of each array in a file.
constexpr std::size_t kPartElements = std::size_t{1} << 16;

// Of at most `most` elements each.
std::vector<Piece> parts_of(const Piece& piece, std::size_t most) {
  std::vector<Piece> parts;
  for (std::size_t done = 0; done < piece.count; done += most) {
    auto& part = parts.emplace_back(piece);
    part.index += done;
    part.flat += done;
    part.at += done;
    part.count = std::min(most, piece.count - done);
  }
  return parts;
}

template <typename T>
void write_initial(const ParameterTable& table, const Piece& piece, std::uint64_t seed, T* to) {
  for (std::size_t i = 0; i < piece.count; ++i)
    to[i] = static_cast<T>(initial_value(table, piece.parameter, piece.index + i, seed));
}

}  // namespace

Adam::Adam(const TrainConfig& config, const GradientPlan& plan, const GradientTools& tools)
    : config_(config),
      plan_(plan),
      tools_(tools),
      pieces_(pieces_of(plan.table, plan.layout, plan.owned)),
      wide_(state_type_of(tools.type)),
      offloaded_(!config.offload_folder.empty()) {
  allocate();
}

// A file is zeros already, and stays out of memory.
void Adam::allocate() {
  const auto count = count_of(plan_.owned);
  const auto bytes = (keeps_masters() ? 3 : 2) * count * bytes_of(wide_);
  auto& arena = tools_.arena;
  if (offloaded_ && bytes > 0) {
    state_ = arena.adopt(Category::offloaded, mapped_file(config_.offload_folder, bytes));
  } else {
    state_ = arena.allocate(Category::optimizer, bytes);
    arena.device().zero(state_.view(), tools_.compute);
  }
  m_ = state_.array(wide_);
  v_ = m_.from(count);
  if (keeps_masters()) masters_ = v_.from(count);
}

void Adam::enter_file(const Piece& piece) {
  if (!offloaded_) return;
  for (const auto& array : {masters_, m_, v_})
    if (array.data != nullptr)
      read_ahead(View(array.from(piece.at).data, piece.count * bytes_of(wide_)));
}

// All of it: the system may have brought pages around those that were used.
void Adam::leave_file() {
  if (offloaded_) leave_memory(state_.view());
}

Array Adam::in_store(const Piece& piece, ParameterStore& store) const {
  const auto& owned = plan_.owned[piece.owned];
  return store.of(owned).from(piece.at - owned.at);
}

Array Adam::master(const Piece& piece, ParameterStore& store) const {
  return keeps_masters() ? masters_.from(piece.at) : in_store(piece, store);
}

Array Adam::state(StateKind kind, const Piece& piece, ParameterStore& store) const {
  switch (kind) {
    case StateKind::master:
      return master(piece, store);
    case StateKind::m:
      return m_.from(piece.at);
    case StateKind::v:
      return v_.from(piece.at);
  }
  return {};
}

void Adam::take_masters(ParameterStore& store) {
  if (!keeps_masters()) return;
  for (const auto& piece : pieces_) {
    tools_.math.cast(in_store(piece, store), master(piece, store), piece.count, tools_.compute);
    leave_file();
  }
}

void Adam::initialise(ParameterStore& store) {
  const auto seed = config_.seed + (injected(Bug::seed_depends_on_rank) && tools_.axis.rank() > 0);
  std::vector<std::byte> values;
  for (const auto& piece : pieces_)
    for (const auto& part : parts_of(piece, kPartElements)) {
      values.resize(part.count * bytes_of(wide_));
      if (wide_ == DataType::float64)
        write_initial(plan_.table, part, seed, reinterpret_cast<double*>(values.data()));
      else
        write_initial(plan_.table, part, seed, reinterpret_cast<float*>(values.data()));
      const auto to = master(part, store);
      tools_.arena.device().copy(View(to.data, values.size()), values, tools_.compute);
      tools_.compute.synchronize(Deadline::never());  // `values` is used again
      leave_file();
    }
  take_masters(store);
}

void Adam::step(const Update& update, double gradient_scale, Gradients& gradients,
                ParameterStore& store) {
  const auto most = offloaded_ ? kPartElements : count_of(plan_.owned);
  for (const auto& piece : pieces_) {
    const bool decays =
        plan_.table.parameters[piece.parameter].decays || injected(Bug::decays_norms);
    const AdamW what{.lr = update.lr,
                     .beta1 = config_.beta1,
                     .beta2 = config_.beta2,
                     .weight_decay = decays ? config_.weight_decay : 0,
                     .gradient_scale = gradient_scale,
                     .step = update.number};
    for (const auto& part : parts_of(piece, most)) step_piece(part, what, gradients, store);
  }
}

void Adam::step_piece(const Piece& piece, AdamW what, Gradients& gradients, ParameterStore& store) {
  const auto& owned = plan_.owned[piece.owned];
  what.count = piece.count;
  what.master = master(piece, store);
  what.gradient = gradients.of(owned).from(piece.at - owned.at);
  what.m = m_.from(piece.at);
  what.v = v_.from(piece.at);
  what.parameter = injected(Bug::keeps_old_parameters) ? what.master : in_store(piece, store);
  enter_file(piece);
  tools_.math.adamw(what, tools_.compute);
  leave_file();
}

}  // namespace linerate::trainers
