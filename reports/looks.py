"""Colours of charts and pages, for light and dark grounds; all can be told apart when colour-blind.

The colours of curves are those of Okabe and Ito (2008), lightened or darkened for their ground."""

from __future__ import annotations

import math

# Name: (on light, on dark).
COLORS = {
    "ground": ("#ffffff", "#14181d"),
    "panel": ("#f6f7f9", "#1c2229"),
    "text": ("#1b2430", "#e6ebf1"),
    "muted": ("#566273", "#9fabba"),
    "grid": ("#e2e6eb", "#2c343d"),
    "edge": ("#c3cad3", "#46515e"),
    "band": ("#8b95a3", "#8b95a3"),
    "s0": ("#0072b2", "#4aa8e0"),
    "s1": ("#d55e00", "#f08a3c"),
    "s2": ("#007a5a", "#2fbf97"),
    "s3": ("#b0588f", "#df92c3"),
    "s4": ("#3a9bc9", "#8fd3f4"),
    "s5": ("#b07a00", "#e9b44c"),
    "s6": ("#5c4a9e", "#a698e8"),
    "s7": ("#333a44", "#c9d1db"),
    "ok": ("#0a6b52", "#45c9a2"),
    "low": ("#b3400b", "#ff9a5c"),
    "above": ("#6a3d9a", "#c3a1f0"),
    "unsure": ("#6b5a00", "#d9c34a"),
}
NCURVES = 8
# Of a matrix: the best cell is light, the worst dark. Their text is dark, then light.
LEVELS = ("#fdf3e3", "#fbe3c0", "#f8cf97", "#f4b76b", "#ea9b45", "#d97f2a", "#bf651c", "#9c4d15",
          "#76380f", "#4f2508")
FIRST_DARK_LEVEL = 6
LEAST_SPAN = 1.25  # best to worst that uses all levels: noise must not look like a fault


def light(name: str) -> str:
    return COLORS[name][0]


def level_of(lag: float, span: float) -> int:
    """Of what is `lag` times slower than the best, where the worst is `span` times slower."""
    part = math.log(max(lag, 1.0)) / math.log(max(span, LEAST_SPAN))
    return min(int(part * len(LEVELS)), len(LEVELS) - 1)


def level_style() -> str:
    """Cells of matrices, the same on light and dark grounds."""
    return "".join(
        f".h{level} {{ background: {color}; fill: {color}; "
        f"color: {'#ffffff' if level >= FIRST_DARK_LEVEL else '#1b2430'}; }}\n"
        for level, color in enumerate(LEVELS)
    )


def variables() -> str:
    """As CSS variables, those of the dark ground where the reader prefers it; print is light."""
    def rule(which: int) -> str:
        return " ".join(f"--{name}: {both[which]};" for name, both in COLORS.items())
    return (f":root {{ color-scheme: light dark; {rule(0)} }}\n"
            f"@media screen and (prefers-color-scheme: dark) {{ :root {{ {rule(1)} }} }}\n"
            f"{level_style()}")


def chart_style(embedded: bool) -> str:
    """The style sheet of charts: by variables within a page, by light colours in a file."""
    def color(name: str) -> str:
        return f"var(--{name})" if embedded else light(name)
    names = "\n".join(f"svg .{name} {{ color: {color(name)}; }}" for name in COLORS)
    return (f"{names}\n"
            ".line { fill: none; stroke: currentColor; stroke-linejoin: round; }\n"
            ".area { fill: currentColor; stroke: none; }\n"
            "svg text { fill: currentColor; font-family: Helvetica, Arial, sans-serif; }\n")
