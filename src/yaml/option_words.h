// A file of YAML whose keys are long names of options: what a command line would say.
#pragma once

#include "base/result.h"

#include <yaml-cpp/yaml.h>

#include <cstddef>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace linerate::yaml {

struct OptionWords {
  // "--ranks", "1,2,4": a list is its values with commas, true the option alone, false nothing.
  std::vector<std::string> words{};
  std::map<std::string, YAML::Node> maps{};  // keys that are no options, as they stand there
};

// Of at most `most_bytes`; keys out of `maps` are maps, which the caller reads. The failure goes on
// behind the file's name. Whether the options exist is for who reads the words to say.
Result<OptionWords> read_option_words(std::string_view text, std::size_t most_bytes,
                                      std::span<const std::string_view> maps);

// Words of such a file with `by` for each `place`: "mpirun -np {ranks}".
std::string replaced(std::string words, std::string_view place, std::string_view by);

}  // namespace linerate::yaml
