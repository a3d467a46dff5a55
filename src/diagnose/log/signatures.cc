// Looks up a message in the tables.
#include "diagnose/log/signatures.h"

#include <optional>
#include <vector>

namespace linerate::logs {
namespace {

// Whether the row may mean such a line, whatever it says.
bool concerns(const Signature& row, Level level) {
  const auto lines = static_cast<unsigned>(row.lines);
  return (lines >> static_cast<unsigned>(level) & 1U) != 0;
}

// And one that names an error of a GPU. NCCL's INFO lines have only errors that it passes over.
bool is_of_gpu(const Message& message) {
  constexpr std::string_view kGpuError =
      "CUDA error|CUDA Error|CUDA initialization error|CUDA failure|Cuda failure|Cuda error|Cuda "
      "Runtime|CUDA "
      "initialization: "
      "|cudaError|"
      "CUDA_ERROR|THCudaCheck FAIL|cuda runtime error (|HIP error|HIP failure|hipError|Error: CUDA "
      "|Error: HIP |memory error on GPU";
  return matches(kGpuError, message.whole);
}

// The rows that may mean lines of a level, by what they say.
class RowIndex {
 public:
  explicit RowIndex(Level level) : level_(level) {
    // Which name errors that may come.
    constexpr std::string_view kNotices =
        "SHMEM INFO|SHMEM TRACE|UCX  INFO|UCX  DIAG|UCX  DEBUG|UCX  TRACE";
    rows_.push_back(nullptr);
    if (level == Level::none) patterns_.push_back({kNotices, 0});
    for (const auto table : signature_tables())
      for (const auto& row : table)
        if (concerns(row, level) || (row.lines == Lines::gpu && level != Level::info)) {
          patterns_.push_back({row.pattern, rows_.size()});
          rows_.push_back(&row);
        }
    index_ = PatternIndex(patterns_);
  }

  const Signature* find(const Message& message) const {
    std::optional<bool> of_gpu;
    const auto accepts = [&](std::size_t index) {
      const auto* row = rows_[index];
      if (row == nullptr || concerns(*row, level_)) return true;
      if (!of_gpu) of_gpu = is_of_gpu(message);
      return *of_gpu;
    };
    const auto found = index_.first(message.whole, accepts);
    return found == PatternIndex::kNone ? nullptr : rows_[found];
  }

 private:
  Level level_;
  std::vector<PatternIndex::Pattern> patterns_;
  std::vector<const Signature*> rows_;
  PatternIndex index_{std::span<const PatternIndex::Pattern>()};
};

}  // namespace

std::array<std::span<const Signature>, 6> signature_tables() {
  return {network_signatures(), node_signatures(),    mpi_signatures(),
          job_signatures(),     general_signatures(), unknown_signatures()};
}

bool is_quoted(std::string_view name) {
  return name == "error-line" || name == "uncaught-exception" || name == "unmarked-error" ||
         name == "call-failed";
}

bool tells_call(const Signature& row) {
  return row.name == "call-failed" || row.name == "cuda-failure" ||
         row.name == "cuda-library-failed" || row.name == "ucx-failure";
}

const Signature& texts_of(const Signature& row) {
  for (const auto table : signature_tables())
    for (const auto& first : table)
      if (first.name == row.name && !first.meaning.empty())
        return row.meaning.empty() ? first : row;
  return row;
}

const Signature* signature_of(std::string_view name, Role role) {
  for (const auto table : signature_tables())
    for (const auto& row : table)
      if (row.name == name && row.role == role) return &row;
  return nullptr;
}

const Signature* find_signature(const Message& message) {
  if (message.row) return *message.row;
  static const std::array<RowIndex, 5> kByLevel{RowIndex(Level::info), RowIndex(Level::warn),
                                                RowIndex(Level::error), RowIndex(Level::exception),
                                                RowIndex(Level::none)};
  return kByLevel.at(static_cast<std::size_t>(message.level)).find(message);
}

}  // namespace linerate::logs
