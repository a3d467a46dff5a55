// A folder of this process' own, gone with its owner.
#pragma once

#include "base/error.h"

#include <fmt/format.h>

#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <string>
#include <system_error>

namespace linerate {

class ScratchFolder {
 public:
  // In TMPDIR or /tmp. Throws Error, with exit code 2, where it cannot be made.
  ScratchFolder() {
    std::error_code missing;
    const auto parent = std::filesystem::temp_directory_path(missing);
    if (missing)
      throw Error(fmt::format("There is no folder for temporary files: {}. Set TMPDIR to one.",
                              missing.message()),
                  ExitCode::usage);
    auto name = (parent / "linerate-XXXXXX").string();
    if (::mkdtemp(name.data()) == nullptr)
      throw Error(fmt::format("No temporary folder can be made in '{}': {}. Set TMPDIR to one that "
                              "can be written to.",
                              parent.string(), std::strerror(errno)),
                  ExitCode::usage);
    path_ = name;
  }
  ~ScratchFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  ScratchFolder(const ScratchFolder&) = delete;
  ScratchFolder& operator=(const ScratchFolder&) = delete;

  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

}  // namespace linerate
