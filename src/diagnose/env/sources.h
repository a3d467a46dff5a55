// Files that set variables, as settings with the line of each.
//
// Only what belongs to a family of the registry is taken. A shell script is not run: exports hold
// for all of it, words of the form NAME=VALUE in front of a command or in options such as mpirun's
// -x for this command; conditions are taken as met.
#pragma once

#include "base/environment.h"
#include "base/result.h"
#include "diagnose/env/env.h"

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace linerate::env {

enum class Format : std::uint8_t {
  detected,    // by the text and the file's name
  shell,       // scripts, sbatch's too, and .env files
  dockerfile,  // its ENV: the rest is the build's
  yaml,        // manifests of Kubernetes, compose files; JSON
  nccl_conf,
  environ,  // /proc/PID/environ: NAME=VALUE, each with a zero behind it
};

inline constexpr std::size_t kMostFileBytes = std::size_t{4} << 20;
inline constexpr std::size_t kMostSettings = 10'000;  // of one file
inline constexpr std::size_t kMostScopes = 1'000;     // the same

Format detected_format(std::string_view name, std::string_view text);

struct ReadAs {
  Format format = Format::detected;
  int first_scope = 1;  // that no other file has; commands and maps of YAML have theirs from there
  Release nccl = kNewest;  // by which nccl.conf is read
};

// What the text of the file `name` sets. A sentence that goes on behind the name where it cannot be
// read.
Result<std::vector<Setting>> read_settings(std::string_view name, std::string_view text, ReadAs as);

std::vector<Setting> settings_of(const Environment& environment);

// For a setting that was read in a text of `scope`: a command is a process within it.
void put_within(int scope, Setting& setting);

// The readers of one format each.
std::vector<Setting> read_shell(std::string_view name, std::string_view text, int first_scope,
                                int first_line = 1);
std::vector<Setting> read_dockerfile(std::string_view name, std::string_view text);
Result<std::vector<Setting>> read_yaml(std::string_view name, std::string_view text,
                                       int first_scope);
std::vector<Setting> read_nccl_conf(std::string_view name, std::string_view text,
                                    const Release& nccl = kNewest, int first_line = 1);

}  // namespace linerate::env
