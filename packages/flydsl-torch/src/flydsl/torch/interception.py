"""How torch's compiler meets calls of @jit functions: two functions of the core are others to it."""

from __future__ import annotations

from importlib import import_module
from typing import Any

from flydsl.backend.frameworks import interception


def install() -> None:
    """Tell torch's compiler, which need not be imported yet; LibraryMissingError for a torch that is too old."""
    from flydsl.torch.earlier_torch import check_version, mend_compiler

    check_version()
    import flydsl.torch.launch_op  # noqa: F401 (the operator must be there when a graph runs)
    from flydsl.torch.graph_calls import record

    mend_compiler()
    substitute(interception.is_tracing, _is_tracing)
    substitute(interception.slow_path_call, record)


def substitute(function: Any, traced: Any) -> None:
    """Let torch's compiler read `traced` where code calls `function`."""
    function._torchdynamo_inline = traced


def skip_frames(function: Any) -> None:
    """Keep torch's compiler out of frames of `function` and of all that it calls: that costs a minute otherwise."""
    try:
        evaluation: Any = import_module("torch._C._dynamo.eval_frame")
        types: Any = import_module("torch._dynamo.types")
        strategy = types.FrameExecStrategy(types.FrameAction.SKIP, types.FrameAction.SKIP)
        evaluation.set_code_exec_strategy(function.__code__, strategy)
    except (ImportError, AttributeError):  # another version of torch: only slower
        return


def note_libraries() -> None:
    """Errors show lines of the user, not of torch nor of this package."""
    import torch

    from flydsl.backend.frameworks import mark_as_library

    for file in (torch.__file__, __file__.replace("interception.py", "__init__.py")):
        mark_as_library(file)


def _is_tracing() -> bool:
    return True
