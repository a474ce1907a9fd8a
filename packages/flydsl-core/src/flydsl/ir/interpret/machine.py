"""Execution of a traced module: its host function and the kernels that it launches, block by block."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation

from flydsl.base.errors import FlyDSLError, IRError, KernelError
from flydsl.base.launch_limits import LaunchLimits
from flydsl.ir.gpu_ops import LAUNCH_FLAGS, GPUFuncOp
from flydsl.ir.interpret.fly_operations import shared_memory
from flydsl.ir.interpret.handler import Action, numbers_of
from flydsl.ir.interpret.interpreter import HANDLERS
from flydsl.ir.interpret.memory import Memory
from flydsl.ir.interpret.poison import defined
from flydsl.ir.interpret.program import Program, translate
from flydsl.ir.interpret.schedule import Crew
from flydsl.ir.interpret.thread import Block, Thread
from flydsl.ir.location import get_location

Three = tuple[int, int, int]

_MOST_EXTENT = (1 << 32) - 1
"""Blocks and threads along a side, as launchers have them."""


class Machine:
    """Runs the host function of a module; `memories` are those of its tensor arguments, by address."""

    def __init__(
        self, module: ModuleOp, wave: int, memories: Sequence[Memory], limits: LaunchLimits | None = None
    ) -> None:
        self._limits = limits or LaunchLimits()
        self._functions = {
            op.get_attr_or_prop("sym_name").data: op  # type: ignore[union-attr]
            for op in module.walk()
            if op.name in ("func.func", "gpu.func")
        }
        self._wave = wave
        self._memories = {memory.base: memory for memory in memories}
        self._programs: dict[str, Program] = {}

    def run(self, name: str, arguments: Sequence[Any]) -> None:
        """Execute the host function `name`."""
        program = translate(self._functions[name], {**HANDLERS, "gpu.launch_func": self._launcher})
        host = Thread((0, 0, 0), 0, Block(), {})
        try:
            program.call(host, *arguments)
        except Exception as error:
            raise _explained(error, program, None) from error.__cause__

    def launch(self, name: str, grid: Three, extent: Three, shared: int, arguments: Sequence[Any]) -> None:
        """Execute a kernel; what happened before it is over."""
        if name not in self._programs:
            self._programs[name] = translate(self._functions[name], HANDLERS)
        program = self._programs[name]
        for shadow in {id(m.shadow): m.shadow for m in self._memories.values() if m.shadow is not None}.values():
            shadow.clear()
        for x, y, z in _indices(grid):
            block = Block((x, y, z), (grid, extent), self._wave, self._memories, self._limits.shared_bytes)
            if shared:
                shared_memory(block, None, shared)
            self._run_block(program, block, arguments)

    def _run_block(self, program: Program, block: Block, arguments: Sequence[Any]) -> None:
        ids = {"gpu.block_id": block.index, "gpu.block_dim": block.extent, "gpu.grid_dim": block.grid}
        for linear, index in enumerate(_indices(block.extent)):
            block.threads.append(Thread(index, linear, block, {**ids, "gpu.thread_id": index}))
        if program.waits:
            Crew(program, block, arguments, _explained).run()
            return
        for thread in block.threads:
            try:
                program.call(thread, *arguments)
            except Exception as error:
                raise _explained(error, program, thread) from error.__cause__

    def _launcher(self, op: Operation) -> Action:
        """`gpu.launch_func`: tokens, six sizes, optionally shared memory, then the arguments."""
        name = op.properties["kernel"].nested_references.data[-1].data  # type: ignore[attr-defined]
        segments = numbers_of(op, "operandSegmentSizes")
        first = segments[0]
        start = sum(segments[:10])
        count = segments[10]
        if segments[7]:
            raise IRError(f"kernel {name!r} is launched in clusters of blocks, which the interpreter does not have")
        if LAUNCH_FLAGS in op.attributes:
            raise IRError(
                f"kernel {name!r} is launched cooperatively or with use_pdl, which the interpreter does not have"
            )

        def launch(host: Thread, *operands: Any) -> None:
            sizes = [defined(size, "the size of a launch is decided") for size in operands[first : first + 6]]
            if min(sizes) < 0:
                raise KernelError(f"kernel {name!r} is launched with a negative size: {tuple(sizes)}")
            if 0 in sizes[3:] and 0 not in sizes[:3]:
                raise KernelError(f"kernel {name!r} is launched with blocks of no threads: {tuple(sizes[3:])}")
            if max(sizes) > _MOST_EXTENT:
                raise KernelError(f"kernel {name!r} is launched with a size beyond 32 bits: {tuple(sizes)}")
            shared = operands[start] if count else 0
            if (wrong := self._limits.exceeded(tuple(sizes[:3]), tuple(sizes[3:]), shared)) is not None:
                raise KernelError(f"kernel {name!r}: {wrong}")
            kernel = self._functions[name]
            made = kernel.known_block_size if isinstance(kernel, GPUFuncOp) else None
            if made is not None and (*made, 1, 1)[:3] != tuple(sizes[3:]) and 0 not in sizes[:3]:
                text = f"is made for blocks of {made} threads, and launched with blocks of {tuple(sizes[3:])}"
                raise KernelError(f"kernel {name!r} {text}")
            rest = operands[start + count : start + count + segments[11]]
            self.launch(name, tuple(sizes[:3]), tuple(sizes[3:]), shared, rest)

        return launch


def _indices(extents: Three) -> Iterator[Three]:
    """All indices, x first, one by one: a grid may have more than memory holds."""
    return ((x, y, z) for z in range(extents[2]) for y in range(extents[1]) for x in range(extents[0]))


def _explained(error: Exception, program: Program, thread: Thread | None, op: Operation | None = None) -> Exception:
    """The error with the kernel, the thread and the user's line."""
    op = op or program.operation_at(error.__traceback__)
    if op is not None and op.name == "fly.breakpoint":
        return error  # of the debugger, as when it is left
    if not isinstance(error, FlyDSLError):
        if thread is None and not isinstance(error, ArithmeticError | LookupError | TypeError | ValueError):
            return error
        made = IRError(f"{op.name if op is not None else program.name} failed: {type(error).__name__}: {error}")
        made.__cause__ = error
        error = made
    if getattr(error, "explained", False):
        return error
    error.explained = True  # type: ignore[attr-defined]
    if error.location is None and op is not None:
        error.location = get_location(op)
    if thread is None:
        return error
    if isinstance(error, KernelError):
        error.kernel, error.block, error.thread = program.name, thread.block.index, thread.index
    where = f"kernel {program.name!r}, block {thread.block.index}, thread {thread.index}"
    error.amend(before=f"{where}: ")
    return error
