"""The conformance suite on NumPy arrays."""

from __future__ import annotations

from typing import Any

import numpy as np

from flydsl.testing.suite import Tensors, conformance


def frozen(array: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    array.flags.writeable = False
    return array


TestNumpy = conformance(
    "flydsl.adaptors.plugin",
    adaptor="numpy",
    tensors=Tensors.of_module("numpy").but(
        read_only=frozen,
        refused={"masked": lambda: np.ma.masked_array([1.0], mask=[True]), "objects": lambda: np.zeros(2, object)},
    ),
)
