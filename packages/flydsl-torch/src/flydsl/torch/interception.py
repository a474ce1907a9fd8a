"""How torch's compiler meets calls of @jit functions: two functions of the core are others to it."""

from __future__ import annotations

from types import FunctionType
from typing import Any

from flydsl.base import interception


def install() -> None:
    """Tell torch's compiler, which need not be imported yet."""
    import flydsl.torch.launch_op  # noqa: F401 (the operator must be there when a graph runs)
    from flydsl.torch.graph_calls import record

    substitute(interception.is_tracing, _is_tracing)
    substitute(interception.call_uncommonly, record)


def substitute(function: Any, traced: Any) -> None:
    """Let torch's compiler read `traced` where code calls `function`."""
    function._torchdynamo_inline = traced


def skip_frames(function: Any) -> None:
    """Keep torch's compiler out of frames of `function` and of all that it calls: that costs a minute otherwise."""
    try:
        from torch._C._dynamo.eval_frame import set_code_exec_strategy
        from torch._dynamo.types import FrameAction, FrameExecStrategy
    except ImportError:  # of another version of torch: slower then
        return
    if isinstance(function, FunctionType):
        set_code_exec_strategy(function.__code__, FrameExecStrategy(FrameAction.SKIP, FrameAction.SKIP))


def note_libraries() -> None:
    """Errors show lines of the user, not of torch nor of this package."""
    import torch

    from flydsl.base.location import note_words

    for file in (torch.__file__, __file__.replace("interception.py", "__init__.py")):
        note_words(file)


def _is_tracing() -> bool:
    return True
