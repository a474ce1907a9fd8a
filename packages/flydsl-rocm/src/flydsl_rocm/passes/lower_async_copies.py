"""Asynchronous copies from memory to LDS on gfx950, with the marks and waits that complete them.

LLVM 22 has no asynchronous form of these copies: of its own it makes every read of LDS wait for the copies before it.
So they are inline assembly, of which it only knows that memory changes: nothing that accesses memory is moved past a
copy or a wait, and no wait of its own counts them. A wait that LLVM inserts for other loads waits for copies behind
them too: loads return in order, and more are outstanding than it counts.

A wait is an `s_waitcnt vmcnt(n)` where n is the number of copies behind the mark on the way with the fewest. Other
accesses of memory behind it let it wait for more than was asked.

What an instruction takes from scalar registers has to be the same in all threads of a wave. Where that is not known of
a resource or an offset, the copies of the kernel are those that LLVM waits for, and a wait is for everything, as it is
in a kernel without marks.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from xdsl.dialects import llvm
from xdsl.dialects.builtin import IntegerAttr, IntegerType, StringAttr, UnitAttr, VectorType, i32
from xdsl.ir import Attribute, Operation, SSAValue

from flydsl.backend.llvm import LLVMBuilder
from flydsl.backend.passes import KernelPass
from flydsl.backend.rewriting import erase, operations
from flydsl.backend.value_ranges import constant_of
from flydsl_rocm.lowering.shared_values import SharedValues

FROM_BUFFER, FROM_GLOBAL = "rocdl.raw.ptr.buffer.load.async.lds", "rocdl.global.load.async.lds"
"""What the conversion of atoms leaves: (resource, LDS, size, offset, soffset, immediate, cache), and (global, LDS)."""
MARK, WAIT = "rocdl.asyncmark", "rocdl.wait.asyncmark"
COUNT = "count"
"""The attribute of a wait: how many of the newest groups may be outstanding."""
_COPIES = (FROM_BUFFER, FROM_GLOBAL)
_WORDS = {4: "dword", 12: "dwordx3", 16: "dwordx4"}
_MOST = 63  # that a wait can leave outstanding
_IMMEDIATES = 1 << 12
_HAZARD = "s_nop 4\n"
"""Cycles behind writes of M0 by the scalar unit and of scalar registers by the vector unit: LLVM does not look here."""
_Position: TypeAlias = tuple[Operation | None, int, int]
"""An operation to look at, the marks that are still to pass, and the copies behind it."""


@dataclass(frozen=True)
class LowerAsyncCopies(KernelPass):
    """Copies from memory to LDS that do not wait, and the waits for them, as instructions."""

    name = "rocdl-lower-async-copies"

    def rewrite(self, kernel: Operation) -> None:
        """Change one function of the device, in place."""
        lower_async_copies(kernel)


def lower_async_copies(kernel: Operation) -> None:
    """Replace the copies, marks and waits of a kernel."""
    found = operations(kernel, (*_COPIES, MARK, WAIT))
    if not found:
        return
    shared = SharedValues()
    copies = [op for op in found if op.name in _COPIES]
    is_async = all(_is_scalar(op, shared) for op in copies)
    is_counted = is_async and any(op.name == MARK for op in found)
    for op in found:
        if op.name == WAIT:
            left = _outstanding(op) if is_counted else 0
            if left is not None:
                _assembly(LLVMBuilder.before_op(op), f"s_waitcnt vmcnt({left})", (), "~{memory}")
    for op in found:
        if op.name in _COPIES:
            (_copy if is_async else _synchronous)(op)
        erase(op)


def _is_scalar(op: Operation, shared: SharedValues) -> bool:
    if op.name == FROM_GLOBAL:
        return True
    resource, _, _, _, scalar, immediate, _ = op.operands
    number = constant_of_state(immediate)
    return shared.has(_field(resource)) and shared.has(scalar) and number is not None and 0 <= number < _IMMEDIATES


def _copy(op: Operation) -> None:
    build = LLVMBuilder.before_op(op)
    if op.name == FROM_GLOBAL:
        address, lds = op.operands
        size = op.attributes["size"]
        assert isinstance(size, IntegerAttr)
        text = f"global_load_lds_{_WORDS[size.value.data]} $1, off"
        _assembly(build, _HAZARD + text, (_lds_base(build, lds), address), "{m0},v,~{memory}")
        return
    resource, lds, bytes_, offset, scalar, immediate, _ = op.operands
    words = _WORDS[constant_of_state(bytes_) or 0]
    bits = build.value(llvm.PtrToIntOp, (resource,), IntegerType(128))
    vector = build.bitcast(bits, VectorType(i32, [4]))
    text = f"buffer_load_{words} $1, $2, $3 offen offset:{constant_of_state(immediate)} lds"
    _assembly(build, _HAZARD + text, (_lds_base(build, lds), offset, vector, scalar), "{m0},v,s,s,~{memory}")


def _synchronous(op: Operation) -> None:
    build = LLVMBuilder.before_op(op)
    build.raw(op.name.replace(".async", ""), tuple(op.operands), (), dict(op.attributes))


def _lds_base(build: LLVMBuilder, pointer: SSAValue) -> SSAValue:
    """What M0 gets: the address that the first thread has; the others' data follow."""
    address = build.value(llvm.PtrToIntOp, (pointer,), i32)
    return build.raw("rocdl.readfirstlane", (address,), (i32,)).results[0]


def _assembly(build: LLVMBuilder, text: str, operands: Sequence[SSAValue], constraints: str) -> None:
    properties: dict[str, Attribute] = {
        "asm_string": StringAttr(text),
        "constraints": StringAttr(constraints),
        "has_side_effects": UnitAttr(),
    }
    build.create(llvm.InlineAsmOp, operands, (), properties=properties)


def constant_of_state(value: SSAValue) -> int | None:
    """The constant that a field of an atom's state was set to, or that a value is; None where it is none."""
    return constant_of(_field(value))


def _field(value: SSAValue) -> SSAValue:
    """What a field of a struct was set to, where that can be seen; else the value itself."""
    while isinstance(value.owner, llvm.ExtractValueOp):
        struct, position = value.owner.container, value.owner.position
        while isinstance(struct.owner, llvm.InsertValueOp) and struct.owner.position != position:
            struct = struct.owner.container
        if not isinstance(struct.owner, llvm.InsertValueOp):
            break
        value = struct.owner.value
    return value


def _outstanding(wait: Operation) -> int | None:
    """The copies that a wait may leave outstanding; None where no group is complete on any way to it."""
    count = wait.attributes[COUNT]
    assert isinstance(count, IntegerAttr)
    seen: set[tuple[int, int, int]] = set()
    least: int | None = None
    pending: list[_Position] = list(_before(wait, count.value.data, 0))
    while pending:
        op, marks, copies = pending.pop()
        if op is None or (id(op), marks, copies) in seen:
            continue
        seen.add((id(op), marks, copies))
        if op.name == MARK and marks == 0:
            least = copies if least is None else min(least, copies)
            continue
        marks -= op.name == MARK
        copies = min(copies + (op.name in _COPIES), _MOST)
        ends = [(block.last_op, marks, copies) for region in op.regions for block in region.blocks]
        pending += ends
        if op.name != "scf.if" or len(ends) < 2:  # else one of its branches was executed
            pending += _before(op, marks, copies)
    return least


def _before(op: Operation, marks: int, copies: int) -> Iterator[_Position]:
    """What may have been executed last before `op`: the operation in front of it, or in front of what it is in.

    In a loop that may be the end of the loop's body too. A way that no execution takes lets a wait be for more.
    """
    if op.prev_op is not None:
        yield op.prev_op, marks, copies
        return
    parent = op.parent_op()
    if parent is None or parent.name == "gpu.func":
        return
    if parent.name in ("scf.for", "scf.while"):
        for region in parent.regions:
            yield from ((block.last_op, marks, copies) for block in region.blocks)
    yield from _before(parent, marks, copies)
