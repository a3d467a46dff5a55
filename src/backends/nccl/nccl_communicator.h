// One rank of a group of GPUs over NCCL.
#pragma once

#include "backends/nccl/device_api/device_side.h"
#include "backends/nccl/endpoint.h"
#include "backends/nccl/profiler/call_recorder.h"
#include "comm/bootstrap.h"
#include "comm/communicator.h"
#include "devices/cuda/cuda_api.h"

#include <memory>
#include <span>
#include <string>

namespace linerate::nccl {

// What all communicators of a backend share; outlives them.
struct Libraries {
  const NcclApi& nccl;
  const cuda::CudaApi& cuda;
  DeviceImplementation device{};
};

class NcclCommunicator final : public Communicator, private Inspector {
 public:
  struct Place {
    int rank = 0;
    int nranks = 1;
    bool shares_thread = false;  // the thread drives other GPUs too
    int least_sm = 90;           // the lowest compute capability of all ranks: 90 of sm_90
  };

  // `bootstrap` are the threads of the whole job; null for a part of it. Both outlive this.
  NcclCommunicator(const Libraries& libraries, Device& device, std::shared_ptr<Endpoint> endpoint,
                   const Place& place, Bootstrap* bootstrap);

  int rank() const override { return place_.rank; }
  int nranks() const override { return place_.nranks; }
  Device& device() override { return device_; }

  // REQUIRES: `stream` is of this rank's device.
  void enqueue(const Op& op, Stream& stream) override;
  void enqueue_batch(std::span<const Op> ops, Stream& stream) override;
  // device: NCCL's own memory where the library has it (2.19), else cudaMalloc's.
  Buffer allocate(std::size_t bytes, MemoryKind kind) override;
  std::unique_ptr<Registration> register_buffer(const Buffer& buffer,
                                                RegistrationKind kind) override;
  std::unique_ptr<Communicator> split(int color, int key) override;
  // Its two halves, for ranks of one thread: all begin within one group, which fills the `part`s
  // in; then each ends.
  void begin_split(int color, int key, ncclComm_t& part);
  std::unique_ptr<Communicator> end_split(ncclComm_t part);
  // Of the whole job: its threads meet, whatever their GPUs do; ranks of one thread call it once
  // for all. Of a part: its GPUs meet, each from a thread of its own.
  void barrier() override;
  std::optional<Error> async_error() override;
  bool stop_calls() noexcept override {
    endpoint_->stop_calls();
    return true;
  }
  void abort() noexcept override { endpoint_->abort(); }
  Inspector& inspector() override { return *this; }

 private:
  std::string transport() const override { return "NCCL"; }
  std::string refusal(const Op& op) const override;
  void observe(bool on) override;
  CallFacts last_call() const override { return last_call_; }

  void begin(Stream& stream);
  void go_on_with(const std::shared_ptr<cuda::SharedStream>& stream);
  // NCCL makes the communicator's GPU current for its kernels, but not for the copies of a single
  // rank. A thread of one rank has made its GPU current when it opened the device.
  bool needs_current(const Op& op) const {
    return place_.shares_thread && (place_.nranks == 1 || is_device_side(op.kind));
  }
  bool is_device_side(OpKind kind) const {
    return device_side_ != nullptr && has_device_kernel(kind);
  }
  void start(const Op& op, const Stream& stream);
  void meet_on_gpus();

  const Libraries libraries_;
  Device& device_;
  const std::shared_ptr<Endpoint> endpoint_;
  const Place place_;
  std::unique_ptr<DeviceSide> device_side_;  // null without -D
  Bootstrap* const bootstrap_;
  // Of the latest call: its waits ask for this communicator's errors, and calls on another one come
  // after it. One comparison is all that an enqueue costs beside NCCL.
  std::shared_ptr<cuda::SharedStream> stream_;
  // Of a part's barrier, from the first one on.
  Buffer meeting_word_;
  std::unique_ptr<Stream> meeting_stream_;
  std::unique_ptr<profiler::Observation> observation_;  // null: not observed
  CallFacts last_call_;                                 // of the last observation
};

}  // namespace linerate::nccl
