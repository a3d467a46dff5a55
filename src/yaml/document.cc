#include "yaml/document.h"

#include "base/units.h"
#include "yaml/section.h"

#include <fmt/format.h>
#include <yaml-cpp/depthguard.h>
#include <yaml-cpp/eventhandler.h>

#include <sstream>
#include <string>

namespace linerate::yaml {
namespace {

std::string too_deep() { return fmt::format("maps and lists nest deeper than {}.", kMaxDepth); }

// Lets a document pass that does not nest too deep.
class DepthCheck final : public YAML::EventHandler {
 public:
  using Mark = YAML::Mark;
  using Style = YAML::EmitterStyle::value;
  using Text = std::string;
  void OnDocumentStart(const Mark&) override {}
  void OnDocumentEnd() override {}
  void OnNull(const Mark&, YAML::anchor_t) override {}
  void OnAlias(const Mark&, YAML::anchor_t) override {}
  void OnScalar(const Mark&, const Text&, YAML::anchor_t, const Text&) override {}
  void OnSequenceStart(const Mark& mark, const Text&, YAML::anchor_t, Style) override {
    go_deeper(mark);
  }
  void OnSequenceEnd() override { --depth_; }
  void OnMapStart(const Mark& mark, const Text&, YAML::anchor_t, Style) override {
    go_deeper(mark);
  }
  void OnMapEnd() override { --depth_; }

  const Complaints& complaints() const { return complaints_; }

 private:
  void go_deeper(const Mark& mark) {
    if (++depth_ > kMaxDepth) complaints_.add_at(mark, too_deep());
  }

  int depth_ = 0;
  Complaints complaints_;
};

}  // namespace

Result<YAML::Node> load_document(std::string_view text, std::size_t most_bytes,
                                 std::string_view language) {
  if (text.size() > most_bytes)
    return Failure{fmt::format(": it has {} bytes; at most {} are read.", text.size(),
                               bytes_text(most_bytes))};
  Complaints broken;
  try {
    std::istringstream in{std::string(text)};
    YAML::Parser parser(in);
    DepthCheck check;
    // YAML::LoadAll would count documents, but never ends where a bracket is closed that was not
    // opened.
    if (!parser.HandleNextDocument(check) || parser.HandleNextDocument(check))
      return Failure{": it does not hold one document, and nothing behind it."};
    if (check.complaints().first()) return *check.complaints().first();
    return YAML::Load(std::string(text));
  } catch (const YAML::DeepRecursion& error) {  // the parser's own limit, told as a "bad file"
    broken.add_at(error.mark, too_deep());
  } catch (const YAML::Exception& error) {
    broken.add_at(error.mark, fmt::format("it is not {} ({}).", language, error.msg));
  }
  return *broken.first();
}

}  // namespace linerate::yaml
