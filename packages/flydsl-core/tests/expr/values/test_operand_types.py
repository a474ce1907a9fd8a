"""Aliases of operands: documented, and free of imports at run time."""

from __future__ import annotations

import ast
import subprocess
import sys
from pathlib import Path

from flydsl.expr.values import operand_types

BODY = ast.parse(Path(operand_types.__file__).read_text()).body
ALIASES = [node.target.id for node in BODY if isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name)]


def test_every_alias_says_what_it_stands_for():
    assert {"IntTupleLike", "ShapeLike", "CoordLike", "LayoutLike", "TilerLike", "ScalarLike"} <= set(ALIASES)
    for node, following in zip(BODY, [*BODY[1:], None], strict=True):
        if isinstance(node, ast.AnnAssign):
            assert isinstance(following, ast.Expr), ast.unparse(node)
            assert isinstance(following.value, ast.Constant)


def test_the_aliases_import_no_module_of_the_language():
    code = "import sys, flydsl.expr.values.operand_types as t; t.LayoutLike; t.IntTupleLike; "
    code += "print([name for name in sys.modules if name.startswith('xdsl') or name in ('numpy', 'torch')])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"
