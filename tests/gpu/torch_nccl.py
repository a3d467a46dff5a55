"""One all_reduce of one rank through PyTorch: whether NCCL works on this machine at all."""

import tempfile

import torch
import torch.distributed as dist


def main() -> None:
    with tempfile.NamedTemporaryFile() as meeting_point:
        dist.init_process_group("nccl", init_method=f"file://{meeting_point.name}",
                                rank=0, world_size=1, device_id=torch.device("cuda:0"))
        values = torch.ones(4, device="cuda")
        dist.all_reduce(values)
        torch.cuda.synchronize()
        right = values.tolist() == [1.0] * 4
        version = ".".join(map(str, torch.cuda.nccl.version()))
        print(f"PyTorch {torch.__version__}, NCCL {version} on {torch.cuda.get_device_name()}: "
              f"all_reduce is {'right' if right else f'wrong: {values.tolist()}'}")
        dist.destroy_process_group()


if __name__ == "__main__":
    main()
