// One rank's schedule made ready to run: flat arrays, and only those signals that somebody awaits.
#pragma once

#include "backends/host/algorithms/algorithm.h"
#include "backends/host/schedule/schedule.h"

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace linerate::host {

class CompiledSchedule {
 public:
  struct Stage {
    std::uint32_t waits_end = 0;  // ends in the arrays; each begins where the one before ends
    std::uint32_t from_end = 0;
    std::uint32_t to_end = 0;
    bool completes = false;
    bool announced = false;  // somebody waits for it
    std::size_t count = 0;
  };
  struct View {
    std::span<const Wait> waits;
    std::span<const Place> from;
    std::span<const Place> to;
    const Stage& stage;
  };

  // What `rank` does in `problem`; looks at the schedules of all ranks. REQUIRES:
  // algorithm.defined(problem) and algorithm.schedule != nullptr.
  CompiledSchedule(const Algorithm& algorithm, const Problem& problem, int rank);

  // Calls body(index, View) for each step in order.
  template <typename Body>
  void for_each_step(Body&& body) const {
    Stage before;
    std::uint32_t index = 0;
    for (const Stage& stage : stages_) {
      body(index++, View{.waits = part(waits_, before.waits_end, stage.waits_end),
                         .from = part(places_from_, before.from_end, stage.from_end),
                         .to = part(places_to_, before.to_end, stage.to_end),
                         .stage = stage});
      before = stage;
    }
  }

  // Peers whose buffers this rank touches: they must have entered before the first step.
  std::span<const int> touched() const { return touched_; }
  // What must have happened before this rank's buffers are its own again.
  std::span<const Wait> last_waits() const { return last_waits_; }
  // Whether peers touch this rank's send and recv buffers.
  bool exposes_send() const { return exposes_send_; }
  bool exposes_recv() const { return exposes_recv_; }
  std::size_t scratch_count() const { return scratch_count_; }
  // Tells the algorithms apart; not 0.
  int variant() const { return variant_; }

 private:
  template <typename T>
  static std::span<const T> part(const std::vector<T>& all, std::uint32_t begin,
                                 std::uint32_t end) {
    return std::span(all).subspan(begin, end - begin);
  }
  void append(const Step& step);
  void find_touched(int rank);
  void find_exposed(std::span<const Schedule> all, int rank);
  void find_announced(std::span<const Schedule> all, int rank);

  std::vector<Stage> stages_;
  std::vector<Wait> waits_;
  std::vector<Place> places_from_, places_to_;
  std::vector<int> touched_;
  std::vector<Wait> last_waits_;
  std::size_t scratch_count_ = 0;
  int variant_ = 0;
  bool exposes_send_ = false;
  bool exposes_recv_ = false;
};

// Of all ranks' schedules: for rank `rank` the steps of each peer after which that one does not
// touch its buffers any more, where no own step has waited for as much.
std::vector<Wait> last_waits_of(std::span<const Schedule> all, int rank);

}  // namespace linerate::host
