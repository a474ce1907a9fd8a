"""What the core declares: adaptors for NumPy and, below all others, for DLPack."""

from __future__ import annotations

import numpy as np

from flydsl.adaptors.plugin import flydsl_tensor_adaptors
from flydsl.base.references import resolve_reference


class Exported:
    def __dlpack__(self) -> None: ...

    def __dlpack_device__(self) -> None: ...


class Own(np.ndarray):
    pass


def test_numpy_takes_arrays_and_dlpack_what_exports() -> None:
    _, numpy, dlpack = flydsl_tensor_adaptors()
    assert (numpy.name, dlpack.name) == ("numpy", "dlpack")
    for cls, takes in (
        (np.ndarray, (True, True)),
        (Own, (True, True)),
        (Exported, (False, True)),
        (int, (False, False)),
    ):
        assert (numpy.claims(cls), dlpack.claims(cls)) == takes
    assert dlpack.priority < 0 == numpy.priority


def test_their_factories_make_adaptors_of_their_names() -> None:
    for manifest in flydsl_tensor_adaptors():
        assert resolve_reference(manifest.factory)().name == manifest.name
