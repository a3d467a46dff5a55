// Looks up a message in the tables.
#include "diagnose/log/signatures.h"

#include <algorithm>

namespace linerate::logs {
namespace {

// Takes what stands before `separator` off `rest`; all of it where there is none.
std::string_view take_until(std::string_view& rest, char separator) {
  const auto at = rest.find(separator);
  const auto piece = rest.substr(0, at);
  rest = at == std::string_view::npos ? std::string_view() : rest.substr(at + 1);
  return piece;
}

bool has_in_order(std::string_view pieces, std::string_view text) {
  while (!pieces.empty()) {
    const auto piece = take_until(pieces, '*');
    const auto at = text.find(piece);
    if (at == std::string_view::npos) return false;
    text.remove_prefix(at + piece.size());
  }
  return true;
}

// Whether the row may mean such a line, whatever it says.
bool concerns(const Signature& row, const Message& message) {
  constexpr std::string_view kGpuError =
      "CUDA error|CUDA Error|CUDA initialization error|CUDA failure|Cuda failure|Cuda error|Cuda "
      "Runtime|CUDA "
      "initialization: "
      "|cudaError|"
      "CUDA_ERROR|THCudaCheck FAIL|cuda runtime error (|HIP error|HIP failure|hipError|Error: CUDA "
      "|Error: HIP |memory error on GPU";
  const auto lines = static_cast<unsigned>(row.lines);
  if ((lines >> static_cast<unsigned>(message.level) & 1U) != 0) return true;
  // NCCL's INFO lines have only errors that it passes over.
  return row.lines == Lines::gpu && message.level != Level::info &&
         matches(kGpuError, message.whole);
}

}  // namespace

bool matches(std::string_view pattern, std::string_view text) {
  while (!pattern.empty())
    if (has_in_order(take_until(pattern, '|'), text)) return true;
  return false;
}

std::array<std::span<const Signature>, 6> signature_tables() {
  return {network_signatures(), node_signatures(),    mpi_signatures(),
          job_signatures(),     general_signatures(), unknown_signatures()};
}

bool is_quoted(std::string_view name) {
  return name == "error-line" || name == "uncaught-exception" || name == "unmarked-error";
}

const Signature& texts_of(const Signature& row) {
  for (const auto table : signature_tables())
    for (const auto& first : table)
      if (first.name == row.name && !first.meaning.empty())
        return row.meaning.empty() ? first : row;
  return row;
}

const Signature* find_signature(const Message& message) {
  // Which name errors that may come.
  constexpr std::string_view kNotices =
      "SHMEM INFO|SHMEM TRACE|UCX  INFO|UCX  DIAG|UCX  DEBUG|UCX  TRACE";
  if (message.level == Level::none && matches(kNotices, message.whole)) return nullptr;
  for (const auto table : signature_tables()) {
    const auto row = std::ranges::find_if(table, [&](const Signature& one) {
      return concerns(one, message) && matches(one.pattern, message.whole);
    });
    if (row != table.end()) return &*row;
  }
  return nullptr;
}

}  // namespace linerate::logs
