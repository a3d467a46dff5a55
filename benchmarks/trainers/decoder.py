"""The trainers' models in PyTorch, as one would write them there: GPT-2 and Llama style decoders.

Parameters have the trainers' names and shapes. Attention is PyTorch's own fused one.
"""

from __future__ import annotations

import numpy as np
import torch
from shapes import Shape
from torch import Tensor, nn
from torch.nn import functional

EPSILON = 1e-5
ROPE_BASE = 10000.0


class Decoder(nn.Module):
    """Yields the mean loss of `targets`."""

    def __init__(self, shape: Shape, values: dict[str, np.ndarray]) -> None:
        super().__init__()
        self.shape = shape
        self.names = list(values)
        self.values = nn.ParameterList(torch.from_numpy(values[name].copy())
                                       for name in self.names)
        self.layers = sum(name.endswith("norm1.weight") for name in self.names)
        half = values["norm.weight"].size // shape.heads // 2
        angles = torch.outer(torch.arange(shape.length),
                             ROPE_BASE ** (-torch.arange(half) / half)).repeat(1, 2)
        self.register_buffer("cosines", angles.cos())
        self.register_buffer("sines", angles.sin())

    def linear(self, of: dict[str, Tensor], name: str, x: Tensor) -> Tensor:
        return functional.linear(x, of[f"{name}.weight"], of.get(f"{name}.bias"))

    def norm(self, of: dict[str, Tensor], name: str, x: Tensor) -> Tensor:
        weight = of[f"{name}.weight"]
        if self.shape.llama:
            return functional.rms_norm(x, weight.shape, weight, EPSILON)
        return functional.layer_norm(x, weight.shape, weight, of[f"{name}.bias"], EPSILON)

    def turned(self, x: Tensor) -> Tensor:
        """Rotary position embedding of pairs (i, i + head / 2)."""
        first, second = x.chunk(2, dim=-1)
        return x * self.cosines + torch.cat((-second, first), dim=-1) * self.sines

    def attention(self, of: dict[str, Tensor], name: str, x: Tensor) -> Tensor:
        batch, length, hidden = x.shape
        heads, kv_heads, width = self.shape.heads, self.shape.kv_heads, hidden // self.shape.heads
        qkv = self.linear(of, f"{name}.qkv", x)
        q, k, v = (part.view(batch, length, -1, width).transpose(1, 2) for part in
                   qkv.split([hidden, kv_heads * width, kv_heads * width], dim=-1))
        if self.shape.llama:
            q, k = self.turned(q), self.turned(k)
            k, v = (part.repeat_interleave(heads // kv_heads, dim=1) for part in (k, v))
        y = functional.scaled_dot_product_attention(q, k, v, is_causal=True)
        return self.linear(of, f"{name}.out", y.transpose(1, 2).reshape(batch, length, hidden))

    def mlp(self, of: dict[str, Tensor], name: str, x: Tensor) -> Tensor:
        if self.shape.llama:
            gate, up = self.linear(of, f"{name}.gate_up", x).chunk(2, dim=-1)
            return self.linear(of, f"{name}.down", functional.silu(gate) * up)
        up = self.linear(of, f"{name}.up", x)
        return self.linear(of, f"{name}.down", functional.gelu(up, approximate="tanh"))

    def forward(self, tokens: Tensor, targets: Tensor) -> Tensor:
        of = dict(zip(self.names, self.values, strict=True))
        table = of["embedding.token.weight"]
        x = functional.embedding(tokens, table)
        if not self.shape.llama:
            x = x + of["embedding.position.weight"]
        for layer in range(self.layers):
            name = f"block{layer}"
            x = x + self.attention(of, f"{name}.attention", self.norm(of, f"{name}.norm1", x))
            x = x + self.mlp(of, f"{name}.mlp", self.norm(of, f"{name}.norm2", x))
        logits = functional.linear(self.norm(of, "norm", x), table)
        return functional.cross_entropy(logits.flatten(0, 1), targets.flatten())
