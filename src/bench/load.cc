#include "bench/load.h"

#include "base/error.h"
#include "base/pages.h"
#include "base/square_product.h"
#include "base/units.h"
#include "bench/plan.h"

#include <fmt/format.h>

#include <map>
#include <string>
#include <string_view>

namespace linerate {
namespace {

using Kind = LoadOptions::Kind;

Error refused(const LoadOptions& options, std::string_view why, ExitCode code = ExitCode::usage) {
  return Error(fmt::format("--beside {}: {}", options.text, why), code);
}

// Float sums from root 0.
Case case_of(const LoadOptions& options) {
  return {.collective = options.collective, .bytes = options.size};
}

// Rows and columns of a product.
std::size_t rows_of(const LoadOptions& options) {
  return round_up(options.size, SquareProduct::kMultiple);
}

// Filled, so that no page fault and no zero page is in a timing.
View filled(RankContext& rank, std::size_t bytes) {
  const auto view = rank.allocate(round_up(bytes, kWidestBytes));
  rank.device().fill(view, {.rank = rank.rank(), .nranks = rank.nranks()});
  return view;
}

Load products(const LoadOptions& options, RankContext& rank) {
  const auto n = rows_of(options);
  const auto matrix = [&] {
    return reinterpret_cast<float*>(filled(rank, n * n * sizeof(float)).data());
  };
  const SquareProduct product{.n = n, .a = matrix(), .b = matrix(), .c = matrix()};
  return [product](Stream& stream) { stream.run([product] { multiply_squares(product); }); };
}

Load copies(const LoadOptions& options, RankContext& rank) {
  const auto from = filled(rank, options.size), to = filled(rank, options.size);
  return [&device = rank.device(), from, to](Stream& stream) { device.copy(to, from, stream); };
}

Load calls(const LoadOptions& options, RankContext& rank) {
  const auto& collective = *options.collective;
  auto& comm = rank.add_axis(options.split.color(rank.rank()), rank.rank());
  const auto what = case_of(options);
  auto sizing = sizing_of(what, comm.nranks(), nullptr);
  sizing.rank = comm.rank();
  const auto shape = collective.shape(sizing);
  const auto bytes = row_bytes(collective, sizing, what.type);
  const auto send = filled(rank, bytes), recv = filled(rank, bytes);
  Call call{.buffers = {.send = send.first(shape.sendcount * bytes_of(what.type)),
                        .recv = recv.first(shape.recvcount * bytes_of(what.type)),
                        .count = sizing.count,
                        .type = what.type}};
  const int nsteps = steps_of(collective, comm.nranks());
  return [&collective, &comm, call, nsteps](Stream& stream) mutable {
    call.stream = &stream;
    for (call.step = 0; call.step < nsteps; ++call.step) collective.launch(comm, call);
  };
}

// Why not all ranks can call the collective; empty: they can.
std::string reason_against_calls(const LoadOptions& options, Session& session) {
  if (!session.rank().capabilities().async)
    return "this backend makes one call at a time: take gemm or memory.";
  const auto& collective = *options.collective;
  for (const auto& [color, nranks] : group_sizes({.split = options.split}, session.nranks())) {
    if (collective.refusal != nullptr)
      if (const auto why = collective.refusal(nranks)) return *why;
    if (count_of(collective, options.size, DataType::float32, nranks) == 0)
      return fmt::format("so few bytes leave nothing for each of {} ranks: give more.", nranks);
  }
  return runnable_cases(
             {case_of(options)},
             [&](const Op& op) { return session.rank().world().inspector().refusal(op); },
             [&](bool says) { return session.any_thread(says); })
      .note;
}

}  // namespace

std::size_t load_bytes(const LoadOptions& options) {
  if (options.kind != Kind::gemm) return 2 * options.size;
  return 3 * rows_of(options) * rows_of(options) * sizeof(float);
}

void check_load(const LoadOptions& options, Session& session, std::size_t memory_bytes) {
  if (session.ranks().size() > 1)
    throw refused(options,
                  "a thread that drives several ranks has no other streams: start a process for "
                  "each GPU.");
  if (options.kind == Kind::gemm && session.rank().device().kind() != DeviceKind::cpu)
    throw refused(options, "products are computed on the host only: take memory or a collective.");
  if (options.kind == Kind::collective)
    if (const auto why = reason_against_calls(options, session); !why.empty())
      throw refused(options, why);
  if (load_bytes(options) <= memory_bytes) return;
  throw refused(
      options,
      fmt::format("its buffers need {}, and those of -e leave a rank {}. Choose a smaller "
                  "load, a smaller -e, fewer ranks, or a larger --limit-memory.",
                  about_bytes_text(load_bytes(options)), about_bytes_text(memory_bytes)),
      ExitCode::unavailable);
}

Load make_load(const LoadOptions& options, RankContext& rank) {
  switch (options.kind) {
    case Kind::gemm:
      return products(options, rank);
    case Kind::memory:
      return copies(options, rank);
    case Kind::collective:
      return calls(options, rank);
    case Kind::none:
      break;
  }
  __builtin_unreachable();
}

}  // namespace linerate
