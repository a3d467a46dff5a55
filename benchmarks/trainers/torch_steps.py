"""Steps of PyTorch's training on the CPU: what pytorch.py starts, one process for each rank.

torch_steps.py MODEL CHECKPOINT DATA BATCH STEPS: goes on from the checkpoint, with all sequences
of DATA in each step; prints a line of JSON for each. With RANK and WORLD_SIZE in its environment
it is a rank of DistributedDataParallel over Gloo.
"""

from __future__ import annotations

import json
import os
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import torch
from decoder import Decoder
from saved import Saved, read_saved
from shapes import SHAPES
from torch import distributed
from torch.nn.parallel import DistributedDataParallel

LR, DECAY, BETAS, EPSILON, CLIP = 1e-3, 0.1, (0.9, 0.95), 1e-8, 1.0
RANK, NRANKS = int(os.environ.get("RANK", "0")), int(os.environ.get("WORLD_SIZE", "1"))


def optimizer_of(decoder: Decoder, saved: Saved) -> torch.optim.Optimizer:
    """AdamW with the moments of the checkpoint; matrices decay."""
    matrices = [p for p in decoder.values if p.dim() > 1]
    vectors = [p for p in decoder.values if p.dim() == 1]
    optimizer = torch.optim.AdamW(
        [{"params": matrices, "weight_decay": DECAY}, {"params": vectors, "weight_decay": 0.0}],
        lr=LR, betas=BETAS, eps=EPSILON, fused=True)
    for name, parameter in zip(decoder.names, decoder.values, strict=True):
        optimizer.state[parameter] = {
            "step": torch.tensor(float(saved.step)),
            "exp_avg": torch.from_numpy(saved.kinds["m"][name].copy()),
            "exp_avg_sq": torch.from_numpy(saved.kinds["v"][name].copy())}
    return optimizer


def batch_of(path: Path, batch: int, length: int) -> tuple[torch.Tensor, torch.Tensor]:
    """This rank's sequences: bytes, and what follows each."""
    data = torch.frombuffer(bytearray(path.read_bytes()), dtype=torch.uint8).long()
    mine = slice(RANK * batch // NRANKS, (RANK + 1) * batch // NRANKS)
    tokens, targets = (data[i:i + batch * length].view(batch, length)[mine] for i in (0, 1))
    return tokens, targets


def exposed_us(model: torch.nn.Module) -> float:
    """From the end of backward's compute to the end of its last all_reduce, by DDP's own timers:
    of the step before, and 0 in the first."""
    if NRANKS == 1:
        return 0.0
    times = model._get_ddp_logging_data()
    hidden_ns = times.get("backward_compute_comm_overlap_time", 0)
    return 1e-3 * (times.get("backward_comm_time", 0) - hidden_ns)


def steps(model: torch.nn.Module, optimizer: torch.optim.Optimizer,
          batch: tuple[torch.Tensor, torch.Tensor], count: int) -> Iterator[dict]:
    for _ in range(count):
        if NRANKS > 1:
            distributed.barrier()
        start_ns = time.perf_counter_ns()
        optimizer.zero_grad(set_to_none=True)
        loss = model(*batch)
        loss.backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), CLIP)
        optimizer.step()
        mean = loss.detach()
        if NRANKS > 1:
            distributed.all_reduce(mean)
        mean_loss = mean.item() / NRANKS
        step_us = (time.perf_counter_ns() - start_ns) * 1e-3
        yield {"kind": "step", "loss": mean_loss, "step_us": step_us,
               "exposed_us": exposed_us(model)}


def main(words: list[str]) -> None:
    model_name, checkpoint, data, batch, count = words
    torch.set_num_threads(1)
    torch.set_num_interop_threads(1)
    shape = SHAPES[model_name]
    saved = read_saved(Path(checkpoint))
    decoder = Decoder(shape, saved.kinds["master"])
    optimizer = optimizer_of(decoder, saved)
    model: torch.nn.Module = decoder
    if NRANKS > 1:
        distributed.init_process_group("gloo")
        model = DistributedDataParallel(decoder, gradient_as_bucket_view=True)
        model._set_ddp_runtime_logging_sample_rate(1)
    if RANK == 0:
        print(json.dumps({"kind": "run", "torch": torch.__version__}), flush=True)
    for line in steps(model, optimizer, batch_of(Path(data), int(batch), shape.length), int(count)):
        if RANK == 0:
            print(json.dumps(line), flush=True)
    if NRANKS > 1:
        distributed.destroy_process_group()


if __name__ == "__main__":
    main(sys.argv[1:])
