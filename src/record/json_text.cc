#include "record/json_text.h"

#include <cstddef>
#include <vector>

namespace linerate::json {
namespace {

constexpr int kMostDepth = 64;  // stacks of Python functions are flat
constexpr std::size_t kMostKeys = 256;
constexpr int kEventDepth = 2;  // the document, its array, the event

struct TooMuch {};

}  // namespace

std::optional<Json> parse_bounded(std::string_view text, const Visit& visit) {
  std::vector<std::size_t> keys{0};  // of each open object
  const auto on_event = [&](int depth, Json::parse_event_t event, Json& parsed) {
    using Event = Json::parse_event_t;
    if (event == Event::object_start || event == Event::array_start) {
      if (depth > kMostDepth) throw TooMuch();
      if (event == Event::object_start) keys.push_back(0);
    } else if (event == Event::key) {
      if (++keys.back() > kMostKeys) throw TooMuch();
    } else if (event == Event::object_end) {
      keys.pop_back();
      if (visit && depth == kEventDepth) return visit(parsed), false;
    }
    return true;
  };
  try {
    auto parsed = Json::parse(text, on_event, false);
    if (parsed.is_discarded()) return std::nullopt;
    return parsed;
  } catch (const TooMuch&) {
    return std::nullopt;
  }
}

}  // namespace linerate::json
