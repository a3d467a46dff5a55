// Maps with variables as keys, lists of name and value, and NAME=VALUE in any text of a document.
#include "base/text.h"
#include "diagnose/env/sources.h"
#include "yaml/document.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

namespace linerate::env {
namespace {

constexpr int kMostNodes = 200'000;  // aliases make a small file a tree of any size

class Document {
 public:
  Document(std::string_view file, int first_line, int& scope, std::vector<Setting>& settings)
      : file_(file), first_line_(first_line), scope_(scope), settings_(settings) {}

  bool is_too_large() const { return nodes_ > kMostNodes; }

  void visit(const YAML::Node& node) {
    if (++nodes_ > kMostNodes) return;
    if (node.IsMap()) return visit_map(node);
    if (node.IsSequence()) return visit_list(node);
    if (node.IsScalar()) visit_text(node);
  }

 private:
  static std::optional<std::string> scalar(const YAML::Node& node) {
    return node.IsDefined() && node.IsScalar() ? std::optional(node.Scalar()) : std::nullopt;
  }
  // Kubernetes' {name: N, value: V}.
  static bool is_pair(const YAML::Node& node) {
    return node.IsMap() && scalar(node["name"]).has_value() && node["value"].IsDefined();
  }

  void add(const std::string& name, const YAML::Node& value, int scope) {
    if (family_of(name) == nullptr) return;
    const auto text = scalar(value);
    settings_.push_back({.name = name,
                         .value = text.value_or(""),
                         .where = where(value.IsDefined() ? value : YAML::Node()),
                         .computed = !text || text->find('$') != std::string::npos,
                         .scope = scope});
  }

  void visit_map(const YAML::Node& map) {
    const int scope = ++scope_;
    if (is_pair(map)) return add(map["name"].Scalar(), map["value"], scope);
    for (const auto& entry : map) {
      const auto key = scalar(entry.first);
      const bool names = key && family_of(*key) != nullptr && !entry.second.IsMap();
      if (names)
        add(*key, entry.second, scope);
      else
        visit(entry.second);
      if (is_too_large()) return;
    }
  }

  void visit_list(const YAML::Node& list) {
    const int scope = ++scope_;
    for (const auto& item : list) {
      const auto before = settings_.size();
      visit(item);
      // Its pairs and texts are of one process; what is nested deeper has scopes of its own.
      if (is_pair(item) || item.IsScalar())
        for (auto i = before; i < settings_.size(); ++i) settings_[i].scope = scope;
      if (is_too_large()) return;
    }
  }

  // Commands and their arguments. A block begins below its mark.
  void visit_text(const YAML::Node& node) {
    const int scope = ++scope_;
    const auto& text = node.Scalar();
    const int below = text.find('\n') == std::string::npos ? 0 : 1;
    for (auto& setting : read_shell(file_, text, first_line_ + node.Mark().line + below)) {
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
    document.visit(*root);
    if (document.is_too_large())
      return Failure{fmt::format(": it has more than {} values.", kMostNodes)};
  }
  return settings;
}

}  // namespace linerate::env
