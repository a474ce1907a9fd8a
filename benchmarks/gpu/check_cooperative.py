"""A cooperative launch on a GPU: as many blocks as it holds at a time wait for one another, and one more is refused.

python benchmarks/gpu/check_cooperative.py                    # where FlyDSL is installed with a compiler
python benchmarks/gpu/check_cooperative.py fill FOLDER        # where there is no GPU: compiles everything into FOLDER,
python benchmarks/gpu/check_cooperative.py run FOLDER         # which this runs where there is no compiler
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parent))

from offline import parser, run_or_fill

THREADS, ROUNDS, RESIDENT = 512, 50, 2048  # threads of a block; barriers; threads that a multiprocessor runs at a time


def meeting() -> Any:
    """The function that launches blocks which read, behind each barrier of the grid, what another one wrote."""
    import flydsl.compiler as flyc
    import flydsl.expr as fx

    def wait_for_all(arrived: Any, target: Any) -> None:
        """All blocks are here, and see what each wrote before."""
        fx.barrier()
        if fx.thread_idx.x == 0:
            fx.atomic_add(arrived, 1, ordering=fx.AtomicOrdering.Release)
            count = fx.generic_load(arrived, memory_order=fx.AtomicOrdering.Acquire)
            while count < target:
                count = fx.generic_load(arrived, memory_order=fx.AtomicOrdering.Acquire)
        fx.barrier()

    @flyc.kernel
    def kernel(values: fx.Tensor, arrived: fx.Tensor) -> None:
        """Every round each block has the number of its neighbour, plus one."""
        block, blocks, counter = fx.block_idx.x, fx.grid_dim.x, fx.get_iter(arrived)
        for turn in range(fx.Int32(ROUNDS)):
            found = values[(block + 1) % blocks, fx.thread_idx.x]
            wait_for_all(counter, (2 * turn + 1) * blocks)
            values[block, fx.thread_idx.x] = found + 1
            wait_for_all(counter, (2 * turn + 2) * blocks)

    @flyc.jit
    def meet(values: fx.Tensor, arrived: fx.Tensor, blocks: fx.Int32) -> None:
        kernel(values, arrived).launch(grid=blocks, block=THREADS, cooperative=True)

    return meet


def main() -> int:
    return run_or_fill(parser(__doc__), run, compile_cases)


def compile_cases(given: argparse.Namespace) -> None:
    """The kernel."""
    from memory import Memory

    import flydsl.compiler as flyc

    values = flyc.from_dlpack(Memory((8, THREADS), "int32")).mark_shape_dynamic(dims=[0])
    meeting()(values, Memory((1,), "int32"), 8)


def run(given: argparse.Namespace) -> int:
    """Print what was found; the number of things that are wrong."""
    import torch

    multiprocessors = torch.cuda.get_device_properties(0).multi_processor_count
    most = multiprocessors * RESIDENT // THREADS
    is_right = meets(most)
    print(f"{most} blocks of {THREADS} threads, {2 * ROUNDS} barriers of the grid: {'right' if is_right else 'WRONG'}")
    refusal = ""
    try:
        meets(most + 1)
    except Exception as error:
        refusal = " ".join(str(error).split())
    print(f"{most + 1} blocks: {refusal[:200] or 'WRONG: not refused'}")
    return (not is_right) + (not refusal)


def meets(blocks: int) -> bool:
    """Whether every block ends with what blocks before it had."""
    import torch
    from memory import Memory

    import flydsl.compiler as flyc

    values = torch.randint(0, 1000, (blocks, THREADS), dtype=torch.int32, device="cuda")
    expected = torch.roll(values, -ROUNDS, 0) + ROUNDS
    arrived = torch.zeros(1, dtype=torch.int32, device="cuda")
    torch.cuda.synchronize()
    meeting()(flyc.from_dlpack(Memory.of(values)).mark_shape_dynamic(dims=[0]), Memory.of(arrived), blocks)
    torch.cuda.synchronize()
    return torch.equal(values, expected)


if __name__ == "__main__":
    sys.exit(main())
