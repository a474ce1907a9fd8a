"""Names of `flydsl.expr`."""

from __future__ import annotations

from flydsl.expr import arith

constant_vector, index_cast = arith.constant_vector, arith.index_cast
