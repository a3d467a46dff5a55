// Manifests of checkpoints: anybody may have written one.
#include "trainers/checkpoint/manifest.h"

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace linerate::trainers;
  auto manifest = parse_manifest({reinterpret_cast<const char*>(data), size});
  if (!manifest) return manifest.sentence().empty() ? (std::abort(), 0) : 0;
  for (const auto& chunk : manifest->chunks) {
    const auto bytes = manifest->file_bytes.at(chunk.file);
    const auto& tensor = manifest->tensors.at(chunk.what.tensor);
    std::size_t elements = 0;
    for (const auto& box : boxes_of(chunk.what, tensor.columns())) {
      if (box.column + box.columns > tensor.columns()) std::abort();
      if ((box.row + box.rows) * tensor.columns() > tensor.count()) std::abort();
      elements += box.rows * box.columns;
    }
    if (elements != chunk.what.count) std::abort();
    if (chunk.offset > bytes || chunk.bytes() > bytes - chunk.offset) std::abort();
  }
  auto taken = *manifest;
  const auto text = manifest_text(taken);
  auto again = parse_manifest(text);
  if (!again || difference(*again, *manifest)) std::abort();
  auto same = *again;
  if (manifest_text(same) != text) std::abort();
  return 0;
}
