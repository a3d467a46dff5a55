// Any bytes on a store connection: frames, requests and the table hold their limits.
#include "launch/net/frame.h"
#include "launch/store/protocol.h"

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <span>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace linerate;  // NOLINT: a fuzz target is one function
  StoreTable table(4096);
  auto rest = std::as_bytes(std::span(data, size));
  for (;;) {
    const auto frame = parse_frame(rest, kMaxStorePayload);
    if (frame.state != ParsedFrame::State::complete) return 0;
    if (frame.consumed == 0 || frame.consumed > rest.size()) std::abort();
    rest = rest.subspan(frame.consumed);
    const auto request = parse_request(frame.type, frame.payload);
    if (!request) continue;
    if (request->key.size() > kMaxTokenBytes || request->value.size() > kMaxValueBytes)
      std::abort();
    if (request->type == linerate::FrameType::set) (void)table.set(request->key, request->value);
    if (request->type == linerate::FrameType::get) (void)table.find(request->key);
  }
}
