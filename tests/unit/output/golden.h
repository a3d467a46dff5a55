// Expected output as text files: tests of the sinks compare with them, tests of the parsers read
// them.
#pragma once

#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>

namespace linerate {

inline std::string golden(const std::string& name) {
  std::ifstream file(std::filesystem::path(LINERATE_GOLDEN_OUTPUT) / name);
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

}  // namespace linerate
