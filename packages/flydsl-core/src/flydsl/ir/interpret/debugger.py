"""Debugging at a kernel's `breakpoint()`: a frame with the kernel's variables for one thread.

The frame is synthetic: it stands at the user's line, has the kernel's name, and its local variables are
those of the kernel, with the values that they have in this thread. Assigning to them changes nothing in the kernel.
"""

from __future__ import annotations

import ast
import pdb
import sys
from collections.abc import Mapping, Sequence
from types import CodeType, SimpleNamespace
from typing import Any

from flydsl.base.location import Location
from flydsl.ir.interpret.thread import Thread


class Shown(str):
    """Text that a debugger shows as it is."""

    __slots__ = ()

    def __repr__(self) -> str:
        return str(self)


def stop(
    location: Location | None, name: str, thread: Thread, expressions: Mapping[str, CodeType], values: Sequence[Any]
) -> None:
    """Enter the debugger: `sys.breakpointhook` where somebody set one, else pdb."""
    namespace = {"v": values, "Shown": Shown, "SimpleNamespace": SimpleNamespace}
    variables: dict[str, Any] = {"thread_idx": thread.index, "block_idx": thread.block.index}
    variables |= {name: eval(code, namespace) for name, code in expressions.items()}
    names = {"__name__": "__kernel__", "__flydsl_stop__": _hook()}
    exec(_frame_code(location or Location("<kernel>", 1), name), names, variables)


def _hook() -> Any:
    """A replaced hook takes the frame that calls it, and so does ours."""
    if sys.breakpointhook is not sys.__breakpointhook__:
        return sys.breakpointhook
    return lambda: pdb.Pdb(skip=["flydsl.*"]).set_trace(sys._getframe(1))


def _frame_code(location: Location, name: str) -> CodeType:
    """Code that calls the hook, and then is at the user's line, where a debugger stops."""
    tree = ast.parse("__flydsl_stop__()\n__name__")
    call, here = tree.body
    for node in ast.walk(call):
        if hasattr(node, "lineno"):
            node.lineno = node.end_lineno = location.line - 1  # type: ignore[attr-defined]
    for node in ast.walk(here):
        if hasattr(node, "lineno"):
            node.lineno = node.end_lineno = location.line  # type: ignore[attr-defined]
    return compile(tree, location.file, "exec").replace(co_name=name, co_qualname=name)
