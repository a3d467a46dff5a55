// A rank's endpoint over shared memory.
#pragma once

#include "backends/host/point_to_point.h"
#include "backends/host/region.h"
#include "backends/host/staging.h"
#include "backends/host/team.h"
#include "comm/communicator.h"

#include <memory>
#include <string>

namespace linerate::host {

class HostCommunicator final : public Communicator {
 public:
  // `device` outlives the communicator; `region` is the one of the rank in the world.
  HostCommunicator(Device& device, std::shared_ptr<Region> region, Team::Setup setup);

  int rank() const override { return team_.rank(); }
  int nranks() const override { return team_.nranks(); }
  Device& device() override { return device_; }
  std::string transport() const override;
  void enqueue(const Op& op, Stream& stream) override;
  Buffer allocate(std::size_t bytes, MemoryKind kind) override;
  std::unique_ptr<Communicator> split(int color, int key) override;
  void barrier() override;
  void abort() noexcept override { team_.abort(); }

 private:
  void run(const Op& op);
  void run_direct(const Op& op);
  template <typename T>
  std::vector<T> gather_from_all(const T& mine);

  Device& device_;
  std::shared_ptr<Region> region_;
  Team team_;
  PointToPoint point_to_point_;
  Staging staging_;
};

}  // namespace linerate::host
