// One rank's endpoint of the fake backend: injects the faults, and moves the rank's clock.
#pragma once

#include "backends/fake/fake_device.h"
#include "backends/fake/rendezvous.h"
#include "comm/call_order.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>

namespace linerate::fake {

class FakeCommunicator final : public BlockingCommunicator<FakeCommunicator> {
 public:
  // `device` outlives the communicator.
  FakeCommunicator(std::shared_ptr<Rendezvous> rendezvous, int rank, FakeDevice& device)
      : rendezvous_(std::move(rendezvous)), rank_(rank), device_(device) {}
  ~FakeCommunicator() override { end_calls(); }

  int rank() const override { return rank_; }
  int nranks() const override { return rendezvous_->nranks(); }
  Device& device() override { return device_; }

  void call(const Op& op, Stream& stream);
  void call_batch(std::span<const Op> ops, Stream& stream);
  Buffer allocate(std::size_t bytes, MemoryKind kind) override {
    return device_.allocate(bytes, kind);
  }
  std::unique_ptr<Communicator> split(int color, int key) override;
  void barrier() override;
  void abort() noexcept override { rendezvous_->abort(); }

 private:
  std::string transport() const override { return "fake"; }
  std::optional<ModeledTime> modeled_time() const override { return device_.now(); }
  std::uint64_t begin();
  void stop_where_asked(std::uint64_t call);
  // Yields when the last of the messages was there.
  ModeledTime exchange(std::span<const Op> ops, std::uint64_t call, const ModeledTime& entry);
  void flip_where_asked(const Op& op, std::uint64_t call);

  std::shared_ptr<Rendezvous> rendezvous_;
  int rank_;
  FakeDevice& device_;
};

}  // namespace linerate::fake
