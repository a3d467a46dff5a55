"""What the parameters of the trainers' models do not tell of them."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Shape:
    heads: int
    kv_heads: int
    length: int
    llama: bool = False


SHAPES = {"nano": Shape(4, 4, 128), "micro": Shape(8, 8, 256), "mini": Shape(8, 8, 256),
          "llama-mini": Shape(8, 2, 512, llama=True)}
