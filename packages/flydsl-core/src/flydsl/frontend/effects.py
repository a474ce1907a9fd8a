"""Side effects in traced code: `assert` becomes a device assertion, `print` in a branch or loop is refused."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from flydsl.base.errors import FrontendError
from flydsl.base.location import user_location
from flydsl.expr.threads.printf import printf
from flydsl.expr.tracing.context import current, is_tracing
from flydsl.frontend.regions import emit_if


def emit_assertion(condition: Any, text: str) -> None:
    """Where `condition` is false, print `text` with its line and trap: the kernel ends, and its launch is an error."""
    if current().kind == "host":
        raise FrontendError(
            f"host code asserts {text!r}, which is known only at run time; check it before the call, or in a kernel"
        )
    location = user_location()
    where = f"{Path(location.file).name}:{location.line}: " if location is not None else ""
    line = f"{where}assertion failed: {text}".replace("{", "{{").replace("}", "}}")

    def stop() -> tuple[()]:
        printf(line)
        current().op("llvm.intr.trap")
        return ()

    emit_if(~condition, stop, tuple, ())


def refuse_printing() -> None:
    """Refuse `print` in a branch or loop of the device."""
    if is_tracing() and current().builder.depth > 0:
        raise FrontendError(
            "print runs while tracing, once for each branch and loop body whether it is taken or not; "
            "use fx.printf to print on the device, or print before the branch"
        )
