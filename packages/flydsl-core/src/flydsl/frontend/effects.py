"""What only the device can check or only Python does, in a traced function, in; an assertion or an error out."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from flydsl.base.errors import FrontendError
from flydsl.base.location import raised_directly, user_location
from flydsl.expr.tracing.context import current, is_tracing

if TYPE_CHECKING:
    from xdsl.ir import Block


def emit_assertion(condition: Any, text: str) -> None:
    """Where `condition` does not hold, print `text` with its line and stop: the kernel, and on the CPU the process."""
    from flydsl.expr.threads.printf import printf
    from flydsl.frontend.regions import emit_if

    if current().kind == "host":
        raise FrontendError(
            f"host code asserts {text!r}, which is known only at run time; check it before the call, or in a kernel"
        )
    place = user_location()
    where = f"{Path(place.file).name}:{place.line}: " if place is not None else ""
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


@contextmanager
def inside_region(block: Block) -> Iterator[None]:
    """Trace a branch or the turn of a loop into `block`; its own `raise`, which would always run, is refused."""
    try:
        with current().inside(block):
            yield
    except Exception as cause:
        place = raised_directly(cause.__traceback__)
        if place is None:
            raise
        error = FrontendError(
            f"raise runs while tracing, whether its branch is taken or not ({type(cause).__name__}: {cause}); "
            "use assert to stop a kernel, or test what is known while tracing"
        )
        error.location = place
        raise error from None
