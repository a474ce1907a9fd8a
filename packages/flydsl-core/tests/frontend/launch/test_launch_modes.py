"""Words of a launch besides its sizes: the attribute that they become, and targets that do not have them."""

from __future__ import annotations

import pytest

import flydsl.compiler as flyc
import flydsl.expr as fx
from flydsl.base.errors import FrontendError, UnsupportedTargetError
from flydsl.expr.values.emitter import TargetInfo
from flydsl.frontend.launch.launch_modes import launch_modes
from flydsl.frontend.rewriting.rewrite import rewrite
from flydsl.frontend.trace import trace_function
from flydsl.ir.gpu_ops import LaunchFuncOp

TARGET = TargetInfo("none", "none1", 32, launch_modes=frozenset({"cooperative", "use_pdl"}))


@flyc.kernel
def nothing() -> None:
    fx.thread_idx.x


@pytest.mark.parametrize(
    ("words", "flags"),
    [({}, 0), ({"cooperative": True}, 1), ({"use_pdl": True}, 2), ({"cooperative": True, "use_pdl": True}, 3)],
)
def test_words_are_flags_of_the_launch(words: dict[str, bool], flags: int) -> None:
    def host() -> None:
        nothing().launch(grid=1, block=32, **words)

    module, _ = trace_function(rewrite(host), {}, TARGET)
    (launch,) = (op for op in module.walk() if isinstance(op, LaunchFuncOp))
    assert launch.launch_flags == flags


def test_a_target_without_a_mode_names_what_it_has() -> None:
    target = TargetInfo("none", "none1", 32, launch_modes=frozenset({"cooperative"}))
    expected = "'k' is launched with use_pdl=True, which 'none1' of backend 'none' does not have .it has cooperative"
    with pytest.raises(UnsupportedTargetError, match=expected):
        launch_modes(target, "k", cooperative=True, use_pdl=True)
    with pytest.raises(UnsupportedTargetError, match="it has none"):
        launch_modes(TargetInfo("none", "none1", 32), "k", cooperative=True)


@pytest.mark.parametrize("value", [1, None, "yes"])
def test_words_are_true_or_false(value: object) -> None:
    with pytest.raises(FrontendError, match=r"launched with use_pdl=.*: it is True or False"):
        launch_modes(TARGET, "k", use_pdl=value)
