#include "backends/host/schedule/schedule.h"

#include <map>

namespace linerate::host {

Groups Groups::from_marks(std::span<const int> marks) {
  Groups groups;
  std::map<int, int> number_of;  // of each mark, in the order of the lowest ranks
  for (std::size_t rank = 0; rank < marks.size(); ++rank) {
    const auto [entry, fresh] = number_of.emplace(marks[rank], groups.count());
    if (fresh) groups.ranks.emplace_back();
    groups.of_rank.push_back(entry->second);
    groups.ranks[static_cast<std::size_t>(entry->second)].push_back(static_cast<int>(rank));
  }
  return groups;
}

Groups Groups::one(int nranks) {
  const std::vector<int> marks(static_cast<std::size_t>(nranks), 0);
  return from_marks(marks);
}

}  // namespace linerate::host
