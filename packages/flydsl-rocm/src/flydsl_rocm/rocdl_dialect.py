"""The `rocdl` dialect for the parser."""

from __future__ import annotations

from xdsl.ir import Dialect

from flydsl_rocm.rocdl import operation_class, signatures

ROCDL = Dialect("rocdl", [operation_class(name) for name in signatures()])
