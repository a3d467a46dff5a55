"""What the oracle's decoders apply between their layers, in NumPy float64."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

BASE = 10000.0
Array = np.ndarray
Backward = Callable[[Array], Array]


def rotations(length: int, size: int) -> Array:
    """RoPE, a matrix for each position, which turns pairs (i, i + size / 2)."""
    half = size // 2
    angles = np.outer(np.arange(length), BASE ** (-2 * np.arange(half) / size))
    turns = np.zeros((length, size, size))
    low = np.arange(half)
    turns[:, low, low] = turns[:, low + half, low + half] = np.cos(angles)
    turns[:, low, low + half] = -np.sin(angles)
    turns[:, low + half, low] = np.sin(angles)
    return turns


def attention(joined: Array, heads: int, kv_heads: int, rope: bool) -> tuple[Array, Backward]:
    """Causal, of [queries | keys | values]; query head i reads key and value head i // group."""
    batch, length, width = joined.shape
    size = width // (heads + 2 * kv_heads)
    group = heads // kv_heads
    turn = rotations(length, size) if rope else np.tile(np.eye(size), (length, 1, 1))
    cuts = np.cumsum([heads, kv_heads]) * size
    split = [part.reshape(batch, length, -1, size) for part in np.split(joined, cuts, -1)]
    q, k = (np.einsum("sij,bshj->bhsi", turn, part) for part in split[:2])
    k, v = k.repeat(group, 1), split[2].transpose(0, 2, 1, 3).repeat(group, 1)
    scores = q @ k.swapaxes(-1, -2) / np.sqrt(size)
    scores[..., np.triu(np.ones((length, length), bool), 1)] = -np.inf
    p = np.exp(scores - scores.max(-1, keepdims=True))
    p /= p.sum(-1, keepdims=True)

    def backward(dy: Array) -> Array:
        do = dy.reshape(batch, length, heads, size).transpose(0, 2, 1, 3)
        dp = do @ v.swapaxes(-1, -2)
        ds = p * (dp - (dp * p).sum(-1, keepdims=True)) / np.sqrt(size)
        grouped = (batch, kv_heads, group, length, size)
        dk = (ds.swapaxes(-1, -2) @ q).reshape(grouped).sum(2)
        dv = (p.swapaxes(-1, -2) @ do).reshape(grouped).sum(2)
        dq, dk = (np.einsum("sji,bhsj->bhsi", turn, part) for part in (ds @ k, dk))
        return np.concatenate([part.transpose(0, 2, 1, 3).reshape(batch, length, -1)
                               for part in (dq, dk, dv)], -1)

    return (p @ v).transpose(0, 2, 1, 3).reshape(batch, length, -1), backward


def gelu(x: Array) -> tuple[Array, Backward]:
    """0.5 x (1 + tanh(sqrt(2 / pi) (x + 0.044715 x^3)))."""
    slope = np.sqrt(2 / np.pi)
    tanh = np.tanh(slope * (x + 0.044715 * x**3))

    def backward(dy: Array) -> Array:
        inner = slope * (1 + 3 * 0.044715 * x**2)
        return dy * 0.5 * (1 + tanh + x * (1 - tanh**2) * inner)

    return 0.5 * x * (1 + tanh), backward


def swiglu(x: Array) -> tuple[Array, Backward]:
    """gate * sigmoid(gate) * up, of [gate | up]."""
    gate, up = np.split(x, 2, -1)
    sigmoid = 1 / (1 + np.exp(-gate))

    def backward(dy: Array) -> Array:
        dgate = dy * up * sigmoid * (1 + gate * (1 - sigmoid))
        return np.concatenate([dgate, dy * gate * sigmoid], -1)

    return gate * sigmoid * up, backward


def cross_entropy(logits: Array, targets: Array) -> tuple[Array, Array]:
    """Losses and the gradient of their sum; zeros where the target is negative."""
    shifted = logits - logits.max(-1, keepdims=True)
    log_p = shifted - np.log(np.exp(shifted).sum(-1, keepdims=True))
    counts = targets >= 0
    chosen = np.where(counts, targets, 0)[..., None]
    losses = -np.take_along_axis(log_p, chosen, -1)[..., 0] * counts
    gradient = np.exp(log_p)
    np.put_along_axis(gradient, chosen, np.take_along_axis(gradient, chosen, -1) - 1, -1)
    return losses, gradient * counts[..., None]
