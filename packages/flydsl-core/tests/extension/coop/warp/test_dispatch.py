"""Functions of warps: those of the backend, where it declares any."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

import flydsl.expr as fx
from flydsl.extension.coop import warp


def test_functions_of_the_backend_come_first(emitted: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[Any] = []

    def warp_reduce(value: Any, op: Any, **options: Any) -> Any:
        asked.append((value, op, options))
        return value

    declared = SimpleNamespace(warp_reduce=warp_reduce)
    monkeypatch.setattr(warp, "warp_functions", lambda backend: declared if backend == "none" else None)
    run = emitted(lambda v: fx.coop.warp_reduce(v, fx.ReductionOp.ADD, width=4, identity=0), fx.Int32)
    assert run.names == []
    ((_, op, options),) = asked
    assert (op, options) == (fx.ReductionOp.ADD, {"width": 4, "identity": 0})
    scan = emitted(lambda v: fx.coop.warp_scan(v, fx.ReductionOp.ADD, width=4), fx.Int32)
    assert "gpu.shuffle" in scan.names, "what it does not declare is made of shuffles"


def test_unknown_names_are_no_attributes() -> None:
    with pytest.raises(AttributeError, match="no installed plugin adds it"):
        _ = warp.acme
