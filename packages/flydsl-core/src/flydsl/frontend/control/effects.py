"""Side effects in traced code: `assert` becomes a device assertion, `print` shows what is known while tracing."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from flydsl.base.errors import FrontendError
from flydsl.base.location import user_location
from flydsl.expr.layouts.value import StructuredValue
from flydsl.expr.numbers.arithmetic import Arithmetic
from flydsl.expr.threads.printf import printf, shown_value
from flydsl.expr.tracing.context import current, is_tracing
from flydsl.frontend.control.pytree import flatten
from flydsl.frontend.control.regions import emit_if
from flydsl.ir.location import readable


def emit_assertion(condition: Any, text: str) -> None:
    """Where `condition` is false, print `text` with its line and trap: the kernel ends, and its launch is an error."""
    if current().kind == "host":
        raise FrontendError(
            f"host code asserts {text!r}, which is known only at run time; check it before the call, or in a kernel"
        )
    location = user_location()
    where = f"{Path(readable(location.file)).name}:{location.line}: " if location is not None else ""
    line = f"{where}assertion failed: {text}".replace("{", "{{").replace("}", "}}")

    def stop() -> tuple[()]:
        printf(line)
        current().op("llvm.intr.trap")
        return ()

    emit_if(~condition, stop, tuple, ())


def print_while_tracing(*args: Any, **kwargs: Any) -> None:
    """`print` in a branch or loop of the device, of what does not depend on the path; anything else is refused."""
    values = [*args, *kwargs.values()]
    if is_tracing() and current().builder.depth > 0 and not all(map(_is_of_every_path, values)):
        raise FrontendError(
            "print runs while tracing, once for each branch and loop body whether it is taken or not, and shows no "
            "values of the device; use fx.printf to print there, or print before the branch"
        )
    print(*args, **kwargs)


def _is_of_every_path(value: Any) -> bool:
    """Whether what `print` shows of a value is known while tracing."""
    if isinstance(value, str):
        return shown_value(value) is None
    traced = (leaf for leaf in flatten(value)[0] if isinstance(leaf, Arithmetic | StructuredValue))
    return all(getattr(leaf, "is_static", False) for leaf in traced)
