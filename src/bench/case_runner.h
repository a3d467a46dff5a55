// One case in one placement, from filling to the gathered measurement; the same steps on every
// thread.
#pragma once

#include "bench/beside.h"
#include "bench/results.h"
#include "bench/sampling.h"
#include "bench/session.h"
#include "launch/turns.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

namespace linerate {

class CaseRunner {
 public:
  struct Setup {
    BufferSizes buffers;  // of each rank
    double clock_cost_ns = 0;
    const TrafficMatrix* traffic = nullptr;  // of all_to_all_v; outlives the runner
    const SkewPattern* skew = nullptr;       // of samples; outlives the runner
    const Load* beside = nullptr;            // outlives the runner; null: none
    // Called untimed before the first window, so that no window is the first to touch its memory: a
    // GPU's first copy there takes longer. Outlives the runner; null: none.
    const Case* largest = nullptr;
  };
  CaseRunner(Session& session, Setup setup);

  // fill -> warm up -> (window -> samples) until the stopping rule holds -> verify -> gather -> the
  // same calls beside a load, where there is one. What is verified is the last call of the last
  // window, wherever every rank has a spare slot for it.
  // After Ctrl-C only what is under way is measured: a window, and of the samples and checks those
  // of half a second. Collective over all threads; yields the measurement on rank 0 and an empty
  // one elsewhere, of no iterations where the warm-up was interrupted.
  Measurement run(const Case& what, Placement placement);

  // Whether a case was cut short; the same on all threads.
  bool interrupted() const { return interrupted_; }

  // The threads of the whole run, then of each group where there are several.
  const std::vector<ThreadSet>& thread_sets() const { return thread_sets_; }

  // From the run's very first call until it was done, in microseconds, on this thread; nothing
  // where there was no warm-up, so that the call was part of a measurement.
  std::optional<double> first_call_us() const { return first_call_us_; }

 private:
  struct Decision {
    std::uint64_t lead_in = 1;
    int batch = 1;
    bool stop = true;
    bool interrupted = false;
    std::uint64_t look_calls = 1;  // calls between two looks at Ctrl-C
  };
  CaseOnThread prepare(const Case& what, Placement placement) const;
  CaseOnThread agree_on(CaseOnThread on_thread);
  std::uint64_t warmup_calls() const;
  void warm_up(const CaseOnThread& on_thread, CallIssuer& issuer);
  void touch_buffers();
  void observed_call(CallIssuer& issuer, std::size_t slot);
  void measure(const CaseOnThread& on_thread, CallIssuer& issuer, Measurement& m);
  void await_turn();
  void throw_late_errors();
  void prepare_samples(Measurement& m) const;
  WindowPlan window_plan(const CaseOnThread& on_thread) const;
  void fill_spare(const CaseOnThread& on_thread, const Measurement& m);
  std::size_t make_extra_call(const CaseOnThread& on_thread, CallIssuer& issuer);
  WindowTime time_window(CallIssuer& issuer, const WindowPlan& plan, CapturedWindow* captured);
  void sample(CallIssuer& issuer, SamplePlan plan, const CaseOnThread& on_thread, Measurement& m);
  bool look();
  std::uint64_t agree_on_looks(double call_us);
  std::vector<WindowTime> gather_times(const WindowTime& mine);
  Decision decide(Measurement& m, std::int64_t start_ns, bool sampled);
  void verify(const CaseOnThread& on_thread, CallIssuer& issuer, Measurement& m);
  void gather_checks(const std::vector<RankCheck>& mine, Measurement& m);
  Stage stage(const char* what, const CaseOnThread& on_thread) const;
  void measure_beside(const CaseOnThread& on_thread, CallIssuer& issuer, Measurement& m);
  bool measured_enough(const Measurement& m, double elapsed_s);

  Session& session_;
  Setup setup_;
  std::vector<ThreadSet> thread_sets_;
  std::uint64_t next_look_ = 0;  // samples at which --stop's interval is looked at again
  Sampler sampler_;
  std::optional<BesideMeter> beside_;
  std::unique_ptr<TurnTaker> turns_;  // on rank 0, where it takes turns with another program
  std::optional<double> first_call_us_;
  bool interrupted_ = false;
};

}  // namespace linerate
