"""The checked functions of the examples for torch hold on each target, at borders and odd sizes."""

from types import SimpleNamespace

import numpy as np
import pytest
from support.examples import FOLDER, load_example

EXAMPLES = sorted(path.stem for path in FOLDER.glob("torch_[0-9][0-9]_*.py"))
SIZES = {"torch_01_vector_add": ((1,), (64,), (129,)), "torch_02_rmsnorm": ((2, 3), (3, 257))}


def test_every_example_is_checked():
    assert sorted(SIZES) == EXAMPLES


@pytest.fixture(scope="module")
def loaded():
    """The modules: each registers its operators once in a process."""
    return {name: load_example(name) for name in EXAMPLES}


@pytest.mark.parametrize("name", EXAMPLES)
def test_an_example_equals_torch(name, loaded):
    for size in SIZES[name]:
        loaded[name].check(np.random.default_rng(1), *size)


PLACES = [("cpu", True, "cpu"), ("cuda", True, "cuda"), ("rocm", True, "cuda"), ("rocm", False, "cpu")]


@pytest.mark.parametrize("backend, has_gpu, expected", PLACES)
def test_tensors_of_examples_are_where_the_active_pair_runs_kernels(backend, has_gpu, expected, monkeypatch):
    workbench = load_example("workbench")
    monkeypatch.setenv("FLYDSL_COMPILE_BACKEND", "")  # as if it was not set
    monkeypatch.setattr(workbench.flyc, "active_pair", lambda: SimpleNamespace(backend=SimpleNamespace(name=backend)))
    monkeypatch.setattr("torch.cuda.is_available", lambda: has_gpu)
    assert workbench.torch_device() == expected
