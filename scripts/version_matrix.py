"""The versions of other projects that this one is tried with, and what is run with each."""

from __future__ import annotations

import re
import tomllib
from dataclasses import dataclass
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]


@dataclass(frozen=True, slots=True)
class Program:
    """A generator of random programs; `{count}` among its words is how many, so many for each second."""

    words: tuple[str, ...]
    per_second: float

    def command(self, seconds: float) -> list[str]:
        """Its words for a run of about so many seconds."""
        count = max(1, round(self.per_second * seconds))
        return [word.format(count=count) for word in self.words]


@dataclass(frozen=True, slots=True)
class Dependency:
    """A project that a distribution of ours requires, by its name on an index."""

    name: str
    module: str
    declared_in: str
    """The folder whose pyproject.toml has the bound: in its dependencies, or in the group `test` of the workspace."""
    versions: tuple[str, ...]
    """Oldest first: that of the bound, the newest, and some between, with each that behaves otherwise."""
    tests: tuple[str, ...]
    examples: str
    programs: tuple[Program, ...]

    def bound(self) -> str:
        """The lowest version that the metadata allows."""
        with Path(ROOT, self.declared_in, "pyproject.toml").open("rb") as file:
            return lower_bound(tomllib.load(file), self.name)


def lower_bound(project: dict[str, Any], name: str) -> str:
    """The lowest version of `name` that a project file allows; ValueError when it states none."""
    stated = [*project["project"].get("dependencies", ()), *project.get("dependency-groups", {}).get("test", ())]
    for requirement in stated:
        found = isinstance(requirement, str) and re.fullmatch(rf"{name}>=([\d.]+)(,.*)?", requirement)
        if found:
            return found[1]
    raise ValueError(f"no lower bound of {name}")


_KERNELS = Program(("integration-tests/nightly/random_kernels.py", "--count", "{count}"), 2)
_NUMBERS = ("packages/flydsl-core/tests/adaptors", "integration-tests/kernels/test_boolean_tensors.py")
_LANGUAGE = "examples/0[1-6]_*.py"

DEPENDENCIES = (
    Dependency(
        name="torch",
        module="torch",
        declared_in="packages/flydsl-torch",
        versions=("2.8.0", "2.9.1", "2.11.0", "2.13.0", "2.14.1"),
        tests=("packages/flydsl-torch/tests", "integration-tests/torch"),
        examples="examples/torch_*.py",
        programs=(
            Program(("integration-tests/torch/random_kinds.py", "1", "{count}"), 100),
            Program(("integration-tests/torch/random_graphs.py", "1", "{count}"), 1),
        ),
    ),
    Dependency(
        name="jax",
        module="jax",
        declared_in="packages/flydsl-jax",
        versions=("0.8.1", "0.9.2", "0.10.2"),
        tests=("packages/flydsl-jax/tests", "integration-tests/jax"),
        examples="examples/jax_*.py",
        programs=(_KERNELS,),
    ),
    Dependency(
        name="numpy",
        module="numpy",
        declared_in="",
        versions=("2.1.0", "2.2.6", "2.4.6"),
        tests=_NUMBERS,
        examples=_LANGUAGE,
        programs=(_KERNELS,),
    ),
    Dependency(
        name="ml-dtypes",
        module="ml_dtypes",
        declared_in="",
        versions=("0.5.0", "0.6.0"),
        tests=_NUMBERS,
        examples=_LANGUAGE,
        programs=(_KERNELS,),
    ),
    Dependency(
        name="xdsl",
        module="xdsl",
        declared_in="packages/flydsl-core",
        versions=("0.74.0", "0.75.0"),
        tests=("packages/flydsl-core/tests/ir", "packages/flydsl-core/tests/passes"),
        examples=_LANGUAGE,
        programs=(_KERNELS,),
    ),
    Dependency(
        name="pluggy",
        module="pluggy",
        declared_in="packages/flydsl-core",
        versions=("1.7.0",),
        tests=("packages/flydsl-core/tests/plugins",),
        examples="examples/01_*.py",
        programs=(_KERNELS,),
    ),
)
