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

// "command", "before_script": below such keys a line of text is a command or NAME=VALUE.
bool is_of_commands(std::string_view key) {
  const auto ends = {"command", "commands", "cmd",        "args",        "arguments", "script",
                     "run",     "options",  "entrypoint", "environment", "env"};
  return std::ranges::any_of(ends, [&](auto end) { return lower(key).ends_with(end); });
}

class Document {
 public:
  Document(std::string_view file, int first_line, int& scope, std::vector<Setting>& settings)
      : file_(file), first_line_(first_line), scope_(scope), settings_(settings) {}

  // What goes on behind the file's name where it was not read whole; empty: it was.
  const std::string& refusal() const { return refusal_; }

  // `scope`: that of the map around it, of a container of Kubernetes for example.
  void visit(const YAML::Node& node, int scope) {
    if (++nodes_ > kMostNodes) refusal_ = fmt::format(": it has more than {} values.", kMostNodes);
    if (depth_ > yaml::kMaxDepth)  // an alias may stand for what is around it
      refusal_ = fmt::format(": maps and lists nest deeper than {}.", yaml::kMaxDepth);
    if (!refusal_.empty()) return;
    ++depth_;
    if (node.IsMap()) visit_map(node, scope);
    if (node.IsScalar()) visit_text(node, scope);
    if (node.IsSequence())
      for (const auto& item : node) visit(item, scope);
    --depth_;
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
        std::ranges::any_of(map, [](const auto& e) { return is_variable(e.first); });
    const int inner = variables ? scope : ++scope_;
    for (const auto& entry : map) {
      if (is_variable(entry.first) && !entry.second.IsMap()) {
        add(entry.first, entry.second, inner);
      } else {
        const bool around = std::exchange(in_command_, is_of_commands(scalar(entry.first)));
        visit(entry.second, inner);
        in_command_ = around;
      }
    }
  }

  // Commands and their arguments, and no prose. A block begins below its mark.
  void visit_text(const YAML::Node& node, int scope) {
    const auto& text = node.Scalar();
    const bool is_block = text.find('\n') != std::string::npos;
    if (!in_command_ && !is_block) return;
    const int line = first_line_ + node.Mark().line + (is_block ? 1 : 0);
    for (auto& setting : read_shell(file_, text, scope_ + 1, line)) {
      scope_ = std::max(scope_, setting.scope);
      put_within(scope, setting);
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
  bool in_command_ = true;
  int nodes_ = 0;
  int depth_ = 0;
  std::string refusal_{};
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
    if (!document.refusal().empty()) return Failure{document.refusal()};
  }
  return settings;
}

}  // namespace linerate::env
