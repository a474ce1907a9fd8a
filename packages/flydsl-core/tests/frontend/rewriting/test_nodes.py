"""Walks over syntax trees against those of `ast`, on the sources of this repository's own front end."""

from __future__ import annotations

import ast
import random
from pathlib import Path

import pytest

import flydsl.frontend.rewriting.rewriter as rewriter
from flydsl.frontend.rewriting.nodes import give_positions, is_leaf, parts, walk

MARKS = ast.expr_context | ast.boolop | ast.operator | ast.unaryop | ast.cmpop
FILES = sorted(Path(rewriter.__file__).parent.glob("*.py"))


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_the_nodes_are_those_of_ast_but_for_contexts_and_operators(file: Path) -> None:
    tree = ast.parse(file.read_text())
    assert list(walk(tree)) == [node for node in ast.walk(tree) if not isinstance(node, MARKS)]
    for node in walk(tree):
        assert parts(node) == [part for part in ast.iter_child_nodes(node) if not isinstance(part, MARKS)]


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_positions_that_are_missing_are_those_that_ast_gives(file: Path) -> None:
    trees = []
    for give in (ast.fix_missing_locations, give_positions):
        tree, chosen = ast.parse(file.read_text()), random.Random(file.stem)
        for node in ast.walk(tree):
            for name in node._attributes:
                if name in node.__dict__ and chosen.random() < 0.2:
                    delattr(node, name)
        give(tree)
        trees.append(ast.dump(tree, include_attributes=True))
    assert trees[0] == trees[1]


def test_a_walk_sees_what_its_visitor_changed() -> None:
    tree = ast.parse("a + b").body[0]
    seen = []
    for node in walk(tree):
        if isinstance(node, ast.BinOp):
            node.left = ast.Constant(1)
        seen.append(type(node))
    assert seen == [ast.Expr, ast.BinOp, ast.Constant, ast.Name]


def test_leaves_are_plain_values_contexts_and_operators() -> None:
    assert all(map(is_leaf, (str, type(None), ast.Load, ast.Not, ast.Add, ast.Eq, ast.And)))
    assert not any(map(is_leaf, (ast.Name, ast.Pass, ast.Break, list)))
