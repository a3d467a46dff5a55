// See version_text.h.
#include "backends/mpi/version_text.h"

#include "base/text.h"

#include <algorithm>
#include <cctype>

namespace linerate::mpi {

std::string short_version(std::string_view library_version) {
  std::string line(library_version.substr(0, library_version.find_first_of(",\n")));
  std::ranges::replace(line, '\t', ' ');
  std::string text;
  for (const auto& word : split(line, ' ')) {
    std::string_view kept = trim(word);
    if (kept.empty() || kept == "Version:") continue;
    const bool marked =
        kept.size() > 1 && kept[0] == 'v' && std::isdigit(static_cast<unsigned char>(kept[1])) != 0;
    if (marked) kept.remove_prefix(1);
    if (!text.empty()) text += ' ';
    text += kept;
  }
  return text;
}

}  // namespace linerate::mpi
