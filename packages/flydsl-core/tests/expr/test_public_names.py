"""What `dir` and star imports of the language show: its public names, and nothing that a file imports for itself."""

from __future__ import annotations

from pathlib import Path
from types import ModuleType

from support.stable_api import read_entries

import flydsl.expr as fx
from flydsl.expr.targets.ir_types import IR_TYPES
from flydsl.expr.values import operand_types

TABLE = read_entries(Path(__file__).parents[1] / "data/stable_api.tsv")
MODULES = {
    "arith",
    "coop",
    "derived",
    "enum",
    "gpu",
    "ktrace",
    "llvm",
    "math",
    "numeric",
    "primitive",
    "random",
    "typing",
    "utils",
}


def public(module: ModuleType) -> set[str]:
    return set(getattr(module, "__all__", [name for name in vars(module) if not name.startswith("_")]))


def test_dir_has_public_names_that_exist() -> None:
    names = dir(fx)
    assert [name for name in names if name.startswith("_") or not hasattr(fx, name)] == []
    assert {name for name in names if isinstance(getattr(fx, name), ModuleType)} == MODULES
    assert not {"Any", "annotations", "import_module", "ir_type_class"} & set(names)


def test_dir_has_every_name_of_the_contract() -> None:
    paths = [entry.name.split(".") for entry in TABLE]
    names = {path[-1] for path in paths if path[:2] == ["flydsl", "expr"] and len(path) == 4}
    assert len(names) > 300
    assert names - set(dir(fx)) == set()


def test_a_group_has_names_of_the_language_only() -> None:
    for module in (fx.derived, fx.enum, fx.primitive):
        assert public(module) - set(dir(fx)) == set()


def test_the_types_are_those_of_the_language_and_of_operands() -> None:
    assert public(fx.typing) - set(dir(fx)) <= set(vars(operand_types))


def test_a_star_import_of_the_operations_has_the_types_of_the_ir() -> None:
    assert set(IR_TYPES) <= set(fx.primitive.__all__)
