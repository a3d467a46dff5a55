// A queue of work for tests without a GPU: done in order, as soon as it can, by the thread that
// enqueues or asks.
#pragma once

#include <cuda_runtime_api.h>

#include <deque>
#include <functional>
#include <memory>
#include <vector>

namespace linerate::cuda {

// True once it is done; asked again and again until then.
using FakeTask = std::function<bool()>;
// Makes a task: once for each time that the work is done, as graphs do it again.
using FakeWork = std::function<FakeTask()>;

// Used by one thread.
class FakeStream {
 public:
  void enqueue(const FakeWork& work);
  // Goes on as far as it can; true when nothing is left.
  bool advance();

  void begin_capture() { capturing_ = true; }
  std::vector<FakeWork> end_capture();

 private:
  std::deque<FakeTask> tasks_;
  std::vector<FakeWork> captured_;
  bool capturing_ = false;
};

// A handle, and what it stands for: null is the calling thread's own null stream.
cudaStream_t make_fake_stream();
void free_fake_stream(cudaStream_t handle);
FakeStream& fake_stream(cudaStream_t handle);

// All streams that the calling thread has used go on: one may wait for another. Then whether
// `handle` has nothing left.
bool fake_stream_idle(cudaStream_t handle);

// Work that is done at once when its turn comes.
void enqueue_fake(cudaStream_t stream, std::function<void()> action);

}  // namespace linerate::cuda
