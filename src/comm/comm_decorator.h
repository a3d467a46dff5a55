// Communicators around others: what traces, counts, throttles or injects faults is a class with one
// function over this base, which forwards all else.
#pragma once

#include "comm/communicator.h"

#include <memory>
#include <utility>

namespace linerate {

// Forwards everything to the communicator inside it. Used as that one is.
class CommDecorator : public Communicator {
 public:
  explicit CommDecorator(std::unique_ptr<Communicator> inner)
      : owned_(std::move(inner)), inner_(*owned_) {}
  // Around one that outlives it.
  explicit CommDecorator(Communicator& inner) : inner_(inner) {}

  int rank() const override { return inner_.rank(); }
  int nranks() const override { return inner_.nranks(); }
  Device& device() override { return inner_.device(); }
  void enqueue(const Op& op, Stream& stream) final { issue({&op, 1}, stream); }
  void enqueue_batch(std::span<const Op> ops, Stream& stream) final { issue(ops, stream); }
  Buffer allocate(std::size_t bytes, MemoryKind kind) override {
    return inner_.allocate(bytes, kind);
  }
  std::unique_ptr<Registration> register_buffer(const Buffer& buffer,
                                                RegistrationKind kind) override {
    return inner_.register_buffer(buffer, kind);
  }
  std::unique_ptr<Communicator> split(int color, int key) override {
    auto part = inner_.split(color, key);
    return part ? decorate(std::move(part)) : nullptr;
  }
  void barrier() override { inner_.barrier(); }
  std::optional<Error> async_error() override { return inner_.async_error(); }
  bool stop_calls() noexcept override { return inner_.stop_calls(); }
  void abort() noexcept override { inner_.abort(); }
  std::uint64_t calls_begun() const noexcept override { return inner_.calls_begun(); }
  Inspector& inspector() override { return inner_.inspector(); }
  Communicator& innermost() override { return inner_.innermost(); }

 protected:
  // Makes a call, or a batch of sends and receives: all that moves data but barrier() comes here.
  // On the thread that enqueues, when it does.
  virtual void issue(std::span<const Op> ops, Stream& stream) {
    if (ops.size() == 1) return inner_.enqueue(ops.front(), stream);
    inner_.enqueue_batch(ops, stream);
  }
  // A part of a split, with the same around it where that is wanted.
  virtual std::unique_ptr<Communicator> decorate(std::unique_ptr<Communicator> part) const = 0;

 private:
  const std::unique_ptr<Communicator> owned_;
  Communicator& inner_;
};

}  // namespace linerate
