"""What a value does not have is an error that says what to write; `hasattr` and static keys work as in Python."""

from __future__ import annotations

import operator

import pytest

import flydsl.expr as fx
from flydsl.base.errors import FrontendError
from flydsl.expr.tracing.unsupported import NoAttributeError


@pytest.mark.parametrize(
    "value, name, hint",
    [
        (fx.Float32(1), "astype", r"convert with \.to\(dtype\)"),
        (fx.Int32(1), "item", "leave it out"),
        (fx.make_shape(4, 8), "to", r"fx\.Int64\(x\.shape\[0\]\)"),
        (fx.make_layout(4, 1), "shap", "did you mean 'shape'"),
        (fx.make_layout(4, 1), "size", r"fx\.size\(x\)"),
    ],
)
def test_an_attribute_that_is_not_there_says_what_to_write(value, name, hint):
    with pytest.raises(NoAttributeError, match=f"has no attribute '{name}'; .*{hint}"):
        getattr(value, name)
    assert not hasattr(value, name)
    assert getattr(value, name, 7) == 7


BINARY = [operator.add, operator.sub, operator.mul, operator.truediv, operator.matmul, operator.lt, operator.eq]


@pytest.mark.parametrize("operation", BINARY)
@pytest.mark.parametrize("swap", [False, True])
def test_three_numbers_are_not_one(operation, swap):
    operands = (1, fx.thread_idx) if swap else (fx.thread_idx, 1)
    with pytest.raises(FrontendError, match=r"fx.thread_idx is not one number but three; write fx.thread_idx.x"):
        operation(*operands)


@pytest.mark.parametrize("operation", BINARY)
def test_a_tensor_is_no_number(emitted, operation):
    def use(x):
        operation(fx.make_rmem_tensor(4, fx.Float32), 1.0)

    with pytest.raises(FrontendError, match=r"is memory, not a number; compute with an element, x\[i\]"):
        emitted(use, fx.Int32)


def test_a_static_number_is_the_key_that_it_equals():
    assert {1: "one", 2.5: "two and a half"}[fx.Int64(1)] == "one"
    assert fx.Float32(2.5) in {2.5}
    assert fx.Int32(7) not in {1: 2}


@pytest.mark.parametrize("look", [lambda x: {0: 1}[x], lambda x: {0: 1}.get(x), lambda x: x in {0, 1}])
def test_a_number_of_the_device_is_no_key(emitted, look):
    with pytest.raises(FrontendError, match="a key of a dict or set needs a value known while tracing"):
        emitted(look, fx.Int32)


@pytest.mark.parametrize(
    ("written", "meant"),
    [("thred_idx", "thread_idx"), ("syncthreads", "barrier"), ("cdiv", "ceil_div"), ("program_id", "block_idx")],
)
def test_a_misspelt_or_foreign_name_suggests_ours(written: str, meant: str) -> None:
    with pytest.raises(AttributeError, match=f"no attribute '{written}', did you mean '{meant}'"):
        getattr(fx, written)


def test_every_foreign_word_is_translated() -> None:
    from flydsl.expr.tracing.unsupported import _ELSEWHERE

    for foreign, ours in _ELSEWHERE.items():
        assert not hasattr(fx, foreign)
        assert hasattr(fx, ours)
