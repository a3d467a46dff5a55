#!/usr/bin/env python3
"""Tests of the rules that read C++ scopes: mutable state, function length, lines and files."""

from __future__ import annotations

import unittest

from check_layers_test import HEAD, broken


class State(unittest.TestCase):
    def assert_rules(self, body: str, rules: list[str], path: str = "src/base/a.cc") -> None:
        self.assertEqual(broken(path, f"namespace linerate {{\n{body}\n}}\n"), rules, body)

    def test_variables_of_a_namespace_are_state(self) -> None:
        for body in (
            "int calls = 0;",
            "static std::mutex mutex;",
            "thread_local int depth{0};",
            "namespace {\nstd::vector<const char*> names;\n}",
            'const char* name = "x";',
            "std::atomic<bool> stop{false};",
            "inline Level level = Level::info;",
            "struct { int a; } hidden;",
            "constinit int x = 1;",
        ):
            self.assert_rules(body, ["state"])

    def test_constants_functions_and_types_are_not(self) -> None:
        for body in (
            "constexpr int kLimit = 3;",
            'inline constexpr const char* kName = "int x = 0;";',
            "const std::array<const char*, 2> kNames{{}};",
            'const char* const kName = "x";',
            "extern const Collective kAllReduce;",
            "int f(int a = 0);",
            "struct A {\n  int a = 0;\n  static int b();\n  static A make() { return {}; }\n};",
            "enum class Kind : int { a, b };",
            "template <typename T = int>\nstruct B {\n  T value{};\n};",
            "bool operator==(const A& a, const A& b);",
            "A::A() : x_{1}, y_(2) {\n  int local = 0;\n}\nint g() { return 1; }",
            "const auto kRow = [](int n) { return n; };",
            "// int commented = 0;",
            "void f() {\n  static const auto table = make();\n}",
        ):
            self.assert_rules(body, [])

    def test_statics_inside_functions_and_classes_are_state(self) -> None:
        for body in (
            "Log& log() {\n  static Log instance;\n  return instance;\n}",
            "int f() {\n  if (a) {\n    static int next(0);\n  }\n  return 0;\n}",
            "struct A {\n  static inline int count = 0;\n};",
        ):
            self.assert_rules(body, ["state"])

    def test_main_has_one_signal_flag(self) -> None:
        flag = "volatile std::sig_atomic_t interrupted = 0;"
        self.assert_rules(flag, [], "src/commands/program.cc")
        self.assert_rules(f"{flag}\nvolatile std::sig_atomic_t b = 0;", ["state"],
                          "src/commands/program.cc")
        self.assert_rules(flag, ["state"], "src/bench/a.cc")

    def test_a_plugin_entry_has_one_pointer(self) -> None:
        self.assert_rules("Table* table = nullptr;", [], "src/backends/nccl/plugin.cc")


class Sizes(unittest.TestCase):
    def function(self, lines: int) -> str:
        body = "  int x = 0;\n" * (lines - 4)
        before = "struct A {\n  A() : b_{1} {}\n};\n"
        return f"{before}int f(\n    int a) {{\n{body}  return 0;\n}}\n"

    def test_a_function_has_60_lines_from_its_head_to_its_brace(self) -> None:
        self.assertEqual(broken("src/base/a.cc", self.function(60)), [])
        self.assertEqual(broken("src/base/a.cc", self.function(61)), ["function-size"])

    def test_a_test_is_a_function_too(self) -> None:
        body = "TEST(A, B) {\n" + "  f([] { return 1; });\n" * 59 + "}\n"
        self.assertEqual(broken("tests/unit/a.cc", body), ["function-size"])

    def test_a_line_has_100_columns(self) -> None:
        self.assertEqual(broken("src/base/a.h", "// " + "x" * 97 + "\n"), [])
        self.assertEqual(broken("src/base/a.h", "// " + "x" * 98 + "\n"), ["columns"])

    def test_a_file_has_500_lines_and_a_python_file_120(self) -> None:
        self.assertEqual(broken("src/base/a.h", "//\n" * 499), [])
        self.assertEqual(broken("src/base/a.h", "//\n" * 500), ["file-size"])
        self.assertEqual(broken("reports/a.py", "#\n" * 120, "# A.\n"), ["file-size"])


class Reading(unittest.TestCase):
    def test_strings_and_comments_are_not_code(self) -> None:
        body = 'const char* const kA = "{";\n/* { */\nconst char* const kB = R"x({"{)x";\n'
        self.assertEqual(broken("src/base/a.cc", body + "int d = 1'000;\n"), ["state"])

    def test_the_head_of_the_tests_is_clean(self) -> None:
        self.assertEqual(broken("src/base/a.cc", "", HEAD), [])


if __name__ == "__main__":
    unittest.main()
