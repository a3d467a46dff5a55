// A trainer's --config file, of any dialect: options or a sentence, and what is understood reads
// back to the same.
#include "cli/train_file.h"

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace linerate;
  const std::string text(reinterpret_cast<const char*>(data), size);
  const auto read = [](const std::string& file) {
    return parse_train({}, TrainProgram::three_d, {{.name = "file", .text = file}});
  };
  auto options = read(text);
  if (!options) return options.sentence().empty() ? (std::abort(), 0) : 0;
  const auto again = read(options->understood);
  if (!again || again->understood != options->understood) std::abort();
  auto settled = *options;
  (void)settle_batch(settled, 8);
  return 0;
}
