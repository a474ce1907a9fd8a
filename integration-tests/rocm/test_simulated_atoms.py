"""Every matrix atom on every simulated chip that has it: one call on registers, against NumPy in float64."""

from __future__ import annotations

import numpy as np
import pytest
from support.matrix_atoms import ATOMS, MatrixAtom, run_atom

from flydsl_hipsim.bench import HipsimBench


@pytest.mark.parametrize("atom", ATOMS, ids=str)
def test_an_atom_is_the_product_that_its_layouts_say(
    atom: MatrixAtom, hipsim: HipsimBench, rng: np.random.Generator
) -> None:
    hipsim.use(atom.chip)
    found, expected = run_atom(atom, rng)
    np.testing.assert_array_equal(found, expected)
