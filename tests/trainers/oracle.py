"""Decoders in NumPy float64, from the formulas: logits, losses and gradients of both styles.

Each layer yields its result and a function from that result's gradient to those of its inputs.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np
from oracle_functions import attention, cross_entropy, gelu, swiglu

EPSILON = 1e-5
Array = np.ndarray
Backward = Callable[[Array], Array]


@dataclass
class Decoder:
    """`values` by name; `run` fills `gradients`, which are those of the sum of the losses."""

    llama: bool
    layers: int
    heads: int
    kv_heads: int
    values: dict[str, Array]
    masks: Array  # of the embeddings, then of attention and the MLP of each block
    gradients: dict[str, Array] = field(init=False)

    def __post_init__(self) -> None:
        self.gradients = {name: np.zeros_like(value) for name, value in self.values.items()}

    def linear(self, name: str, x: Array) -> tuple[Array, Backward]:
        weight, bias = self.values[f"{name}.weight"], self.values.get(f"{name}.bias")

        def backward(dy: Array) -> Array:
            self.gradients[f"{name}.weight"] += np.einsum("bso,bsi->oi", dy, x)
            if bias is not None:
                self.gradients[f"{name}.bias"] += dy.sum((0, 1))
            return dy @ weight

        return x @ weight.T + (0 if bias is None else bias), backward

    def norm(self, name: str, x: Array) -> tuple[Array, Backward]:
        weight, bias = self.values[f"{name}.weight"], self.values.get(f"{name}.bias")
        centred = x if self.llama else x - x.mean(-1, keepdims=True)
        deviation = np.sqrt((centred**2).mean(-1, keepdims=True) + EPSILON)
        unit = centred / deviation

        def backward(dy: Array) -> Array:
            self.gradients[f"{name}.weight"] += (dy * unit).sum((0, 1))
            if bias is not None:
                self.gradients[f"{name}.bias"] += dy.sum((0, 1))
            du = dy * weight
            dx = (du - unit * (du * unit).mean(-1, keepdims=True)) / deviation
            return dx if self.llama else dx - dx.mean(-1, keepdims=True)

        return unit * weight + (0 if bias is None else bias), backward

    def block(self, layer: int, x: Array) -> tuple[Array, Backward]:
        name = f"block{layer}"
        mask1, mask2 = self.masks[1 + 2 * layer : 3 + 2 * layer]
        y, norm1 = self.norm(f"{name}.norm1", x)
        y, qkv = self.linear(f"{name}.attention.qkv", y)
        y, core = attention(y, self.heads, self.kv_heads, rope=self.llama)
        y, out = self.linear(f"{name}.attention.out", y)
        middle = x + y * mask1
        y, norm2 = self.norm(f"{name}.norm2", middle)
        y, up = self.linear(f"{name}.mlp.{'gate_up' if self.llama else 'up'}", y)
        y, act = (swiglu if self.llama else gelu)(y)
        y, down = self.linear(f"{name}.mlp.down", y)

        def backward(dy: Array) -> Array:
            dmiddle = dy + norm2(up(act(down(dy * mask2))))
            return dmiddle + norm1(qkv(core(out(dmiddle * mask1))))

        return middle + y * mask2, backward

    def run(self, tokens: Array, targets: Array) -> tuple[Array, Array]:
        """Logits and losses of all rows; a negative target does not count."""
        table = self.values["embedding.token.weight"]
        x = table[tokens] + (0 if self.llama else self.values["embedding.position.weight"])
        x = x * self.masks[0]
        steps = []
        for layer in range(self.layers):
            x, step = self.block(layer, x)
            steps.append(step)
        y, norm = self.norm("norm", x)
        logits = y @ table.T
        losses, dlogits = cross_entropy(logits, targets)

        gradient = self.gradients["embedding.token.weight"]
        gradient += np.einsum("bsv,bsh->vh", dlogits, y)
        dx = norm(dlogits @ table)
        for step in reversed(steps):
            dx = step(dx)
        dx = dx * self.masks[0]
        np.add.at(gradient, tokens, dx)
        if not self.llama:
            self.gradients["embedding.position.weight"] += dx.sum(0)
        return logits, losses
