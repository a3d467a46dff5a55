// Maps with variables as keys, lists of name and value, and NAME=VALUE in any text of a document.
#include "base/text.h"
#include "diagnose/env/sources.h"
#include "yaml/document.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace linerate::env {
namespace {

constexpr int kMostNodes = 200'000;  // aliases make a small file a tree of any size

class Document {
 public:
  Document(std::string_view file, int first_line, int& scope, std::vector<Setting>& settings)
      : file_(file), first_line_(first_line), scope_(scope), settings_(settings) {}

  bool is_too_large() const { return nodes_ > kMostNodes; }

  // `scope`: that of the map around it, of a container of Kubernetes for example.
  void visit(const YAML::Node& node, int scope) {
    if (++nodes_ > kMostNodes) return;
    if (node.IsMap()) visit_map(node, scope);
    if (node.IsScalar()) visit_text(node, scope);
    if (!node.IsSequence()) return;
    for (const auto& item : node) {
      visit(item, scope);
      if (is_too_large()) return;
    }
  }

 private:
  static std::string scalar(const YAML::Node& node) {
    return node.IsDefined() && node.IsScalar() ? node.Scalar() : std::string();
  }
  static bool is_variable(const YAML::Node& name) { return family_of(scalar(name)) != nullptr; }

  void add(const YAML::Node& name, const YAML::Node& value, int scope) {
    const bool has_text = value.IsDefined() && value.IsScalar();
    const auto text = scalar(value);
    settings_.push_back({.name = name.Scalar(),
                         .value = text,
                         .where = where(has_text ? value : name),
                         .computed = !has_text || text.find('$') != std::string::npos,
                         .scope = scope});
  }

  // {name: N, value: V} of Kubernetes and AWS and {name: N, valueFrom: ...}, a map of variables, or
  // another.
  void visit_map(const YAML::Node& map, int scope) {
    for (const auto& [name, value] : {std::pair("name", "value"), std::pair("Name", "Value")})
      if (is_variable(map[name]) && (map[value].IsDefined() || map["valueFrom"].IsDefined()))
        return add(map[name], map[value], scope);
    const bool variables =
        std::any_of(map.begin(), map.end(), [](const auto& e) { return is_variable(e.first); });
    const int inner = variables ? scope : ++scope_;
    for (const auto& entry : map) {
      if (is_variable(entry.first) && !entry.second.IsMap())
        add(entry.first, entry.second, inner);
      else
        visit(entry.second, inner);
      if (is_too_large()) return;
    }
  }

  // Commands and their arguments. A block begins below its mark.
  void visit_text(const YAML::Node& node, int scope) {
    const auto& text = node.Scalar();
    const int below = text.find('\n') == std::string::npos ? 0 : 1;
    for (auto& setting : read_shell(file_, text, 1, first_line_ + node.Mark().line + below)) {
      setting.scope = scope;
      settings_.push_back(std::move(setting));
    }
  }

  std::string where(const YAML::Node& node) const {
    return fmt::format("{}:{}", file_, first_line_ + std::max(0, node.Mark().line));
  }

  std::string_view file_;
  int first_line_;
  int& scope_;
  std::vector<Setting>& settings_;
  int nodes_ = 0;
};

bool has_content(std::string_view text) {
  for (const auto& line : split(text, '\n'))
    if (const auto bare = trim(line); !bare.empty() && bare.front() != '#') return true;
  return false;
}

struct Part {
  std::string text{};
  int first_line = 1;
};

// The documents of the file: each begins with a line of three dashes.
std::vector<Part> documents_of(std::string_view text) {
  std::vector<Part> parts(1);
  int number = 0;
  for (const auto& line : split(text, '\n')) {
    ++number;
    if (line == "---" || line.starts_with("--- ") || line == "---\r")
      parts.push_back({.first_line = number + 1});
    else
      parts.back().text += line + '\n';
  }
  return parts;
}

}  // namespace

Result<std::vector<Setting>> read_yaml(std::string_view name, std::string_view text,
                                       int first_scope) {
  std::vector<Setting> settings;
  int scope = first_scope;
  for (const auto& part : documents_of(text)) {
    if (!has_content(part.text)) continue;
    const auto root = yaml::load_document(part.text, kMostFileBytes);
    if (!root)
      return Failure{part.first_line == 1 ? root.sentence()
                                          : fmt::format(", in the document from line {} on{}",
                                                        part.first_line, root.sentence())};
    Document document(name, part.first_line, scope, settings);
    document.visit(*root, ++scope);
    if (document.is_too_large())
      return Failure{fmt::format(": it has more than {} values.", kMostNodes)};
  }
  return settings;
}

}  // namespace linerate::env
