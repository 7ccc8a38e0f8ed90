#!/usr/bin/env python3
"""Measures what `fleetsim calibrate` reads, on the GPUs of this machine, with PyTorch.

    python3 measure.py gemm > gemm.csv              then: fleetsim calibrate gemm gemm.csv
    python3 measure.py kernels > kernels.csv        attention, copy, element-wise, launches
    torchrun --nproc_per_node 8 measure.py collectives > nccl.txt
                                                    then: fleetsim calibrate nccl nccl.txt
"""
import argparse
import os
import socket
import sys

GEMM_ROWS = (64, 512, 2048, 4096, 8192)
GEMM_SHAPES = (  # n, k of the layers of transformers, whole and cut by eight
    (4096, 4096), (12288, 4096), (14336, 4096), (4096, 14336), (28672, 8192), (8192, 28672), (10240, 8192),
    (1280, 8192), (8192, 1024), (7168, 8192), (8192, 3584), (1024, 1024), (16384, 512))
ATTENTION = ((2048, 32, 128), (4096, 32, 128), (8192, 32, 128), (8192, 32, 64))  # tokens, heads, head size
COLLECTIVES = ("all_reduce", "all_gather", "reduce_scatter", "alltoall", "sendrecv")


def stop(message):
    """One line on standard error, and the exit code of bad input."""
    print(f"measure.py: {message}", file=sys.stderr)
    sys.exit(2)


def torch_with_gpu():
    try:
        import torch
    except ImportError:
        stop("PyTorch is not installed; see https://pytorch.org/get-started")
    if not torch.cuda.is_available():
        stop("PyTorch finds no GPU here")
    return torch


# -- What is written: tables that `fleetsim calibrate` reads. ---------------------------------------------------


def gemm_header():
    return "m,n,k,dtype,time_us"


def gemm_line(m, n, k, dtype, seconds):
    return f"{m},{n},{k},{dtype},{seconds * 1e6:.3f}"


def bus_factor(collective, ranks):
    """The share of the message that each rank moves, as nccl-tests has it."""
    if collective == "all_reduce":
        return 2 * (ranks - 1) / ranks
    return 1 if collective == "sendrecv" else (ranks - 1) / ranks


def sweep_header(collective, hosts, devices):
    """`hosts` and `devices` name the host and the GPU of each rank."""
    lines = [f"# Collective test starting: {collective}_perf", "# Using devices"]
    for rank, (host, device) in enumerate(zip(hosts, devices)):
        lines.append(f"#  Rank {rank:2} Group  0 Pid {0:6} on {host:>10} device {rank:2} [0000:00:00] {device}")
    lines.append("#")
    lines.append(f"# {'size':>10}  {'count':>12}  {'type':>8}  {'redop':>6}  {'root':>6}  {'time':>7}  {'algbw':>6}"
                 f"  {'busbw':>6}  #wrong")
    lines.append(f"# {'(B)':>10}  {'(elements)':>12}  {'':>8}  {'':>6}  {'':>6}  {'(us)':>7}  {'(GB/s)':>6}"
                 f"  {'(GB/s)':>6}")
    return "\n".join(lines)


def sweep_line(collective, ranks, size, seconds):
    redop = "sum" if collective in ("all_reduce", "reduce_scatter") else "none"
    algorithm = size / seconds / 1e9
    return (f"{size:12}  {size // 2:12}  {'bfloat16':>8}  {redop:>6}  {-1:6}  {seconds * 1e6:7.2f}"
            f"  {algorithm:6.2f}  {algorithm * bus_factor(collective, ranks):6.2f}     N/A")


# -- How it is measured. ----------------------------------------------------------------------------------------


def timed(torch, work, repeats):
    """Seconds of one call, the median of three rounds after a warm-up."""
    for _ in range(3):
        work()
    rounds = []
    for _ in range(3):
        start, end = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
        torch.cuda.synchronize()
        start.record()
        for _ in range(repeats):
            work()
        end.record()
        torch.cuda.synchronize()
        rounds.append(start.elapsed_time(end) / 1e3 / repeats)
    return sorted(rounds)[1]


def replayed(torch, work, launches):
    """Seconds of one launch out of a CUDA graph of so many."""
    stream = torch.cuda.Stream()
    with torch.cuda.stream(stream):
        work()
    torch.cuda.synchronize()
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        for _ in range(launches):
            work()
    return timed(torch, graph.replay, 5) / launches


def repeats_for(operations):
    """Enough of them for a few milliseconds at the speed of today's devices."""
    return max(3, min(200, int(3e12 / operations)))


def gemm(args):
    torch = torch_with_gpu()
    print(gemm_header())
    for dtype in args.dtype:
        for m in GEMM_ROWS:
            for n, k in GEMM_SHAPES:
                print(gemm_line(m, n, k, dtype, gemm_seconds(torch, dtype, m, n, k)), flush=True)


def gemm_seconds(torch, dtype, m, n, k):
    a = torch.randn(m, k, device="cuda", dtype=torch.bfloat16)
    b = torch.randn(n, k, device="cuda", dtype=torch.bfloat16)
    repeats = repeats_for(2 * m * n * k)
    if dtype == "bf16":
        return timed(torch, lambda: torch.matmul(a, b.t()), repeats)
    if not hasattr(torch, "_scaled_mm") or torch.cuda.get_device_capability() < (8, 9):
        stop("FP8 needs PyTorch 2.4 and a GPU of compute capability 8.9; leave it out with --dtype bf16")
    a8, b8 = a.to(torch.float8_e4m3fn), b.to(torch.float8_e4m3fn)
    one = torch.ones((), device="cuda")
    return timed(torch, lambda: torch._scaled_mm(a8, b8.t(), scale_a=one, scale_b=one, out_dtype=torch.bfloat16),
                 repeats)


def kernels(_args):
    torch = torch_with_gpu()
    import torch.nn.functional as functional

    print("kernel,shape,time_us,rate,unit")

    def show(kernel, shape, seconds, amount, unit):
        print(f"{kernel},{shape},{seconds * 1e6:.3f},{amount / seconds:.1f},{unit}", flush=True)

    for tokens, heads, size in ATTENTION:
        q, k, v = (torch.randn(1, heads, tokens, size, device="cuda", dtype=torch.bfloat16, requires_grad=True)
                   for _ in range(3))
        forward_work = 2 * tokens * tokens * heads * size / 1e12  # two products, half of each masked
        shape = f"{tokens}x{heads}x{size}"
        with torch.no_grad():
            seconds = timed(torch, lambda: functional.scaled_dot_product_attention(q, k, v, is_causal=True), 10)
        show("attention forward", shape, seconds, forward_work, "TFLOP/s")
        out = functional.scaled_dot_product_attention(q, k, v, is_causal=True)
        gradient = torch.randn_like(out)
        seconds = timed(torch, lambda: torch.autograd.grad(out, (q, k, v), gradient, retain_graph=True), 10)
        show("attention backward", shape, seconds, 2.5 * forward_work, "TFLOP/s")

    rows, width = 8192, 8192
    x = torch.randn(rows, width, device="cuda", dtype=torch.bfloat16)
    y = torch.empty_like(x)
    weight = torch.ones(width, device="cuda", dtype=torch.bfloat16)
    moved = 2 * x.numel() / 1e9  # GB, one way
    shape = f"{rows}x{width}"
    show("copy", shape, timed(torch, lambda: y.copy_(x), 20), 2 * moved, "GB/s")
    show("add", shape, timed(torch, lambda: torch.add(x, y, out=y), 20), 3 * moved, "GB/s")
    show("activation", shape, timed(torch, lambda: functional.silu(x), 20), 2 * moved, "GB/s")
    show("norm", shape, timed(torch, lambda: functional.layer_norm(x, (width,), weight), 20), 2 * moved, "GB/s")

    small = torch.zeros(16, device="cuda")
    launches = 200
    show("launch eager", launches, timed(torch, lambda: small.add_(1), launches), 1, "1/s")
    show("launch graph", launches, replayed(torch, lambda: small.add_(1), launches), 1, "1/s")


def collectives(args):
    torch = torch_with_gpu()
    import torch.distributed as distributed

    if "RANK" not in os.environ:
        stop("start it with torchrun, for example: torchrun --nproc_per_node 8 measure.py collectives")
    torch.cuda.set_device(int(os.environ["LOCAL_RANK"]))
    distributed.init_process_group("nccl")
    rank, ranks = distributed.get_rank(), distributed.get_world_size()
    if ranks < 2:
        stop("collectives need at least two GPUs")
    names = [None] * ranks
    distributed.all_gather_object(names, (socket.gethostname(), torch.cuda.get_device_name()))
    for collective in args.collective:
        if rank == 0:
            print(sweep_header(collective, [n[0] for n in names], [n[1] for n in names]))
        size = args.least
        while size <= args.most:
            seconds = collective_seconds(torch, distributed, collective, rank, ranks, size)
            if rank == 0:
                print(sweep_line(collective, ranks, size, seconds), flush=True)
            size *= 2
    distributed.destroy_process_group()


def collective_seconds(torch, distributed, collective, rank, ranks, size):
    """The slowest rank's; `size` as nccl-tests counts it: what is gathered, reduced, scattered or exchanged."""
    count = size // 2
    whole = torch.zeros(count, device="cuda", dtype=torch.bfloat16)
    part = torch.zeros(count // ranks, device="cuda", dtype=torch.bfloat16)
    fitted = whole[:part.numel() * ranks]
    received = torch.zeros_like(fitted)
    ring = [distributed.P2POp(distributed.isend, whole, (rank + 1) % ranks),
            distributed.P2POp(distributed.irecv, torch.zeros_like(whole), (rank - 1) % ranks)]

    def send_and_receive():
        for request in distributed.batch_isend_irecv(ring):
            request.wait()

    work = {"all_reduce": lambda: distributed.all_reduce(whole),
            "all_gather": lambda: distributed.all_gather_into_tensor(fitted, part),
            "reduce_scatter": lambda: distributed.reduce_scatter_tensor(part, fitted),
            "alltoall": lambda: distributed.all_to_all_single(received, fitted),
            "sendrecv": send_and_receive}[collective]
    repeats = 50 if size < 1 << 22 else 20 if size < 1 << 28 else 5
    slowest = torch.tensor([timed(torch, work, repeats)], device="cuda")
    distributed.all_reduce(slowest, op=distributed.ReduceOp.MAX)
    return slowest.item()


def byte_count(text):
    units = {"K": 1 << 10, "M": 1 << 20, "G": 1 << 30}
    digits, unit = (text[:-1], units[text[-1]]) if text and text[-1] in units else (text, 1)
    if not digits.isdigit() or int(digits) == 0:
        raise argparse.ArgumentTypeError(f"expected a size such as 64K or 1G; found \"{text}\"")
    return int(digits) * unit


def parse(words):
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    what = parser.add_subparsers(dest="what", required=True)
    table = what.add_parser("gemm", help="matrix products, as CSV")
    table.add_argument("--dtype", nargs="+", choices=("bf16", "fp8"), default=["bf16"])
    table.set_defaults(run=gemm)
    what.add_parser("kernels", help="attention, copy, element-wise, launches, as CSV").set_defaults(run=kernels)
    sweep = what.add_parser("collectives", help="sweeps under torchrun, laid out as by nccl-tests")
    sweep.add_argument("--collective", nargs="+", choices=COLLECTIVES, default=["all_reduce"])
    sweep.add_argument("--least", type=byte_count, default=1 << 15, metavar="BYTES", help="default 32K")
    sweep.add_argument("--most", type=byte_count, default=1 << 30, metavar="BYTES", help="default 1G")
    sweep.set_defaults(run=collectives)
    return parser.parse_args(words)


if __name__ == "__main__":
    arguments = parse(sys.argv[1:])
    arguments.run(arguments)
