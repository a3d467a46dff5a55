// One rank's endpoint of the fake backend: injects the faults, and moves the rank's clock.
#pragma once

#include "backends/fake/fake_device.h"
#include "backends/fake/rendezvous.h"
#include "comm/communicator.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

namespace linerate::fake {

class FakeCommunicator final : public Communicator {
 public:
  // `device` outlives the communicator.
  FakeCommunicator(std::shared_ptr<Rendezvous> rendezvous, int rank, FakeDevice& device)
      : rendezvous_(std::move(rendezvous)), rank_(rank), device_(device) {}

  int rank() const override { return rank_; }
  int nranks() const override { return rendezvous_->nranks(); }
  Device& device() override { return device_; }
  std::string transport() const override { return "fake"; }

  void enqueue(const Op& op, Stream& stream) override;
  Buffer allocate(std::size_t bytes, MemoryKind kind) override {
    return device_.allocate(bytes, kind);
  }
  std::unique_ptr<Communicator> split(int color, int key) override;
  void barrier() override;
  std::optional<ModeledTime> modeled_time() const override { return device_.now(); }
  void abort() noexcept override { rendezvous_->abort(); }

 private:
  void stop_where_asked(std::uint64_t call);
  ModeledTime exchange(const Op& op, std::uint64_t call);
  void flip_where_asked(const Op& op, std::uint64_t call);

  std::shared_ptr<Rendezvous> rendezvous_;
  int rank_;
  FakeDevice& device_;
};

}  // namespace linerate::fake
