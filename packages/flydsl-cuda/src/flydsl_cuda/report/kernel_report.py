"""What the assembler said and the listing shows of a code object's kernels: `KernelReport`s."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from flydsl.base.errors import CompileError
from flydsl.plugins import KernelReport, widest_accesses
from flydsl_cuda.code_object import CodeObject
from flydsl_cuda.ptxas import Resources
from flydsl_cuda.report.classes import CLASSES, access_of, class_of
from flydsl_cuda.report.sass import Body, disassemble, functions, loops

_WAITS = ("MEMBAR.ALL.GPU", "MEMBAR.SC.GPU", "ERRBAR", "CCTL.IVALL")
"""What a loop that runs at full speed has none of."""


def code_reports(code: CodeObject, kernels: Sequence[str]) -> tuple[KernelReport, ...]:
    """Of `kernels`, in this order; CompileError for one of which nothing is known."""
    if missing := [name for name in kernels if name not in code.kernels]:
        raise CompileError(
            f"nothing is known of the machine code of {missing[0]!r}: it was made without ptxas; "
            "pip install 'flydsl-cuda[ptxas]'"
        )
    listing = disassemble(code.cubin)
    bodies = functions(listing) if listing else {}
    own = code.shared_blocks
    return tuple(_report(name, code.kernels[name], bodies.get(name), own.get(name, 0)) for name in kernels)


def _report(name: str, found: Resources, body: Body | None, dynamic: int) -> KernelReport:
    classes = [class_of(one.name) for one in body or ()]
    return KernelReport(
        name=name,
        instructions={kind: classes.count(kind) for kind in CLASSES} if body else {},
        registers={"GPR": found.registers},
        spills={"store bytes": found.spill_stores, "load bytes": found.spill_loads},
        memory={"shared": found.shared + dynamic, "stack": found.stack},
        widest=widest_accesses(access_of(one.name) for one in body or ()),
        notes=tuple(_notes(body)),
    )


def _notes(body: Body | None) -> Iterator[str]:
    if body is None:
        yield "instructions are not counted: there is no nvdisasm; pip install 'flydsl-cuda[report]'."
        return
    if slow := sorted({one.name for loop in loops(body) for one in loop if one.name.startswith(_WAITS)}):
        yield f"a loop waits for the whole device's memory: {', '.join(slow)}."
    if any(one.name.startswith("CALL") for one in body):
        yield "subroutines, such as of an exact division, are counted with the kernel."
