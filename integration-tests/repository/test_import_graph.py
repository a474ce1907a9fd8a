"""Floors of the larger packages, and the circles of imports that are left: the list may only shrink."""

from __future__ import annotations

from collections import defaultdict

import pytest
from support.import_graph import circles, imports, modules

# Rows from the ground up. A module imports from its own entry and from rows below, lazily too; an entry is a module or
# a folder, and the longest that fits counts.
FLOORS: dict[str, tuple[tuple[str, ...], ...]] = {
    "flydsl.expr": (
        ("tracing", "targets"),
        ("numbers",),
        ("numeric",),  # public, and the ground of the rooms that follow
        ("numbers.vector_names", "layouts"),
        ("memory",),
        ("tiles", "threads"),
        ("values",),
        ("extern", "fields_in_brackets", "meta", "operations", "specialised"),
        ("arith", "gpu", "ktrace", "llvm", "math", "struct"),
        ("derived", "enum", "primitive", "random", "typing", "utils"),
    ),
    "flydsl.base": (
        ("dlpack", "float_formats", "interception", "launch_flags", "launch_limits", "namespace", "origin", "wording"),
        ("arithmetic", "errors", "other_versions", "references", "slots"),
        ("container_items", "files", "setting"),
        ("location", "settings"),
        ("process",),
        ("startup",),
        ("bitcode",),
    ),
    "flydsl.frontend": (
        ("exceptions", "externals", "foreign_errors", "launch"),
        ("control",),
        ("rewriting",),
        ("annotations", "diagnostics"),
        ("signature",),
        ("trace",),
    ),
    "flydsl.plugins": (
        ("class_names", "code_report", "compile_backend", "conformance", "device_runtime", "entry_points"),
        ("factory", "tensor_adaptor"),
        ("manifests",),
        ("code", "hookspecs", "tables"),
        ("scan",),
        ("registry",),
        ("active",),
        ("registration",),
    ),
    "flydsl.compiler": (
        ("extern_link", "link_utils", "options"),
        ("mlir_compiler", "stages"),
        ("ast_rewriter", "call", "kernel"),
        ("modes", "protocol"),
        ("aot", "kernel_function"),
        ("jit",),
        ("compile", "interpret"),
    ),
}
UPWARDS = {
    ("flydsl.expr.numbers.named_methods", "flydsl.expr.threads.shuffle"): "x.shuffle_xor(...) is a method of numbers",
}
# Modules that import each other, and why it stays: every circle is one of these, closed by imports inside of functions.
CIRCLES: dict[str, str] = {
    "flydsl.expr.layouts: evaluate int_tuple layout value": "operators of values are functions that give such values",
    "flydsl.expr.numbers: vector vector_alias": "the class of a vector type is itself a Vector",
    "flydsl.layout: coalesce compose divide inverse layout make product query recast render tiled": (
        "functions of the algebra give layouts, and layouts have them as methods"
    ),
}


def entry_of(module: str, package: str) -> str:
    entries = [entry for row in FLOORS[package] for entry in row]
    inside = module.removeprefix(f"{package}.")
    return max((entry for entry in entries if f"{inside}.".startswith(f"{entry}.")), key=len, default="")


@pytest.mark.parametrize("package", FLOORS)
def test_every_module_stands_on_a_floor(package: str) -> None:
    inside = [module for module in modules() if module.startswith(f"{package}.")]
    assert [module for module in inside if not entry_of(module, package)] == []
    used = {entry_of(module, package) for module in inside}
    assert [entry for row in FLOORS[package] for entry in row if entry not in used] == []


@pytest.mark.parametrize("package", FLOORS)
def test_imports_go_down_the_floors(package: str) -> None:
    floor = {entry: number for number, row in enumerate(FLOORS[package]) for entry in row}
    upwards = []
    for importer, imported, line, _ in imports():
        if not (importer.startswith(f"{package}.") and imported.startswith(f"{package}.")):
            continue
        own, other = entry_of(importer, package), entry_of(imported, package)
        if own != other and floor[other] >= floor[own] and (importer, imported) not in UPWARDS:
            upwards.append(f"{importer}:{line} imports {imported}")
    assert upwards == []


def test_every_exception_is_needed() -> None:
    edges = {(one.importer, one.imported) for one in imports()}
    assert set(UPWARDS) <= edges


def edges(*, lazy: bool) -> dict[str, set[str]]:
    graph: dict[str, set[str]] = defaultdict(set)
    for one in imports():
        if lazy or not one.is_lazy:
            graph[one.importer].add(one.imported)
    return graph


def described(circle: list[str]) -> str:
    (package,) = {module.rpartition(".")[0] for module in circle}
    return f"{package}: {' '.join(module.rpartition('.')[2] for module in circle)}"


def test_no_circle_closes_while_files_are_imported() -> None:
    assert circles(edges(lazy=False)) == []


def test_the_circles_are_those_of_the_list() -> None:
    """A circle that is gone or smaller leaves the list; a new one does not get into it."""
    assert sorted(map(described, circles(edges(lazy=True)))) == sorted(CIRCLES)


@pytest.mark.parametrize("circle", CIRCLES)
def test_circles_are_small(circle: str) -> None:
    assert circle.startswith("flydsl.layout:") or len(circle.partition(": ")[2].split()) <= 4


def test_a_circle_is_found_whole() -> None:
    graph = {"a": {"b"}, "b": {"c", "e"}, "c": {"a", "d"}, "d": set(), "e": {"f"}, "f": {"e"}}
    assert circles(graph) == [["a", "b", "c"], ["e", "f"]]
