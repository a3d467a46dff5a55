// What a trainer is asked in files of --config, and by flags of Megatron-LM between its own words:
// all of it as words of our own, and options as a file again.
//
// Options of the command line are behind those of files, so that they win.
#pragma once

#include "base/result.h"
#include "cli/tokens.h"
#include "cli/train_config.h"

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace linerate {

inline constexpr std::size_t kMostConfigBytes = std::size_t{1} << 20;

// The names of the files of --config, in their order.
Result<std::vector<std::string>> config_files_of(const std::vector<std::string>& words);

// A file's text is an object of JSON: DeepSpeed's; begins with two dashes: flags of Megatron-LM;
// else YAML, with our options' names as keys.
struct TrainWords {
  std::vector<std::string> words{};
  std::vector<std::string> without_effect{};  // names of other trainers' options
};
Result<TrainWords> train_words(const std::vector<std::string>& words,
                               std::span<const TrainFile> files, TrainProgram program);

// The options that are given, as YAML that reads back to the same, and all others as comments.
std::string options_yaml(std::span<const Token> given, int zero);

}  // namespace linerate
