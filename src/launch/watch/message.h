// What the watches of different processes say to each other, and its bytes on a link.
#pragma once

#include "comm/bootstrap.h"
#include "launch/watch/page.h"

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <variant>
#include <vector>

namespace linerate {

// In order of weight: a death explains failures and missing ranks, a failure explains missing
// ranks.
enum class LossKind : std::uint8_t { died, failed, missing };

// One process that the job lost, or, where `process` is -1, a job that hangs with nobody missing.
struct Loss {
  LossKind kind = LossKind::died;
  int origin = 0;  // process that noticed it
  int process = -1;
  std::vector<int> ranks;
  std::string sentence;
};

// To all: the job ends because of these.
struct LostMessage {
  std::vector<Loss> losses;
};

// To all: what are you doing? Threads of `origin` wait too long. Inquiries of one origin are
// numbered.
struct InquiryMessage {
  int origin = 0;
  std::uint32_t serial = 0;
};

// To the origin of an inquiry, back along the way on which it came first.
struct StatusMessage {
  int origin = 0;
  std::uint32_t serial = 0;
  int process = 0;
  // entered_ns is how long the thread has made no headway, because clocks of nodes differ. Empty:
  // the process has left.
  std::vector<ThreadStatus> threads;
  std::vector<int> unlinked;  // neighbours that this process cannot ask
};

// To a neighbour: this process ends, and its end is no loss. It is answered, so that it can wait.
struct LeaveMessage {
  Presence presence = Presence::left;
};
struct LeaveSeenMessage {};

using ControlMessage =
    std::variant<LostMessage, InquiryMessage, StatusMessage, LeaveMessage, LeaveSeenMessage>;

// The integers are those of the machine: the processes of a job run one binary.
Bytes encode(const ControlMessage& message);

// Nothing where the bytes are no message: any bytes may come.
std::optional<ControlMessage> decode(std::span<const std::byte> bytes);

}  // namespace linerate
