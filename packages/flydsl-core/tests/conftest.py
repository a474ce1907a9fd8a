"""Hypothesis profiles by HYPOTHESIS_PROFILE, `quick`, `ci` (200 examples), `nightly` (10,000, or HYPOTHESIS_EXAMPLES);
modules of users."""

from __future__ import annotations

import importlib.util
import os
import sys
import textwrap
from collections.abc import Callable, Iterator
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import HealthCheck, settings

if TYPE_CHECKING:
    from flydsl.testing.fake_toolchain import FakeToolchain
    from flydsl.testing.sandbox import PluginSandbox

settings.register_profile("ci", max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.register_profile("quick", settings.get_profile("ci"), max_examples=20)
_EXAMPLES = int(os.environ.get("HYPOTHESIS_EXAMPLES", "10000"))
settings.register_profile("nightly", settings.get_profile("ci"), max_examples=_EXAMPLES)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "ci"))


@pytest.fixture
def load(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[..., ModuleType]]:
    """`load(text, name, folder)` writes a module and imports it, replacing one of the same name."""
    # byte code is found by size and second of its source: two texts of one test may have both in common
    monkeypatch.setattr(sys, "dont_write_bytecode", True)
    made: list[str] = []

    def make(text: str, name: str = "user_module", folder: str = ".") -> ModuleType:
        file = tmp_path / folder / f"{name}.py"
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(textwrap.dedent(text))
        spec = importlib.util.spec_from_file_location(name, file)
        assert spec is not None
        assert spec.loader is not None
        module = importlib.util.module_from_spec(spec)
        sys.modules[name] = module
        made.append(name)
        spec.loader.exec_module(module)
        return module

    yield make
    for name in made:
        sys.modules.pop(name, None)


@pytest.fixture
def fake_device(
    isolated_plugins: PluginSandbox, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Iterator[FakeToolchain]:
    """Functions are compiled by the fakes for the fake device, with the adaptors of the core and an empty cache."""
    from flydsl.adaptors.plugin import flydsl_tensor_adaptors
    from flydsl.testing.fake_toolchain import FakeToolchain
    from flydsl.testing.fakes import fake_backend, fake_runtime

    monkeypatch.setenv("FLYDSL_RUNTIME_CACHE_DIR", str(tmp_path / "cache"))
    monkeypatch.setenv("FLYDSL_COMPILE_BACKEND", "fake")
    isolated_plugins.register(fake_backend(), fake_runtime(), *flydsl_tensor_adaptors())
    with FakeToolchain().installed() as toolchain:
        yield toolchain


class Emitted:
    """The result of a traced function and the operations that it emitted, as text."""

    def __init__(self, result: Any, ops: list[str]) -> None:
        self.result, self.ops = result, ops

    @property
    def names(self) -> list[str]:
        """The operations by name, without constants."""
        names = [op.split("(")[0].split('"')[1] for op in self.ops]
        return [name for name in names if name != "arith.constant"]


@pytest.fixture
def emitted() -> Callable[..., Emitted]:
    """`emitted(function, Int32, ...)` traces a function on dynamic scalars, without a backend."""
    from xdsl.dialects.builtin import ModuleOp
    from xdsl.ir import Block, Region

    from flydsl.expr.numbers.mlir_types import scalar_type
    from flydsl.expr.tracing import context
    from flydsl.expr.values.emitter import Emitter, TargetInfo
    from flydsl.ir.emit import emit_generic

    def run(function: Callable[..., Any], *dtypes: Any) -> Emitted:
        block = Block(arg_types=[scalar_type(dtype.mlir_name) for dtype in dtypes])
        emitter = Emitter(block, TargetInfo("none", "none", 32), "kernel", None)
        with context.tracing(emitter):
            arguments = [dtype.wrap(value) for dtype, value in zip(dtypes, block.args, strict=True)]
            result = function(*arguments)
        count = len(list(block.ops))
        text = emit_generic(ModuleOp(Region(block)))
        lines = [line.strip() for line in text.splitlines() if '"' in line and "builtin.module" not in line]
        assert len(lines) >= count
        return Emitted(result, lines)

    return run


@pytest.fixture
def computed() -> Callable[..., Callable[..., Any]]:
    """`computed(function, Int32, ...)` traces a function on dynamic scalars; what it gives takes and gives numbers.

    Several results, in tuples or lists, are a list; vectors are lists. The interpreter computes them.
    """
    from xdsl.dialects import builtin, func
    from xdsl.ir import Block, Region

    from flydsl.expr.numbers.mlir_types import scalar_type
    from flydsl.expr.numeric import as_numeric
    from flydsl.expr.tracing import context
    from flydsl.expr.values.emitter import Emitter, TargetInfo
    from flydsl.frontend.control.pytree import flatten
    from flydsl.ir.interpret import run

    def number(dtype: Any, value: Any) -> Any:
        """What the interpreter gives as a number of the type: it has signed integers only."""
        if isinstance(value, list):
            return [number(dtype, lane) for lane in value]
        if dtype is None or dtype.is_float or dtype.is_signed:
            return value
        return bool(value) if dtype.width == 1 else value & (1 << dtype.width) - 1

    def trace(function: Callable[..., Any], *dtypes: Any) -> Callable[..., Any]:
        block = Block(arg_types=[scalar_type(dtype.mlir_name) for dtype in dtypes])
        emitter = Emitter(block, TargetInfo("none", "none", 32), "kernel", None)
        with context.tracing(emitter):
            result = function(*(dtype.wrap(value) for dtype, value in zip(dtypes, block.args, strict=True)))
            leaves = [as_numeric(leaf) if isinstance(leaf, bool | int | float) else leaf for leaf in flatten(result)[0]]
            values = [leaf.ir_value() for leaf in leaves]
            emitter.op("func.return", values)
        types = builtin.FunctionType.from_lists(list(block.arg_types), [value.type for value in values])
        program = func.FuncOp("traced", types, Region(block))
        kinds = [getattr(leaf, "dtype", None) for leaf in leaves]

        def call(*numbers: Any) -> Any:
            results = [number(kind, value) for kind, value in zip(kinds, run(program, numbers), strict=True)]
            return results if isinstance(result, tuple | list) else results[0]

        call.leaves, call.program = leaves, program  # type: ignore[attr-defined]
        return call

    return trace
