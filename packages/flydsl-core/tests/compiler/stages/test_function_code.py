"""The code of a function: made once, and again when what the function reads has changed."""

from __future__ import annotations

import gc

import numpy as np

import flydsl.compiler as flyc
from flydsl.compiler.options.hints import NO_HINTS
from flydsl.compiler.options.target_options import target_of
from flydsl.compiler.stages import function_code
from flydsl.plugins.active.stack import device_runtime

SOURCE = """
    import flydsl.compiler as flyc
    import flydsl.expr as fx

    FACTOR = 2

    @flyc.kernel
    def store(x: fx.Tensor):
        x[0] = FACTOR

    @flyc.jit
    def fill(x: fx.Tensor):
        store(x).launch(grid=1, block=1)
"""


def artifact_of(function):
    code, target = function._code, target_of()
    specs = function.bind(np.zeros(4, np.int32)).specs()
    return code.artifact(specs, target, NO_HINTS)[0]


def test_one_signature_is_compiled_once(load, fake_device):
    function = load(SOURCE).fill
    assert artifact_of(function) is artifact_of(function)
    assert len(fake_device.asked("link")) == 1


def test_a_changed_global_is_noticed(load, fake_device):
    module = load(SOURCE)
    first, rewritten = artifact_of(module.fill), module.fill.rewritten
    module.FACTOR = 3
    assert artifact_of(module.fill) is not first
    assert module.fill.rewritten is not rewritten
    module.FACTOR = 2
    assert artifact_of(module.fill) is first


def test_the_rewritten_function_is_kept(load, fake_device):
    function = load(SOURCE).fill
    assert isinstance(function, flyc.JitFunction)
    assert function.rewritten is function.rewritten


def test_another_object_that_no_key_can_hold_is_other_code(load, fake_device):
    module = load(SOURCE.replace("= FACTOR", "= int(FACTOR[0])"))
    module.FACTOR = np.array([2])
    first = artifact_of(module.fill)
    assert artifact_of(module.fill) is first
    module.FACTOR = np.array([3])
    assert artifact_of(module.fill) is not first


def test_a_function_called_with_ever_new_constants_starts_again(load, fake_device, monkeypatch):
    monkeypatch.setattr(function_code, "_MAX_ARTIFACTS", 3)
    function = load(
        """
        import flydsl.compiler as flyc
        import flydsl.expr as fx

        @flyc.kernel
        def store(x: fx.Tensor, value: fx.Constexpr[int]):
            x[0] = value

        @flyc.jit
        def fill(x: fx.Tensor, value: fx.Constexpr[int]):
            store(x, value).launch(grid=1, block=1)
        """
    ).fill
    runtime = device_runtime()
    monkeypatch.setattr(runtime, "unloads_unused", True)
    for value in range(8):
        function(np.zeros(4, np.int32), value)
        function(np.zeros(4, np.int32), value)
    assert function._code.loads <= 3
    assert len(fake_device.launches) == 16
    gc.collect()
    assert runtime.table.unloads >= 5
