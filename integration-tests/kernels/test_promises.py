"""A few kernels without the promises that our code makes to LLVM: the same results as with them."""

from __future__ import annotations

import pytest
from support.promises.cases import case
from support.promises.session import Session


@pytest.mark.parametrize("number", [1, 3, 8, 10])
def test_results_without_promises_equal_those_with_them(number, target, tmp_path):
    session = Session(target.arch or target.name, "rocm" if target.arch else target.name)
    session.look_at(case(number, 5, tmp_path))
    assert [text for row in session.rows.values() for text in row.differences] == []
    assert sum(row.carried for row in session.rows.values()) > 1
