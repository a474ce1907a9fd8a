"""How arguments become structures; what torch does with them is tested where kernels are compiled."""

from __future__ import annotations

import pytest
import torch

from flydsl.base.errors import UnsupportedTensorError
from flydsl.torch import graph_calls


def structure(value: object, *, constant: str = "") -> tuple[object, list[object]]:
    lists: tuple[list[object], ...] = ([], [], [])
    return graph_calls._structure(value, constant, *lists), [item for each in lists for item in each]


def test_tensors_are_told_apart_by_what_decides_the_code() -> None:
    tensor = torch.zeros(3, 4)
    assert structure(tensor) == (("tensor", 0, torch.float32, 2, 1, "cpu"), [tensor])
    assert structure(tensor.t())[0] == ("tensor", 0, torch.float32, 2, 0, "cpu")
    assert structure(tensor[:, ::2])[0] == ("tensor", 0, torch.float32, 2, -1, "cpu")
    assert structure(torch.zeros(()))[0] == ("tensor", 0, torch.float32, 0, -1, "cpu")


def test_numbers_are_passed_and_constants_are_not() -> None:
    assert structure(3) == (("int", 0), [3])
    assert structure(0.5) == (("float", 0), [0.5])
    assert structure(True) == (("value", True), [])
    assert structure("x") == (("value", "x"), [])
    assert structure(3, constant="'k' of 'f'") == (("value", 3), [])


def test_containers_keep_their_form_and_a_tensor_its_number() -> None:
    one, two = torch.zeros(2), torch.zeros(2)
    found, passed = structure({"k": (one, [two, one]), "n": 2})
    first, second = (("tensor", index, torch.float32, 1, 0, "cpu") for index in (0, 1))
    assert found == ("dict", ("k", "n"), (("tuple", (first, ("list", (second, first)))), ("int", 0)))
    assert passed[0] is one
    assert passed[1] is two
    assert len(passed) == 3


def test_a_problem_is_an_error_outside_of_torchs_compiler() -> None:
    with pytest.raises(UnsupportedTensorError, match="under torch.no_grad"):
        graph_calls._refuse(graph_calls.RECORDED_WRITE)


def test_what_is_wrong_with_a_call_is_text_for_torchs_compiler() -> None:
    class Broken:
        __name__ = "broken"

        def bind(self, *args: object, **kwargs: object) -> None:
            raise ValueError("no such argument")

    key, written, problem = graph_calls.resolve(Broken(), (), ())
    assert (key, written) == ("", ())
    assert problem.startswith("'broken': ")
