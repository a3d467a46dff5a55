"""The style sheet of pictures: colours for light and dark grounds, and fonts."""

from __future__ import annotations

LIGHT = {"ground": "fill: #ffffff", "numa": "fill: #f4f6f9; stroke: #c5ced9",
         "cpu": "fill: #3a4b61", "switch": "fill: #e2e8ef; stroke: #8d9bad",
         "gpu": "fill: #e4f3d3; stroke: #4d8f16; stroke-width: 1.5",
         "nic": "fill: #dcecfb; stroke: #1d6fb8; stroke-width: 1.5",
         "down": "fill: #fdecea; stroke: #c62828; stroke-width: 1.5", "nvswitch": "fill: #3f7a10",
         "pci": "stroke: #64748b", "nvl": "stroke: #4d8f16", "c2c": "stroke: #c26a00",
         "sys": "stroke: #7c3aed", "link.bad": "stroke: #d32f2f; stroke-dasharray: 7 4",
         "t4": "fill: #4a5665", "alert": "fill: #c62828", "halo": "stroke: #ffffff"}
DARK = {"ground": "fill: #12171e", "numa": "fill: #1b222c; stroke: #3b4858", "cpu": "fill: #50647e",
        "switch": "fill: #2a3542; stroke: #6d7d91", "gpu": "fill: #223516; stroke: #7cc242",
        "nic": "fill: #16304a; stroke: #58a6e8", "down": "fill: #45201f; stroke: #ff6f61",
        "nvswitch": "fill: #4d8f16", "pci": "stroke: #93a3b8", "nvl": "stroke: #7cc242",
        "c2c": "stroke: #f0a040", "sys": "stroke: #b794f6", "link.bad": "stroke: #ff6f61",
        "t4": "fill: #aeb9c7", "alert": "fill: #ff8a80", "halo": "stroke: #12171e"}
# Size of a font in pixels, and how much wider bold letters are.
FONTS = {"t1": (20, 1.08), "t2": (13, 1.08), "t3": (11.5, 1), "t4": (10.5, 1),
         "alert": (10.5, 1.08)}


def style_sheet() -> str:
    def rules(looks: dict[str, str]) -> str:
        return "\n".join(f".{name} {{ {look}; }}" for name, look in looks.items())
    fonts = "\n".join(f".{name} {{ font-size: {size}px;{' font-weight: bold;' * (bold > 1)} }}"
                      for name, (size, bold) in FONTS.items())
    return (f'text {{ font-family: Helvetica, Arial, "Liberation Sans", sans-serif; '
            f"fill: #1b2430; }}\n{fonts}\n.link {{ fill: none; }}\n{rules(LIGHT)}\n"
            ".halo { stroke-width: 3px; paint-order: stroke; }\n"
            "@media (prefers-color-scheme: dark) {\ntext { fill: #e8edf3; }\n"
            f"{rules(DARK)}\n}}\n"
            "text.on { fill: #ffffff; }\n")
