// A step is written to a folder of another name, brought to the disk, and renamed.
#include "trainers/checkpoint/step_folder.h"

#include "base/error.h"
#include "base/file.h"
#include "trainers/checkpoint/chunk_file.h"

#include <fmt/format.h>

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <optional>
#include <string_view>
#include <system_error>

namespace linerate::trainers {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kPrefix = "step-";
constexpr std::string_view kPartial = ".partial";
constexpr const char* kManifest = "manifest.json";

// The step of "step-000100"; nothing for other names.
std::optional<std::int64_t> step_of(std::string_view name) {
  if (!name.starts_with(kPrefix)) return {};
  const auto digits = name.substr(kPrefix.size());
  std::int64_t step = 0;
  const auto [end, failed] = std::from_chars(digits.begin(), digits.end(), step);
  if (failed != std::errc() || step < 1) return {};
  return step_folder({}, step).string() == name ? std::optional(step) : std::nullopt;
}

FileDescriptor open_folder(const fs::path& path) {
  return FileDescriptor(::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
}

void sync_folder(const FileDescriptor& folder, const fs::path& path) {
  check_system(::fsync(folder.get()), fmt::format("fsync {}", path.string()));
}

// On disk on return.
void write_text(const fs::path& path, std::string_view text) {
  const auto call = fmt::format("write to {}", path.string());
  const FileDescriptor file(
      check_system(::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666), call));
  while (!text.empty()) {
    const auto written = ::write(file.get(), text.data(), text.size());
    if (written < 0 && errno != EINTR) throw SystemError(errno, call);
    if (written > 0) text.remove_prefix(static_cast<std::size_t>(written));
  }
  check_system(::fsync(file.get()), call);
}

void rename_folder(const fs::path& from, const fs::path& to) {
  check_system(::rename(from.c_str(), to.c_str()),
               fmt::format("rename {} to {}", from.string(), to.string()));
}

}  // namespace

fs::path step_folder(const fs::path& dir, std::int64_t step) {
  return dir / fmt::format("{}{:06}", kPrefix, step);
}

fs::path partial_folder(const fs::path& dir, std::int64_t step) {
  return step_folder(dir, step) += kPartial;
}

std::vector<std::int64_t> steps_in(const fs::path& dir) {
  std::vector<std::int64_t> steps;
  std::error_code failed;
  for (fs::directory_iterator entry(dir, failed); !failed && entry != fs::directory_iterator();
       entry.increment(failed)) {
    const auto step = step_of(entry->path().filename().string());
    std::error_code unknown;
    if (step && fs::exists(entry->path() / kManifest, unknown)) steps.push_back(*step);
  }
  std::ranges::sort(steps);
  return steps;
}

Result<Checkpoint> open_checkpoint(const fs::path& folder) {
  const auto path = folder / kManifest;
  const auto refused = [](const fs::path& what, std::string_view why) {
    return Failure{fmt::format("Cannot resume from '{}': {}", what.string(), why)};
  };
  const auto text = read_regular_file(path, kMaxManifestBytes);
  if (!text) return refused(path, text.sentence());
  auto manifest = parse_manifest(*text);
  if (!manifest) return refused(path, manifest.sentence());
  for (std::size_t rank = 0; rank < manifest->file_bytes.size(); ++rank) {
    const auto file = folder / chunk_file_name(rank);
    std::error_code failed;
    const auto bytes = fs::file_size(file, failed);
    if (failed) return refused(file, failed.message() + '.');
    if (bytes != manifest->file_bytes[rank])
      return refused(file, fmt::format("it has {} bytes, and its manifest says {}.", bytes,
                                       manifest->file_bytes[rank]));
  }
  return Checkpoint{.folder = folder, .manifest = *std::move(manifest)};
}

Result<CheckpointFolder> CheckpointFolder::open(const std::string& path, std::int64_t step) {
  const auto refused = [&](std::string_view why) {
    return Failure{fmt::format("Cannot write checkpoints to '{}': {}.", path, why)};
  };
  std::error_code failed;
  fs::create_directories(path, failed);
  if (failed) return refused(failed.message());
  CheckpointFolder folder(path, open_folder(path));
  if (!folder.fd_ || ::access(path.c_str(), W_OK) != 0) return refused(std::strerror(errno));
  // File systems without locks let everybody in.
  if (::flock(folder.fd_.get(), LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK)
    return refused("another run does");
  const auto steps = steps_in(path);
  if (!steps.empty() && steps.back() > step)
    return refused(
        fmt::format("it holds step {} already. Go on from there with --resume auto, "
                    "choose another folder, or remove it",
                    steps.back()));
  for (const auto& entry : fs::directory_iterator(path, failed)) {
    const auto name = entry.path().filename().string();
    if (name.ends_with(kPartial) && step_of(name.substr(0, name.size() - kPartial.size())))
      fs::remove_all(entry.path(), failed);
  }
  return folder;
}

void CheckpointFolder::begin(std::int64_t step) {
  const auto partial = partial_folder(path_, step);
  std::error_code failed;
  fs::remove_all(partial, failed);
  check_system(::mkdir(partial.c_str(), 0777), fmt::format("mkdir {}", partial.string()));
}

void CheckpointFolder::commit(Manifest& manifest, std::int64_t keep) {
  const auto partial = partial_folder(path_, manifest.step);
  const auto text = manifest_text(manifest);
  if (text.size() > kMaxManifestBytes)
    throw Error(fmt::format(
        "The checkpoint of step {} is not kept: its manifest has {} bytes, and no more than {} are "
        "read back. Fewer tensor-parallel ranks write fewer parts.",
        manifest.step, text.size(), kMaxManifestBytes));
  write_text(partial / kManifest, text);
  sync_folder(open_folder(partial), partial);
  rename_folder(partial, step_folder(path_, manifest.step));
  sync_folder(fd_, path_);
  const auto steps = steps_in(path_);
  if (keep < 1) return;
  for (std::size_t i = 0; i + static_cast<std::size_t>(keep) < steps.size(); ++i) remove(steps[i]);
}

// By another name first, so that none is ever seen without some of its files.
void CheckpointFolder::remove(std::int64_t step) {
  const auto partial = partial_folder(path_, step);
  rename_folder(step_folder(path_, step), partial);
  std::error_code failed;
  fs::remove_all(partial, failed);
}

}  // namespace linerate::trainers
