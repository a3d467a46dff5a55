// A command line of any words, and variables of any text: a configuration or a sentence.
#include "cli/parse.h"
#include "cli/tools.h"

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <map>
#include <string>
#include <vector>

// Words are separated by line ends; those with '=' in front of the first other word are variables.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  std::vector<std::string> words{"all_reduce_perf"};
  std::map<std::string, std::string, std::less<>> variables;
  std::string word;
  const auto take = [&] {
    const auto equals = word.find('=');
    if (words.size() == 1 && word.starts_with("NCCL_TESTS_") && equals != std::string::npos)
      variables[word.substr(0, equals)] = word.substr(equals + 1);
    else if (word.find('\0') == std::string::npos)
      words.push_back(word);
    word.clear();
  };
  for (std::size_t i = 0; i < size; ++i) {
    if (data[i] == '\n')
      take();
    else
      word += static_cast<char>(data[i]);
  }
  std::vector<const char*> argv;
  for (const auto& w : words) argv.push_back(w.c_str());
  const auto call = linerate::read_invocation(argv);
  if (!call) return 0;
  const auto parsed = linerate::parse_run(*call, linerate::Environment(variables));
  if (!parsed && parsed.sentence().empty()) std::abort();
  return 0;
}
