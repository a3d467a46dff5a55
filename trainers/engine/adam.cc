#include "trainers/engine/adam.h"

#include "trainers/memory/mapped_file.h"
#include "trainers/parallel/injected.h"

#include <algorithm>
#include <utility>

namespace linerate::trainers {
namespace {

// Elements that are in memory at once: initial values before they are copied, and what a step works
// on of each array in a file.
constexpr std::size_t kPartElements = std::size_t{1} << 16;

// Of at most `most` elements each.
std::vector<ParameterSlice> parts_of(const ParameterSlice& slice, std::size_t most) {
  std::vector<ParameterSlice> parts;
  for (std::size_t done = 0; done < slice.count; done += most) {
    auto& part = parts.emplace_back(slice);
    part.index += done;
    part.flat += done;
    part.at += done;
    part.count = std::min(most, slice.count - done);
  }
  return parts;
}

template <typename T>
void write_initial(const ParameterTable& table, const ParameterSlice& slice, std::uint64_t seed,
                   T* to) {
  for (std::size_t i = 0; i < slice.count; ++i)
    to[i] = static_cast<T>(initial_value(table, slice.parameter, slice.index + i, seed));
}

}  // namespace

Adam::Adam(const TrainConfig& config, const GradientPlan& plan, const GradientTools& tools)
    : config_(config),
      plan_(plan),
      tools_(tools),
      slices_(slices_of(plan.table, plan.layout, plan.owned)),
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

void Adam::enter_file(const ParameterSlice& slice) {
  if (!offloaded_) return;
  for (const auto& array : {masters_, m_, v_})
    if (array.data != nullptr)
      read_ahead(View(array.from(slice.at).data, slice.count * bytes_of(wide_)));
}

// All of it: the system may have brought pages around those that were used.
void Adam::leave_file() {
  if (offloaded_) leave_memory(state_.view());
}

Array Adam::in_store(const ParameterSlice& slice, ParameterStore& store) const {
  const auto& owned = plan_.owned[slice.owned];
  return store.of(owned).from(slice.at - owned.at);
}

Array Adam::master(const ParameterSlice& slice, ParameterStore& store) const {
  return keeps_masters() ? masters_.from(slice.at) : in_store(slice, store);
}

Array Adam::state(StateKind kind, const ParameterSlice& slice, ParameterStore& store) const {
  switch (kind) {
    case StateKind::master:
      return master(slice, store);
    case StateKind::m:
      return m_.from(slice.at);
    case StateKind::v:
      return v_.from(slice.at);
  }
  return {};
}

void Adam::take_masters(ParameterStore& store) {
  if (!keeps_masters()) return;
  for (const auto& slice : slices_) {
    tools_.math.cast(in_store(slice, store), master(slice, store), slice.count, tools_.compute);
    leave_file();
  }
}

void Adam::initialise(ParameterStore& store) {
  const auto seed = config_.seed + (injected(Bug::seed_depends_on_rank) && tools_.axis.rank() > 0);
  std::vector<std::byte> values;
  for (const auto& slice : slices_)
    for (const auto& part : parts_of(slice, kPartElements)) {
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
  for (const auto& slice : slices_) {
    const bool decays =
        plan_.table.parameters[slice.parameter].decays || injected(Bug::decays_norms);
    const AdamW what{.lr = update.lr,
                     .beta1 = config_.beta1,
                     .beta2 = config_.beta2,
                     .weight_decay = decays ? config_.weight_decay : 0,
                     .gradient_scale = gradient_scale,
                     .step = update.number};
    for (const auto& part : parts_of(slice, most)) step_slice(part, what, gradients, store);
  }
}

void Adam::step_slice(const ParameterSlice& slice, AdamW what, Gradients& gradients,
                      ParameterStore& store) {
  const auto& owned = plan_.owned[slice.owned];
  what.count = slice.count;
  what.master = master(slice, store);
  what.gradient = gradients.of(owned).from(slice.at - owned.at);
  what.m = m_.from(slice.at);
  what.v = v_.from(slice.at);
  what.parameter = injected(Bug::keeps_old_parameters) ? what.master : in_store(slice, store);
  enter_file(slice);
  tools_.math.adamw(what, tools_.compute);
  leave_file();
}

}  // namespace linerate::trainers
