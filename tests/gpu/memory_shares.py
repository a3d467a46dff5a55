"""What memcpy_perf measured on GPU 0 as a share of its data sheet, beside PyTorch's copy.

memory_shares.py FILE.jsonl. Exit code 1 if a figure is more than the hardware can do.
"""

import json
import sys
from pathlib import Path

# GB/s of memory (read plus written) and of the link to the host, one way: NVIDIA's data sheets of
# H100 SXM and H200; PCI Express 5.0 x16 is 32 GT/s x 16 lanes x 128/130.
DATA_SHEETS = {"NVIDIA H100 80GB HBM3": (3352.0, 63.0), "NVIDIA H200": (4800.0, 63.0)}
COPIES = 20


def limit_of(test: str, memory: float, link: float) -> tuple[float, str]:
    if test.startswith("local"):
        return memory, "memory"
    return (2 * link, "PCIe, both ways") if "bidir" in test else (link, "PCIe")


def torch_copy_gbps(nbytes: int) -> float | None:
    """Bytes read plus bytes written by PyTorch's copy within the GPU; None without PyTorch."""
    try:
        import torch
    except ImportError:
        return None
    source = torch.zeros(nbytes, dtype=torch.uint8, device="cuda")
    copy = torch.empty_like(source)
    begin, end = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
    copy.copy_(source)
    begin.record()
    for _ in range(COPIES):
        copy.copy_(source)
    end.record()
    end.synchronize()
    return 2 * COPIES * nbytes / begin.elapsed_time(end) / 1e6


def text_of(test: str, gbps: float, limit: tuple[float, str] | None) -> str:
    if limit is None:
        return f"{test:<20} {gbps:>8.1f} GB/s"
    share = gbps / limit[0]
    mark = "  <- more than it can be" if share > 1 else ""
    return f"{test:<20} {gbps:>8.1f} GB/s  {share:>6.1%} of {limit[0]:.0f} ({limit[1]}){mark}"


def main() -> int:
    lines = [json.loads(line) for line in Path(sys.argv[1]).read_text().splitlines()]
    gpu = next(line for line in lines if line["kind"] == "run")["ranks"][0]["device_name"]
    results = [line for line in lines if line["kind"] == "result" and line["group"] == 0]
    sheet = DATA_SHEETS.get(gpu)
    print(f"{gpu}: " + ("median of each test" if sheet else "no data sheet is known here"))

    figures = {line["case"]["collective"].removeprefix("memcpy_"): line["busbw_gbps"]
               for line in results}
    nbytes = max((line["case"]["bytes"] for line in results), default=0)
    torch_gbps = torch_copy_gbps(nbytes) if results else None
    if torch_gbps is not None:
        figures["local (PyTorch)"] = torch_gbps
    impossible = 0
    for test, gbps in figures.items():
        limit = limit_of(test, *sheet) if sheet else None
        impossible += limit is not None and gbps > limit[0]
        print(text_of(test, gbps, limit))
    if torch_gbps is not None and "local_ce" in figures:
        share = figures["local_ce"] / torch_gbps
        print(f"local_ce is {share:.3f} of PyTorch's copy, {nbytes} bytes each")
    return 0 if results and not impossible else 1


if __name__ == "__main__":
    sys.exit(main())
