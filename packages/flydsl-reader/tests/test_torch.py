"""torch tensors read in C: what torch does not tell by DLPack is never launched by mistake."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import pytest
import torch
from support.call_sites import Served
from torch._subclasses.fake_tensor import FakeTensorMode

import flydsl.expr as fx
from flydsl.frontend.signature import Parameter

PARAMETERS = [Parameter("x", "tensor"), Parameter("y", "tensor"), Parameter("n", "scalar", fx.Int32)]


def served(x: torch.Tensor, y: torch.Tensor) -> Served:
    return Served(PARAMETERS, (x, y, 1), written=frozenset({1}))


def is_read(site: Served, *values: Any) -> bool:
    assert site.site.native is not None
    return site.site.native._site.key(*values) is not None


@pytest.mark.parametrize("make", [
    lambda: torch.randn(4, 6),
    lambda: torch.randn(8, 6).t()[1:, ::2],
    lambda: torch.zeros(()),
    lambda: torch.zeros(1, 6)[:, :3],
    lambda: torch.zeros(5, dtype=torch.bool),
    lambda: torch.zeros(5, dtype=torch.int8),
    lambda: torch.zeros(5, dtype=torch.bfloat16),
    lambda: torch.zeros(5, dtype=torch.float8_e4m3fn),
    lambda: torch.nn.Parameter(torch.zeros(3), requires_grad=False),
    lambda: torch.randn(3).requires_grad_(),
])  # fmt: skip
def test_tensors_are_read_and_packed_as_by_the_stub(make: Callable[[], torch.Tensor]) -> None:
    x, y = make(), torch.zeros(7)
    site = served(x, y)
    assert is_read(site, x, y, 2)
    before = y._version
    assert site.agreed(x, y, 2)[0] == "launched"
    assert site.agreed(make().clone(memory_format=torch.preserve_format), y, 3)[0] in ("launched", "missed")
    assert y._version - before in (3, 6)
    assert x._version == make()._version


def others(plain: torch.Tensor) -> dict[str, Callable[[], torch.Tensor]]:
    def fake() -> torch.Tensor:
        with FakeTensorMode():
            return torch.zeros(2, 3)

    def hollow() -> torch.Tensor:
        made = torch.zeros(2, 3)
        made.untyped_storage().resize_(0)
        return made

    def inference() -> torch.Tensor:
        with torch.inference_mode():
            return torch.zeros(2, 3)

    return {
        "dtype": lambda: torch.zeros(2, 3, dtype=torch.int32),
        "double": lambda: torch.zeros(2, 3, dtype=torch.float64),
        "shape": lambda: torch.zeros(3, 2),
        "strides": lambda: torch.zeros(3, 2).t(),
        "strides of one element": lambda: torch.zeros(2, 6)[:, ::2],
        "rank": lambda: torch.zeros(2, 3, 1),
        "expanded": lambda: torch.zeros(1, 3).expand(2, 3),
        "misaligned": lambda: torch.zeros(40, dtype=torch.uint8)[1:25].view(torch.uint8),
        "empty": lambda: torch.zeros(0, 3),
        "meta": lambda: torch.empty(2, 3, device="meta"),
        "fake": fake,
        "no memory": hollow,
        "zero tensor": lambda: torch._efficientzerotensor((2, 3)),
        "negated": lambda: torch._neg_view(plain),
        "negated by complex numbers": lambda: torch.zeros(2, 3, dtype=torch.complex64).conj().imag,
        "conjugated": lambda: torch.zeros(2, 3, dtype=torch.complex64).conj(),
        "sparse": lambda: plain.to_sparse(),
        "sparse rows": lambda: plain.to_sparse_csr(),
        "mkldnn": lambda: plain.to_mkldnn(),
        "quantized": lambda: torch.quantize_per_tensor(plain, 1.0, 0, torch.qint8),
        "nested": lambda: torch.nested.nested_tensor([torch.zeros(2), torch.zeros(3)]),
        "recorded": lambda: torch.zeros(2, 3, requires_grad=True),
        "result of a recorded one": lambda: torch.zeros(2, 3, requires_grad=True) * 2,
        "parameter": lambda: torch.nn.Parameter(torch.zeros(2, 3)),
        "inference": inference,
        "int4": lambda: torch.empty(2, 3, dtype=torch.int4),
        "bits": lambda: torch.empty(2, 3, dtype=torch.bits8),
    }


@pytest.mark.parametrize("case", others(torch.zeros(2, 3)))
@pytest.mark.parametrize("position", [0, 1])
def test_what_differs_in_anything_comes_to_the_same_as_by_the_stub(case: str, position: int) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        plain = torch.zeros(2, 3)
        other = others(plain)[case]()
        site = served(plain, plain)
        leaves = [plain, plain]
        leaves[position] = other
        for context in (torch.enable_grad, torch.no_grad, torch.inference_mode, torch.enable_grad):
            with context():
                expected = site.outcome(site.pure.stub, (*leaves, 5))
                found = [site.outcome(site.site.serve, (*leaves, 5)) for _ in range(3)]
                # a recorded tensor that is read needs no plan of its own in C, as its stub has one for it
                if case in ("recorded", "result of a recorded one", "parameter") and position == 0:
                    assert {kind for kind, _ in found} <= {"launched", "missed"}
                else:
                    assert found == [expected] * 3
        assert site.agreed(plain, plain, 6)[0] == "launched"


def test_integers_of_less_than_a_byte_are_none_of_a_byte() -> None:
    x, y = torch.zeros(6, dtype=torch.int8), torch.zeros(6)
    site = served(x, y)
    assert is_read(site, x, y, 1)
    assert site.agreed(x, y, 1)[0] == "launched"
    for dtype in (torch.int4, torch.int1, torch.int7):
        assert site.agreed(torch.empty(6, dtype=dtype), y, 1)[0] == "missed"


def test_a_tensor_that_changes_in_place_is_read_anew() -> None:
    x, y = torch.zeros(2, 3), torch.zeros(6)
    site = served(x, y)
    assert site.agreed(x, y, 1)[0] == "launched"
    x.resize_(3, 2)
    assert site.agreed(x, y, 1)[0] == "missed"
    x.resize_(2, 3)
    assert site.agreed(x, y, 1)[0] == "launched"
    x.data = torch.zeros(2, 3, dtype=torch.float64)
    assert site.agreed(x, y, 1)[0] == "missed"
    y.requires_grad_()
    assert site.agreed(torch.zeros(2, 3), y, 1)[0] == "missed"


def test_tensors_inside_of_transformations_come_to_the_same_as_by_the_stub() -> None:
    x, y = torch.zeros(2, 3), torch.zeros(6)
    site, kinds = served(x, y), []

    def function(tensor: torch.Tensor) -> torch.Tensor:
        kinds.append(site.agreed(tensor, y, 1)[0])
        kinds.append(site.agreed(x, y, 1)[0])
        return tensor.sum()

    torch.vmap(function)(torch.zeros(5, 2, 3))
    torch.func.grad(function)(torch.zeros(2, 3))
    assert kinds[1::2] == ["launched"] * 2
    assert "launched" not in kinds[::2]


def test_numpy_and_torch_share_a_call() -> None:
    x, y = torch.zeros(2, 3), torch.zeros(6)
    parameters = [*PARAMETERS, Parameter("z", "tensor")]
    site = Served(parameters, (x, y, 1, y.numpy()), written=frozenset({1, 3}))
    before = y._version
    assert site.agreed(x, y, 1, y.numpy())[0] == "launched"
    assert y._version == before + 3
