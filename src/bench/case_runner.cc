// Each step is a stage that the watch knows; rank 0 decides what comes next, and all follow.
#include "bench/case_runner.h"

#include "base/wire.h"
#include "collectives/traffic.h"
#include "stats/summary.h"

#include <algorithm>
#include <map>
#include <span>

namespace linerate {
namespace {

std::vector<ThreadSet> sets_of(const Session& session) {
  std::map<int, ThreadSet> by_group;
  ThreadSet all;
  for (const auto& info : session.infos()) {
    const int thread = session.rank().thread_of(info.rank);
    auto& group = by_group[info.group];
    if (group.empty() || group.back() != thread) group.push_back(thread);
    if (all.empty() || all.back() != thread) all.push_back(thread);
  }
  std::vector<ThreadSet> sets{all};
  if (by_group.size() > 1)
    for (auto& [color, threads] : by_group) sets.push_back(std::move(threads));
  return sets;
}

// Calls of about half a second: so soon Ctrl-C is seen between them.
std::uint64_t calls_between_looks(double call_us) {
  constexpr double kLookUs = 5e5, kMax = 1e9;
  return static_cast<std::uint64_t>(std::clamp(kLookUs / std::max(call_us, 1e-3), 1.0, kMax));
}

// After a turn of another program.
std::uint64_t calls_to_warm_up(double call_us) {
  constexpr double kWarmUs = 50, kMax = 50;
  return static_cast<std::uint64_t>(std::clamp(kWarmUs / std::max(call_us, 1e-3), 1.0, kMax));
}

// Of the first rank's buffers, without the spare slot.
std::uint64_t touched_bytes(const CaseOnThread& on_thread, std::uint64_t calls) {
  const auto slots = std::min<std::uint64_t>(calls, on_thread.sliding_slots);
  const std::uint64_t buffers = on_thread.placement == Placement::in_place ? 1 : 2;
  return slots * on_thread.layouts.front().stride * buffers;
}

// Over all threads; on rank 0.
double mean_call_us(const Measurement& m) {
  std::int64_t sum_ns = 0;
  for (const auto& time : m.thread_times) sum_ns += time.elapsed_ns;
  const auto mean_ns = sum_ns / static_cast<std::int64_t>(m.thread_times.size());
  const auto calls = m.iters * static_cast<std::uint64_t>(m.agg_iters);
  return static_cast<double>(mean_ns) / kNsPerUs / static_cast<double>(calls);
}

}  // namespace

CaseRunner::CaseRunner(Session& session, Setup setup)
    : session_(session),
      setup_(std::move(setup)),
      thread_sets_(sets_of(session)),
      sampler_(session) {
  if (setup_.beside != nullptr) beside_.emplace(session, *setup_.beside);
  if (session.is_first()) turns_ = TurnTaker::at(session.config().turns);
}

CaseOnThread CaseRunner::prepare(const Case& what, Placement placement) const {
  CaseOnThread on_thread{.what = what, .placement = placement};
  for (auto& local : session_.ranks()) {
    auto sizing = sizing_of(what, local.comm().nranks(), setup_.traffic);
    sizing.rank = local.comm().rank();
    on_thread.sizings.push_back(sizing);
    on_thread.layouts.push_back(
        layout_of(sizing, what, placement, session_.config(), setup_.buffers));
    auto& send = on_thread.send_ranges.emplace_back();
    auto& recv = on_thread.recv_ranges.emplace_back();
    if (setup_.traffic == nullptr) continue;
    send = setup_.traffic->send_ranges(sizing);
    recv = setup_.traffic->recv_ranges(sizing);
  }
  return on_thread;
}

// Threads take the same steps, though groups of other sizes have other slots.
CaseOnThread CaseRunner::agree_on(CaseOnThread on_thread) {
  const auto& layouts = on_thread.layouts;
  on_thread.sliding_slots = std::ranges::min_element(layouts, {}, [](const Layout& layout) {
                              return layout.slots.sliding;
                            })->slots.sliding;
  const bool lacks_spare = !std::ranges::all_of(layouts, &Layout::has_spare);
  on_thread.uses_spare = !session_.any_thread(lacks_spare);
  return on_thread;
}

Stage CaseRunner::stage(const char* what, const CaseOnThread& on_thread) const {
  return {.what = what,
          .collective = on_thread.what.collective->name,
          .bytes = on_thread.layouts.front().stride,
          .placement = name_of(on_thread.placement)};
}

Measurement CaseRunner::run(const Case& what, Placement placement) {
  const auto& config = session_.config();
  const auto on_thread = agree_on(prepare(what, placement));
  Measurement m{.what = what, .placement = placement, .agg_iters = config.agg_iters};
  m.touched_bytes = touched_bytes(on_thread, config.window_calls());
  m.checked =
      config.check > 0 && (placement == Placement::out_of_place || what.collective->in_place);
  session_.enter_local(stage("filling", on_thread));
  const auto calls = config.window_calls();
  fill_sliding(session_, on_thread, std::max(calls, warmup_calls()));
  CallIssuer issuer(session_, on_thread);
  warm_up(on_thread, issuer);
  if (interrupted_) return m;
  if (setup_.largest != nullptr) {
    touch_buffers();
    issuer.once(0);
    issuer.synchronize();
  }
  measure(on_thread, issuer, m);
  if (m.checked) verify(on_thread, issuer, m);
  if (config.observes_calls && warmup_calls() == 0) {
    session_.enter(stage("observed call", on_thread));
    observed_call(issuer, 0);
  }
  m.call = session_.ranks().front().comm().inspector().last_call();
  if (beside_ && !interrupted_) measure_beside(on_thread, issuer, m);
  throw_late_errors();
  return m;
}

// What went wrong in a library's own threads, though its calls ended.
void CaseRunner::throw_late_errors() {
  for (auto& local : session_.ranks())
    if (const auto error = local.comm().async_error()) throw Error(*error);
}

// GPUs get one at least, as in nccl-tests: at the first call of a kind NCCL connects.
std::uint64_t CaseRunner::warmup_calls() const {
  const bool device_memory = session_.rank().backend().capabilities().device_memory;
  return std::max<std::uint64_t>(session_.config().warmup_iters, device_memory ? 1 : 0);
}

// The very first call of a run is timed alone: libraries set up connections then. The last call is
// the observed one, so that warm and timed calls are of one kind.
void CaseRunner::warm_up(const CaseOnThread& on_thread, CallIssuer& issuer) {
  const auto& config = session_.config();
  session_.enter(stage("warm-up", on_thread));
  const auto start_ns = session_.clock().now_ns();
  for (std::uint64_t i = 0, look_at = 1; i < warmup_calls(); ++i) {
    if (i == look_at) {
      issuer.synchronize();
      const auto elapsed_ns = session_.clock().now_ns() - start_ns;
      look_at +=
          agree_on_looks(static_cast<double>(elapsed_ns) / kNsPerUs / static_cast<double>(i));
      if (interrupted_) return;
    }
    const auto slot = i % on_thread.sliding_slots;
    if (config.observes_calls && i + 1 == warmup_calls())
      observed_call(issuer, slot);
    else
      issuer.once(slot);
    if (first_call_us_) continue;
    issuer.synchronize();
    first_call_us_ = static_cast<double>(session_.clock().now_ns() - start_ns) / kNsPerUs;
  }
  issuer.synchronize();
}

// Once; nccl-tests' warm-up goes through all sizes.
void CaseRunner::touch_buffers() {
  const auto on_thread = agree_on(prepare(*setup_.largest, Placement::out_of_place));
  setup_.largest = nullptr;
  session_.enter(stage("first touch", on_thread));
  CallIssuer issuer(session_, on_thread);
  for (std::size_t slot = 0; slot < on_thread.sliding_slots; ++slot) issuer.once(slot);
  issuer.synchronize();
}

WindowTime CaseRunner::time_window(CallIssuer& issuer, const WindowPlan& plan,
                                   CapturedWindow* captured) {
  if (captured == nullptr) return run_window(session_, issuer, plan);
  return run_launches(session_, issuer, *captured, session_.config().gpu.cudagraph);
}

// Room for the samples, on rank 0.
void CaseRunner::prepare_samples(Measurement& m) const {
  const auto& config = session_.config();
  if (!session_.is_first()) return;
  const auto capacity = config.stop.asked()
                            ? SampleReduction::kExactSamples
                            : std::min<std::uint64_t>(config.iters, SampleReduction::kExactSamples);
  for (const auto& set : thread_sets_) m.samples.emplace_back(capacity, set.size());
  if (config.keep_process_samples)
    m.samples.front().process_us.resize(static_cast<std::size_t>(session_.rank().nprocesses()));
}

WindowPlan CaseRunner::window_plan(const CaseOnThread& on_thread) const {
  const auto& config = session_.config();
  WindowPlan plan{.iters = config.iters,
                  .agg_iters = config.agg_iters,
                  .sliding_slots = on_thread.sliding_slots};
  if (on_thread.uses_spare) plan.last_slot = kSpareSlot;
  return plan;
}

// Right before a window, so that nothing but its last call has written there.
void CaseRunner::fill_spare(const CaseOnThread& on_thread, const Measurement& m) {
  if (!m.checked || !on_thread.uses_spare) return;
  session_.enter_local(stage("filling", on_thread));
  fill_slot(session_, on_thread, kSpareSlot);
}

// One untimed call that rank 0's communicator looks into.
void CaseRunner::observed_call(CallIssuer& issuer, std::size_t slot) {
  auto& comm = session_.ranks().front().comm();
  if (session_.is_first()) comm.inspector().observe(true);
  issuer.once(slot);
  issuer.synchronize();
  if (session_.is_first()) comm.inspector().observe(false);
}

void CaseRunner::measure(const CaseOnThread& on_thread, CallIssuer& issuer, Measurement& m) {
  const auto& config = session_.config();
  prepare_samples(m);
  m.thread_times.resize(static_cast<std::size_t>(session_.bootstrap().nranks()));
  const auto start_ns = session_.clock().now_ns();
  next_look_ = 0;
  const auto plan = window_plan(on_thread);
  const int launches = config.gpu.cudagraph;
  std::unique_ptr<CapturedWindow> captured;
  if (launches > 0) captured = std::make_unique<CapturedWindow>(session_, issuer, plan);
  for (bool stop = false; !stop;) {
    await_turn();
    fill_spare(on_thread, m);
    session_.enter(stage("timed loop", on_thread));
    const auto time = time_window(issuer, plan, captured.get());
    m.iters += config.iters * static_cast<std::uint64_t>(std::max(1, launches));
    const auto times = gather_times(time);
    for (std::size_t thread = 0; thread < times.size(); ++thread)
      m.thread_times[thread] += times[thread];
    const auto decision = decide(m, start_ns, false);
    if (interrupted_) return;
    m.batch = decision.batch;
    SamplePlan samples{.samples = config.iters,
                       .first = m.iters - config.iters,
                       .batch = m.batch,
                       .lead_in = decision.lead_in,
                       .captured = captured.get()};
    if (captured) {
      samples.samples = static_cast<std::uint64_t>(launches);
      samples.batch = m.batch = static_cast<int>(config.iters) * config.agg_iters;
    }
    samples.block = decision.look_calls / static_cast<std::uint64_t>(samples.batch) + 1;
    sample(issuer, samples, on_thread, m);
    stop = interrupted_ || decide(m, start_ns, true).stop || (config.stop.asked() && look());
  }
}

void CaseRunner::measure_beside(const CaseOnThread& on_thread, CallIssuer& issuer, Measurement& m) {
  m.beside = beside_->run(issuer, {.stage = stage("calls beside a load", on_thread),
                                   .sliding_slots = on_thread.sliding_slots,
                                   .call_us = mean_call_us(m),
                                   .interrupted = [this] { return look(); }});
}

// The others wait for rank 0 where they enter the window.
void CaseRunner::await_turn() {
  if (turns_ != nullptr) turns_->next([this] { return session_.rank().interrupted(); });
}

void CaseRunner::sample(CallIssuer& issuer, SamplePlan plan, const CaseOnThread& on_thread,
                        Measurement& m) {
  session_.enter(stage("samples", on_thread));
  plan.skip = session_.config().per_iter_skip;
  plan.interrupted = [this] { return look(); };
  plan.sliding_slots = on_thread.sliding_slots;
  plan.skew = setup_.skew;
  sampler_.run(issuer, plan, thread_sets_, m.samples);
}

// Whether any thread was interrupted by now. Collective.
bool CaseRunner::look() {
  interrupted_ = interrupted_ || session_.rank().any_interrupted();
  return interrupted_;
}

// The same, and how many calls of so long, as rank 0 found it, go before the next look. Collective.
std::uint64_t CaseRunner::agree_on_looks(double call_us) {
  const auto calls =
      value_of_rank_0(session_.bootstrap(), calls_between_looks(call_us), Deadline::never());
  look();
  return calls;
}

// With them comes who was interrupted meanwhile.
std::vector<WindowTime> CaseRunner::gather_times(const WindowTime& mine) {
  WireWriter out;
  out.put(mine);
  out.put(session_.rank().interrupted());
  std::vector<WindowTime> times;
  for (const auto& bytes : session_.bootstrap().gather(out.bytes(), Deadline::never())) {
    WireReader in(bytes);
    times.push_back(in.get<WindowTime>());
    interrupted_ |= in.get<bool>();
  }
  return times;
}

// Rank 0 decides, all follow.
CaseRunner::Decision CaseRunner::decide(Measurement& m, std::int64_t start_ns, bool sampled) {
  Decision decision;
  if (session_.is_first()) {
    const double call_us = mean_call_us(m);
    // Delays are of one call each.
    decision.batch = setup_.skew != nullptr ? 1 : batch_for(call_us, setup_.clock_cost_ns);
    const double late_us = setup_.skew != nullptr ? setup_.skew->most_us() : 0;
    decision.look_calls = calls_between_looks(call_us + late_us);
    if (turns_ != nullptr) decision.lead_in = calls_to_warm_up(call_us);
    decision.interrupted = interrupted_;
    const double elapsed_s = static_cast<double>(session_.clock().now_ns() - start_ns) / 1e9;
    if (sampled && session_.config().stop.asked()) decision.stop = measured_enough(m, elapsed_s);
  }
  const auto agreed = value_of_rank_0(session_.bootstrap(), decision, Deadline::never());
  interrupted_ |= agreed.interrupted;
  return agreed;
}

// A summary sorts all samples, so it is asked for only when there are a tenth more of them.
bool CaseRunner::measured_enough(const Measurement& m, double elapsed_s) {
  constexpr std::uint64_t kPart = 10;
  const auto& stop = session_.config().stop;
  const auto& samples = m.samples.front().time_us;
  if (stop.max_s && elapsed_s >= *stop.max_s) return true;
  if (samples.count() == 0 || samples.count() < next_look_) return false;
  next_look_ = samples.count() + samples.count() / kPart;
  return stats::stop_now(stop, samples.summary(), elapsed_s);
}

// The first round compares what the last timed call left in the spare slot. Each further round
// repeats the window, whose time nobody reads, and compares what its last call left.
void CaseRunner::verify(const CaseOnThread& on_thread, CallIssuer& issuer, Measurement& m) {
  const bool timed = on_thread.uses_spare && session_.config().verifies_timed_calls();
  std::vector<RankCheck> checks;
  for (int round = 0; round < session_.config().check; ++round) {
    if (round > 0 && look()) break;
    if (timed && round > 0) {
      fill_spare(on_thread, m);
      session_.enter(stage("verified window", on_thread));
      run_window(session_, issuer, window_plan(on_thread));
    }
    const auto slot = timed ? kSpareSlot : make_extra_call(on_thread, issuer);
    session_.enter_local(stage("comparison", on_thread));
    const auto found = check_slot(session_, on_thread, slot);
    checks.insert(checks.end(), found.begin(), found.end());
  }
  session_.enter(stage("gathering", on_thread));
  gather_checks(checks, m);
}

// Where no timed call can be verified: one more, alone, on a slot filled anew; of a graph the same.
std::size_t CaseRunner::make_extra_call(const CaseOnThread& on_thread, CallIssuer& issuer) {
  const std::size_t slot = on_thread.uses_spare ? kSpareSlot : 0;
  session_.enter_local(stage("filling", on_thread));
  fill_slot(session_, on_thread, slot);
  session_.enter(stage("verified call", on_thread));
  const WindowPlan plan{.iters = 1, .last_slot = slot};
  if (session_.config().gpu.cudagraph == 0) {
    run_window(session_, issuer, plan);
  } else {
    CapturedWindow captured(session_, issuer, plan);
    run_launches(session_, issuer, captured, 1);
  }
  return slot;
}

void CaseRunner::gather_checks(const std::vector<RankCheck>& mine, Measurement& m) {
  WireWriter out;
  out.put_all(std::span<const RankCheck>(mine));
  for (const auto& bytes : session_.bootstrap().gather(out.bytes(), Deadline::never()))
    for (const auto& check : WireReader(bytes).get_all<RankCheck>()) m.checks.push_back(check);
}

}  // namespace linerate
