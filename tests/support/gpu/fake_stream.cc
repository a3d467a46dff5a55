// See fake_stream.h.
#include "support/gpu/fake_stream.h"

#include <utility>

namespace linerate::cuda {
namespace {

using Shared = std::shared_ptr<FakeStream>;

std::vector<std::weak_ptr<FakeStream>>& streams_of_this_thread() {
  thread_local std::vector<std::weak_ptr<FakeStream>> streams;
  return streams;
}

const Shared& null_stream() {
  thread_local const Shared stream = std::make_shared<FakeStream>();
  return stream;
}

const Shared& shared(cudaStream_t handle) {
  return handle == nullptr ? null_stream() : *reinterpret_cast<Shared*>(handle);
}

void remember(const Shared& stream) {
  auto& streams = streams_of_this_thread();
  std::erase_if(streams, [](const auto& other) { return other.expired(); });
  for (const auto& other : streams)
    if (other.lock() == stream) return;
  streams.push_back(stream);
}

}  // namespace

void FakeStream::enqueue(const FakeWork& work) {
  if (capturing_) {
    captured_.push_back(work);
    return;
  }
  tasks_.push_back(work());
  advance();
}

bool FakeStream::advance() {
  while (!tasks_.empty()) {
    if (!tasks_.front()()) return false;
    tasks_.pop_front();
  }
  return true;
}

std::vector<FakeWork> FakeStream::end_capture() {
  capturing_ = false;
  return std::exchange(captured_, {});
}

cudaStream_t make_fake_stream() {
  return reinterpret_cast<cudaStream_t>(new Shared(std::make_shared<FakeStream>()));
}

void free_fake_stream(cudaStream_t handle) { delete reinterpret_cast<Shared*>(handle); }

FakeStream& fake_stream(cudaStream_t handle) {
  remember(shared(handle));
  return *shared(handle);
}

bool fake_stream_idle(cudaStream_t handle) {
  for (const auto& other : streams_of_this_thread())
    if (const auto stream = other.lock()) stream->advance();
  return fake_stream(handle).advance();
}

void enqueue_fake(cudaStream_t stream, std::function<void()> action) {
  fake_stream(stream).enqueue([action = std::move(action)]() -> FakeTask {
    return [action] {
      action();
      return true;
    };
  });
}

}  // namespace linerate::cuda
