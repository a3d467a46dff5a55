#include "bench/load.h"

#include "base/error.h"
#include "base/pages.h"
#include "base/units.h"
#include "base/wire.h"
#include "bench/plan.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

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

// Filled, so that no page fault and no zero page is in a timing.
View filled(RankContext& rank, std::size_t bytes, DataType type = DataType::float32) {
  const auto view = rank.allocate(round_up(bytes, kWidestBytes));
  rank.device().fill(view, {.type = type, .rank = rank.rank(), .nranks = rank.nranks()});
  return view;
}

Load products(const LoadOptions& options, RankContext& rank) {
  const auto matrix = [&] {
    const auto bytes = options.size * options.size * bytes_of(options.type);
    return filled(rank, bytes, options.type).data();
  };
  const SquareProduct product{.n = options.size, .a = matrix(), .b = matrix(), .c = matrix()};
  return [product, &multiplier = rank.device().multiplier()](Stream& stream) {
    multiplier.multiply(product, stream);
  };
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

// Why products of these types, of each rank, are not one load; empty: they are.
std::string reason_against(const std::vector<std::string>& types) {
  const auto other =
      std::ranges::find_if(types, [&](const auto& type) { return type != types.front(); });
  if (other == types.end()) return "";
  return fmt::format(
      "rank 0's device multiplies {} and rank {}'s {}: start ranks on devices of one kind only, or "
      "take memory.",
      types.front(), other - types.begin(), *other);
}

// As this rank's device multiplies. Where the device of any rank does not, all throw what the first
// of these says. One type stands for all ranks in records, so all multiply the same.
LoadOptions products_here(LoadOptions options, Session& session) {
  std::string why;
  try {
    const auto& multiplier = session.rank().device().multiplier();
    if (options.size == 0) options.size = multiplier.usual_n();
    options.type = multiplier.type();
  } catch (const Unavailable& missing) {
    why = fmt::format("rank {}: {}", session.rank().rank(), missing.what());
  }
  WireWriter mine;
  mine.put(why).put_text(name_of(options.type));
  std::vector<std::string> types;
  for (const auto& bytes : session.bootstrap().all_gather(mine.bytes(), session.init_deadline())) {
    WireReader reader(bytes);
    if (const auto first = reader.get_text(); !first.empty())
      throw refused(options, first, ExitCode::unavailable);
    types.push_back(reader.get_text());
  }
  if (const auto why_mixed = reason_against(types); !why_mixed.empty())
    throw refused(options, why_mixed, ExitCode::unavailable);
  options.size = round_up(options.size, SquareProduct::kMultiple);
  options.text = fmt::format("gemm:{}", options.size);
  return options;
}

}  // namespace

std::size_t load_bytes(const LoadOptions& options) {
  if (options.kind != Kind::gemm) return 2 * options.size;
  return 3 * options.size * options.size * bytes_of(options.type);
}

LoadOptions checked_load(LoadOptions options, Session& session, std::size_t memory_bytes) {
  if (session.ranks().size() > 1)
    throw refused(options,
                  "a thread that drives several ranks has no other streams: start a process for "
                  "each GPU.");
  if (options.kind == Kind::gemm) options = products_here(std::move(options), session);
  if (options.kind == Kind::collective)
    if (const auto why = reason_against_calls(options, session); !why.empty())
      throw refused(options, why);
  if (load_bytes(options) <= memory_bytes) return options;
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
