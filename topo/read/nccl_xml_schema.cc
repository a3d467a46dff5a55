// See nccl_xml_schema.h.
#include "topo/read/nccl_xml_schema.h"

#include "base/text.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <set>

namespace linerate::topo {
namespace {

constexpr std::size_t kMaxSentences = 20;

// Space-separated names, with a space around each.
struct ElementKind {
  std::string_view name, attributes, children;
};

// As of NCCL 2.30.7 (src/graph/xml.cc, topo.cc) and RCCL. `keep`, `gin`, `rma` and `mlopart` steer
// NCCL at run time; `arch` of a GPU is RCCL's, and `sm` there the number of its processors.
constexpr ElementKind kElements[] = {
    {"system", " version name ", " cpu "},
    {"cpu", " numaid affinity arch vendor familyid modelid host_hash ", " pci nic "},
    {"pci", " busid class vendor device subsystem_vendor subsystem_device link_speed link_width ",
     " pci gpu nic pcilink "},
    {"gpu", " dev sm rank gdr gcn arch mlopart keep ", " nvlink xgmi c2c "},
    {"nic", "", " net "},
    {"net", " name dev speed port latency guid maxconn gdr coll net gin rma keep ", ""},
    {"nvlink", " target count tclass ", ""},
    {"xgmi", " target count tclass ", ""},
    {"c2c", " bw count ", ""},
    {"pcilink", " target ", ""},
};

bool lists(std::string_view names, std::string_view name) {
  return name.find(' ') == std::string_view::npos &&
         names.find(fmt::format(" {} ", name)) != std::string_view::npos;
}

// One walk through the elements; each unknown name is noted once.
class Unread {
 public:
  explicit Unread(const XmlFile& file) : file_(file) {}

  void visit(const pugi::xml_node& node) {
    const auto* kind =
        std::ranges::find(kElements, std::string_view(node.name()), &ElementKind::name);
    if (kind == std::end(kElements)) return;
    for (const auto& attribute : node.attributes())
      if (!lists(kind->attributes, attribute.name()))
        note(node, fmt::format("Attribute {} of <{}>", shown_text(attribute.name()), kind->name));
    for (const auto& child : node.children()) {
      if (lists(kind->children, child.name()))
        visit(child);
      else
        note(child, fmt::format("Element <{}> in <{}>", shown_text(child.name()), kind->name));
    }
  }
  std::vector<std::string> take() { return std::move(sentences_); }

 private:
  void note(const pugi::xml_node& node, const std::string& what) {
    if (noted_.size() >= kMaxSentences || !noted_.insert(what).second) return;
    sentences_.push_back(
        fmt::format("{} is not read (first on line {}).", what, file_.line_of(node)));
  }

  const XmlFile& file_;
  std::set<std::string> noted_;
  std::vector<std::string> sentences_;
};

}  // namespace

std::vector<std::string> unread_parts(const XmlFile& file, pugi::xml_node root) {
  Unread unread(file);
  unread.visit(root);
  return unread.take();
}

}  // namespace linerate::topo
