"""`is` and `in` on values of the device: refused, or what Python gives; a trace decides nothing silently."""

from __future__ import annotations

import numpy as np
import pytest

import flydsl.expr as fx
from flydsl.base.errors import FrontendError
from flydsl.frontend.control.identity import in_, is_


@pytest.mark.parametrize("other", [True, False, 0, 1.5, np.True_, "text", fx.Int32(1)])
@pytest.mark.parametrize("value", [fx.Boolean(True), fx.Int32(3), fx.Float32(0.0)])
def test_identity_of_a_value_is_refused(value, other):
    for left, right in ((value, other), (other, value)):
        with pytest.raises(FrontendError, match="`is` asks Python whether two objects are the same one"):
            is_(left, right)


@pytest.mark.parametrize(
    ("left", "right"),
    [(fx.Int32(1), None), (fx.Float32, fx.Int32), (fx.Float32(1), fx.Float32), (True, 1), ((), None), (fx.Int32, None)],
)
def test_markers_and_values_of_python_are_compared_by_python(left, right):
    assert is_(left, right) is False
    assert is_(left, left) is True


def test_identity_with_types_of_other_libraries_is_refused():
    for other in (np.float32, np.dtype("float32")):
        with pytest.raises(FrontendError, match=r"is never fx\.Float32"):
            is_(fx.Float32, other)


@pytest.mark.parametrize("kind", [tuple, list, set, frozenset, dict.fromkeys])
@pytest.mark.parametrize("item", [1, 2, 3])
def test_members_known_while_tracing_are_found_by_python(kind, item):
    assert in_(item, kind((1, 3))) is (item in (1, 3))
    assert bool(in_(fx.Int32(item), kind((1, 3)))) is (item in (1, 3))
