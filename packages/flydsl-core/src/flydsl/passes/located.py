"""Source positions on errors raised while an operation is processed."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from xdsl.ir import Operation
from xdsl.utils.exceptions import VerifyException

from flydsl.base.errors import IRError, LayoutError
from flydsl.ir.location import get_location, located_error


@contextmanager
def located(op: Operation) -> Iterator[None]:
    """Errors raised inside name `op` and show where it comes from."""
    try:
        yield
    except (LayoutError, IRError, VerifyException) as error:
        raise with_location(error, op) from error


def with_location(error: Exception, op: Operation) -> IRError:
    """The error as one about `op`."""
    found = str(error.args[0]) if isinstance(error, IRError) else str(error)
    message = found if op.name in found else f"{op.name}: {found}"
    return located_error(message, getattr(error, "location", None) or get_location(op))
