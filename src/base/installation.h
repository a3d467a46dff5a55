// Where this program is installed, and whether what lies there may be loaded into it.
#pragma once

#include <filesystem>
#include <optional>
#include <string>

namespace linerate {

// The folder whose bin/ holds `executable` (empty: the running program): of an installation, a
// bundle or a build. Nothing where the program lies in another folder, as a copy does: what is
// beside a copy is not linerate's.
std::optional<std::filesystem::path> installation_root(
    const std::filesystem::path& executable = {});

// Why `root / inside` must not be loaded, as a sentence; nothing where it may be. Everything from
// `root` to the file must belong to root, to this user or to the owner of `root / "bin"`, and not
// be writable by everybody. What a link points to was chosen by the link's owner, and is not looked
// at.
std::optional<std::string> distrust(const std::filesystem::path& root,
                                    const std::filesystem::path& inside);

}  // namespace linerate
