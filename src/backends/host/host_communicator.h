// A rank's endpoint over shared memory.
#pragma once

#include "backends/host/eager.h"
#include "backends/host/executor.h"
#include "backends/host/point_to_point.h"
#include "backends/host/region.h"
#include "backends/host/staging.h"
#include "backends/host/streaming.h"
#include "backends/host/team.h"
#include "backends/host/tuning.h"
#include "comm/call_order.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

namespace linerate::host {

class HostCommunicator final : public BlockingCommunicator<HostCommunicator> {
 public:
  // `device` outlives the communicator; `region` and `debt` are those of the rank in the world.
  HostCommunicator(Device& device, std::shared_ptr<Region> region, Team::Setup setup, Tuning tuning,
                   std::shared_ptr<ClockDebt> debt);
  ~HostCommunicator() override { end_calls(); }

  int rank() const override { return team_.rank(); }
  int nranks() const override { return team_.nranks(); }
  Device& device() override { return device_; }
  void call(const Op& op, Stream& stream);
  void call_batch(std::span<const Op> ops, Stream& stream);
  Buffer allocate(std::size_t bytes, MemoryKind kind) override;
  std::unique_ptr<Communicator> split(int color, int key) override;
  void barrier() override;
  void abort() noexcept override { team_.abort(); }

 private:
  std::string transport() const override;
  std::vector<std::string_view> algorithms() const override;
  std::vector<std::string_view> algorithms(OpKind kind) const override;
  void use_algorithm(std::string_view name) override;
  std::optional<ModeledTime> modeled_time() const override;
  CallFacts last_call() const override { return {.algorithm = std::string(last_algorithm_)}; }

  // Every call's first step, which costs an inline stream's calls two compares.
  void begin(const Stream& stream) {
    begin_call();
    if ((stream.queue() != nullptr) != on_worker_) move_to_thread_of(stream);
  }
  void move_to_thread_of(const Stream& stream);
  void run(const Op& op);
  void run_batch(std::span<const Op> ops);
  void run_scheduled(const Op& op, const CompiledSchedule& schedule);
  template <typename Body>
  auto or_give_up(Body&& body);
  template <typename Body>
  void run_staged(const Op& op, const Exposure& exposure, Body&& body);
  std::uint64_t allocate_control(int nranks);
  Stores stores(const Op& op) { return streaming_.stores(op, rank(), nranks()); }
  template <typename T>
  std::vector<T> gather_from_all(const T& mine);

  Device& device_;
  std::shared_ptr<Region> region_;
  Tuning tuning_;
  std::shared_ptr<ClockDebt> debt_;  // of the rank's own thread
  Team team_;
  std::unique_ptr<NetworkCost> network_cost_;  // null: no network is emulated
  Groups groups_;
  Selection selection_;
  Streaming streaming_;
  Eager eager_;
  Executor executor_;
  PointToPoint point_to_point_;
  Staging staging_;
  std::string_view last_algorithm_;
  bool on_worker_ = false;  // the latest call came from a stream's worker
};

}  // namespace linerate::host
