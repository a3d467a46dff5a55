// Where buffers live and work is queued: the host's memory, or a GPU.
#pragma once

#include "base/clock.h"
#include "comm/buffer.h"
#include "comm/content.h"
#include "comm/multiplier.h"
#include "comm/stream.h"

#include <cstddef>
#include <memory>
#include <string>

namespace linerate {

enum class DeviceKind { cpu, fake, cuda };

enum class StreamKind {
  own,    // on a GPU a queue of its own; on the host inline: each call is done when it returns
  null,   // the queue that CUDA programs use when they name none; on the host as `own`
  async,  // work runs beside the calling thread: on the host on the stream's own worker thread
};

// One device; used by the thread of the rank that owns it.
class Device {
 public:
  virtual ~Device() = default;

  virtual std::string name() const = 0;  // "host memory (AMD EPYC)", "NVIDIA H100 80GB HBM3"
  virtual DeviceKind kind() const = 0;
  virtual int index() const = 0;           // as the device line prints it
  virtual std::string bus_id() const = 0;  // "0000:00:00": domain, bus, device; zeros for a CPU
  virtual std::size_t free_bytes() const = 0;
  virtual const Clock& clock() const = 0;  // outlives the device

  // Memory of this device, first touched by the calling thread. Throws Error when there is none
  // left.
  virtual Buffer allocate(std::size_t bytes, MemoryKind kind) = 0;
  virtual std::unique_ptr<Stream> open_stream(StreamKind kind) = 0;
  std::unique_ptr<Stream> stream() { return open_stream(StreamKind::own); }

  // Enqueue: `dest` = `source`, which have as many bytes and do not overlap, between memory of the
  // host and of any device of this kind; and zero bytes. The views stay valid until it is done.
  virtual void copy(View dest, ConstView source, Stream& stream) = 0;
  virtual void zero(View view, Stream& stream) = 0;

  // Done on return. Writes `content` over the whole view, whose bytes are a multiple of the
  // element's.
  virtual void fill(View view, const Content& content) = 0;
  // Compares the whole view with `content`: bit patterns, but floating avg: pattern/plan.h.
  virtual Comparison count_wrong(ConstView view, const Content& content) = 0;

  // What multiplies matrices here: made by the first call, lives as long as the device. Throws
  // Unavailable where the library that it needs is not here.
  virtual Multiplier& multiplier() = 0;
};

}  // namespace linerate
