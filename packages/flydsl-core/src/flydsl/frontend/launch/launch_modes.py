"""Launch attributes: cooperative and programmatic dependent launch."""

from __future__ import annotations

from typing import Any

from xdsl.dialects.builtin import IntegerAttr, i32
from xdsl.ir import Attribute

from flydsl.base.errors import FrontendError, UnsupportedTargetError
from flydsl.base.launch_flags import LAUNCH_COOPERATIVE, LAUNCH_DEPENDENT
from flydsl.expr.values.emitter import TargetInfo
from flydsl.ir.gpu_ops import LAUNCH_FLAGS

_FLAGS = {"cooperative": LAUNCH_COOPERATIVE, "use_pdl": LAUNCH_DEPENDENT}


def launch_modes(target: TargetInfo, kernel: str, **asked: Any) -> dict[str, Attribute]:
    """The attribute of a launch operation for the modes that are asked for by name; none for none.

    Raises FrontendError for what is no bool, UnsupportedTargetError for a mode that the target does not have.
    """
    flags = 0
    for name, value in asked.items():
        if not isinstance(value, bool):
            raise FrontendError(
                f"kernel {kernel!r} is launched with {name}={value!r}: it is True or False, known while tracing"
            )
        if value and name not in target.launch_modes:
            known = ", ".join(sorted(target.launch_modes)) or "none"
            raise UnsupportedTargetError(
                f"kernel {kernel!r} is launched with {name}=True, which {target.arch!r} of backend {target.backend!r} "
                f"does not have (it has {known}); leave it out"
            )
        flags |= _FLAGS[name] if value else 0
    return {LAUNCH_FLAGS: IntegerAttr(flags, i32)} if flags else {}
