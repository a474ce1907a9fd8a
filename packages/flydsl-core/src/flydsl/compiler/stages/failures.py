"""The user's lines of failed launches and of failed code generation.

Compiled code keeps no lines, so that it may be moved and shared. When a launch fails, the function is traced again: its
module says where each kernel is launched.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from flydsl.base.errors import CompileError, RuntimeFailure, ToolchainError
from flydsl.base.location import Location, user_location

if TYPE_CHECKING:
    from xdsl.dialects.builtin import ModuleOp
    from xdsl.ir import Operation

    from flydsl.compiler.stages.pipeline import Traced


@contextmanager
def at_launch(trace: Callable[[], Traced]) -> Iterator[None]:
    """Give a failure of a launch its place, and the call that led there: an assertion, else the launch."""
    try:
        yield
    except RuntimeFailure as error:
        if error.location is None:
            places = [place for place in (*_places(error, trace), user_location()) if place is not None]
            error.location, error.callers = next(iter(places), None), places[1:]
        raise


def failed_at(error: CompileError, module: ModuleOp) -> Location | None:
    """The user's line that code generation failed at, from what the toolchain says about `module`.

    A diagnostic in a file of the module says it; else inline assembly that is quoted, or an operation for an intrinsic,
    or a kernel that is named.
    """
    from flydsl.ir.location import get_location

    if not isinstance(error, ToolchainError):
        return _kernel_location(error.kernel, module)
    places = [(op, where) for op in module.walk() if (where := get_location(op)) is not None]
    files = {where.file for _, where in places}
    for found in error.diagnostics:
        if found.file in files:
            return Location(found.file, found.line, max(0, found.column - 1))
    if (quoted := _assembly(str(error), module)) is not None:
        return quoted
    called = {name.split(".", 2)[2] for name in error.symbols if name.startswith("llvm.")}
    located = [where for op, where in places if _intrinsic(op) in called] if called else []
    kernels = (_kernel_location(name, module) for name in (error.kernel, *error.symbols))
    return next(iter(located), None) or next(filter(None, kernels), None)


def _assembly(said: str, module: ModuleOp) -> Location | None:
    """Where the inline assembly stands that LLVM quotes, or whose constraint it names."""
    from flydsl.ir.location import get_location

    lines = [line.strip() for line in said.splitlines()]
    for op in module.walk():
        if op.name != "llvm.inline_asm":
            continue
        text, constraints = (op.properties[name].data for name in ("asm_string", "constraints"))  # type: ignore[attr-defined]
        patterns = [_with_registers(line) for line in re.split(r"[\n;]", text) if line.strip()]
        named = f"'{text}'" in said or any(f"constraint '{c.strip('=&')}'" in said for c in constraints.split(","))
        if named or ("<inline asm>" in said and any(p.fullmatch(line) for p in patterns for line in lines)):
            return get_location(op)
    return None


def _with_registers(line: str) -> re.Pattern[str]:
    """A line of inline assembly, any text in the place of its operands."""
    return re.compile(".+".join(map(re.escape, re.split(r"\$\d+|\$\{[^}]*\}", line.strip()))))


def _kernel_location(name: str, module: ModuleOp) -> Location | None:
    """Where the kernel of that name is defined."""
    from flydsl.ir.location import get_location

    kernels = [op for op in module.walk() if op.name == "gpu.func" and _symbol(op) == name]
    return get_location(kernels[0]) if kernels else None


def _intrinsic(op: Operation) -> str:
    """The intrinsic that an operation stands for, without `llvm.` and the target: dialects name them alike."""
    called = op.properties.get("intrin")
    return called.data.split(".", 2)[-1] if called is not None else op.name.partition(".")[2]  # type: ignore[attr-defined]


def _symbol(op: Operation) -> str:
    return str(op.attributes["sym_name"].data)  # type: ignore[attr-defined]


def _places(error: RuntimeFailure, trace: Callable[[], Traced]) -> list[Location | None]:
    """The assertion that the message tells of, if it does, and the launch."""
    try:
        module = trace().module
    except Exception:  # what the function read has changed since: the message stays as it was
        return []
    return [_assertion(error.args[0], module), _launch(error.kernel, module)]


def _assertion(message: str, module: ModuleOp) -> Location | None:
    """Where the text of an assertion that ends `message` is printed before a trap."""
    from flydsl.ir.fly.attributes import as_python
    from flydsl.ir.location import get_location

    for op in module.walk():
        text = op.get_attr_or_prop("format") if op.name == "fly.print" else None
        after = op.next_op
        if text is None or after is None or after.name != "llvm.intr.trap":
            continue
        if message.endswith(str(as_python(text)).replace("{{", "{").replace("}}", "}")):
            return get_location(op)
    return None


def _launch(kernel: str, module: ModuleOp) -> Location | None:
    """Where `kernel` is launched; the only launch when it has no name."""
    from flydsl.ir.location import get_location

    places: dict[str, list[Location | None]] = {}
    for op in module.walk():
        if op.name == "gpu.launch_func":
            name = op.properties["kernel"].nested_references.data[-1].data  # type: ignore[attr-defined]
            places.setdefault(name, []).append(get_location(op))
    launches = places.get(kernel) or [place for several in places.values() for place in several]
    return launches[0] if len(set(launches)) == 1 else None
