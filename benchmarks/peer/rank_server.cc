#include "benchmarks/peer/rank_server.h"

#include "base/error.h"
#include "base/pages.h"
#include "bench/window.h"
#include "benchmarks/pinning.h"
#include "collectives/collective.h"

namespace linerate::benchmarks {
namespace {

// Between the starts of cold slots, beyond their bytes: no page is shared, so that no prefetcher
// reaches the next slot, and equal offsets do not fall into one set of a cache.
std::size_t cold_stride(std::size_t bytes) { return round_up(bytes, page_bytes()) + kLineBytes; }

Sizing sizing_of(const Case& what, const Communicator& comm) {
  return {.count = count_of(*what.collective, what.bytes, what.type, comm.nranks()),
          .rank = comm.rank(),
          .nranks = comm.nranks(),
          .type = what.type};
}

double us_per_call(std::int64_t elapsed_ns, std::uint64_t calls) {
  return static_cast<double>(elapsed_ns) / kNsPerUs / static_cast<double>(calls);
}

}  // namespace

RankServer::RankServer(RankContext& rank, const BenchConfig& config, const Options& options)
    : version_(rank.backend().version()), session_(rank, config), channel_(options.socket) {
  if (session_.ranks().size() != 1)
    throw Error("bench_peer drives one rank on each thread, and this backend wants several.");
  pin_this_thread(local().rank);
  allocate(options);
}

void RankServer::allocate(const Options& options) {
  if (!options.private_buffers) return session_.allocate({.bytes = options.buffer_bytes});
  const Content inputs{
      .type = DataType::float32, .rank = local().rank, .nranks = session_.nranks()};
  for (Buffer* buffer : {&local().send, &local().recv}) {
    *buffer =
        local().device->allocate(round_up(options.buffer_bytes, page_bytes()), MemoryKind::host);
    local().device->fill(buffer->view(), inputs);
  }
}

// A driver that dies may have asked only some ranks for the next cell: they wait for this one.
void RankServer::serve() {
  session_.enter({.what = "waiting for the driver"});
  channel_.write_line(
      line_of(Greeting{.rank = local().rank, .nranks = session_.nranks(), .version = version_}));
  while (const auto line = channel_.read_line())
    channel_.write_line(line_of(answer(parse_request(*line))));
  local().world->abort();
}

Answer RankServer::answer(const Request& request) {
  Answer answer{.count = sizing_of(request.what, local().comm()).count};
  if (answer.count == 0) return answer;
  if (request.verify) answer.wrong = verify(request);
  answer.window_us = measure(request);
  answer.transport = local().comm().inspector().transport();
  return answer;
}

std::size_t RankServer::pool_slots(const Request& request) const {
  if (!request.cold) return 1;
  const auto& what = request.what;
  const auto bytes = row_bytes(*what.collective, sizing_of(what, *local().world), what.type);
  return std::max<std::size_t>(1, local().send.bytes() / cold_stride(bytes));
}

CaseOnThread RankServer::place(const Request& request, const SlotRange& slots) const {
  const auto& what = request.what;
  const auto sizing = sizing_of(what, *local().world);
  const auto stride = cold_stride(row_bytes(*what.collective, sizing, what.type));
  return {.what = what,
          .placement = request.placement,
          .sizings = {sizing},
          .layouts = {{.shape = what.collective->shape(sizing),
                       .element_bytes = bytes_of(what.type),
                       .stride = stride,
                       .slots = {.sliding = slots.count},
                       .lead = slots.first * stride,
                       .placement = request.placement}},
          .send_ranges = std::vector<std::vector<Range>>(1),
          .recv_ranges = std::vector<std::vector<Range>>(1)};
}

std::uint64_t RankServer::verify(const Request& request) {
  const auto on_thread = place(request, {});
  fill_slot(session_, on_thread, 0);
  CallIssuer issuer(session_, on_thread);
  session_.align();
  issuer.once(0);
  issuer.synchronize();
  session_.align();  // peers may still write here
  return check_slot(session_, on_thread, 0).front().wrong;
}

std::vector<double> RankServer::measure(const Request& request) {
  std::vector<double> times_us;
  const auto slots = pool_slots(request);
  const auto before = turns_.next(request.warmup, slots);
  CallIssuer warmup(session_, place(request, before));
  for (std::uint64_t i = 0; i < request.warmup; ++i) warmup.once(i % before.count);
  warmup.synchronize();
  for (std::uint64_t window = 0; window < request.windows; ++window) {
    const auto range = turns_.next(request.iters, slots);
    const auto on_thread = place(request, range);
    times_us.push_back(request.loop == Loop::bare ? bare_window_us(request, on_thread)
                                                  : window_us(request, on_thread, range));
  }
  return times_us;
}

double RankServer::window_us(const Request& request, const CaseOnThread& on_thread,
                             const SlotRange& slots) {
  CallIssuer issuer(session_, on_thread);
  const WindowPlan plan{
      .iters = request.iters, .sliding_slots = slots.count, .last_slot = slots.count - 1};
  return us_per_call(run_window(session_, issuer, plan).elapsed_ns, request.iters);
}

double RankServer::bare_window_us(const Request& request, const CaseOnThread& on_thread) {
  const auto& layout = on_thread.layouts.front();
  const Buffers buffers{.send = layout.send_view(local(), 0),
                        .recv = layout.recv_view(local(), 0),
                        .count = on_thread.sizings.front().count,
                        .type = request.what.type};
  Communicator& comm = local().comm();
  Stream& stream = *local().stream;
  const Clock& clock = session_.clock();
  session_.align();
  const auto start_ns = clock.now_ns();
  for (std::uint64_t i = 0; i < request.iters; ++i) comm.all_reduce(buffers, {}, stream);
  stream.synchronize(Deadline::never());
  return us_per_call(clock.now_ns() - start_ns, request.iters);
}

}  // namespace linerate::benchmarks
