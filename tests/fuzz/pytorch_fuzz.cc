// A rank's file of PyTorch, also compressed: what is read is a trace of its calls, which may be
// planned with itself as the other rank.
#include "replay/files.h"
#include "replay/plan.h"
#include "replay/pytorch.h"

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace linerate::replay;
  constexpr std::size_t kMostBytes = 1 << 20;
  std::string text(reinterpret_cast<const char*>(data), size);
  if (text.starts_with("\x1f\x8b")) {
    auto whole = unpacked(text, kMostBytes);
    if (!whole) return 0;
    text = *std::move(whole);
    if (text.size() > 2 * kMostBytes) std::abort();
  }
  auto read = read_pytorch(text);
  if (!read) return 0;
  auto file = *std::move(read);
  for (const auto& call : file.calls.calls)
    if (call.group >= file.groups.size()) std::abort();
  if (file.nranks > 2) return 0;
  auto other = file;
  file.rank = 0;
  other.rank = 1;
  std::vector<std::pair<std::string, PytorchTrace>> files;
  files.emplace_back("a", std::move(file));
  files.emplace_back("b", std::move(other));
  if (auto trace = joined(std::move(files))) (void)plan_of(*std::move(trace));
  return 0;
}
