"""The reference of the plugin API says what the code says: every hook, manifest field, method and its signature."""

from __future__ import annotations

import inspect
import re
import subprocess
import sys
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path

import pytest

from flydsl.plugins import (
    API_VERSION,
    CompileBackend,
    CompileBackendManifest,
    DeviceInfo,
    DeviceRef,
    DeviceRuntime,
    DeviceRuntimeManifest,
    DeviceStatus,
    DType,
    ExchangeRead,
    GPUTarget,
    HeaderRead,
    Inline,
    TensorAdaptor,
    TensorAdaptorManifest,
    TensorDesc,
    hookspecs,
)
from flydsl.plugins.scan.hooks import HOOKS
from flydsl.testing.suite import conformance

ROOT = Path(__file__).resolve().parents[2]
PAGE = ROOT / "docs/reference/plugin_api.md"
DOORS = sorted((ROOT / "packages/flydsl-core/src/flydsl/backend").glob("[!_]*.py"))
NOUNS = (CompileBackend, DeviceRuntime, TensorAdaptor)
MANIFESTS = (CompileBackendManifest, DeviceRuntimeManifest, TensorAdaptorManifest)
DATA = (GPUTarget, DeviceStatus, DeviceInfo, TensorDesc, DType, DeviceRef, Inline, ExchangeRead, HeaderRead)


def signature(function: object) -> str:
    """As the source has it, without `self`."""
    text = str(inspect.signature(function)).replace("'", "")  # type: ignore[arg-type]
    return re.sub(r"^\(self(, )?", "(", text)


def methods(noun: type) -> Iterator[str]:
    """A line for each public method: signature, whether it must be written, first sentence of its documentation."""
    for name, member in vars(noun).items():
        if name.startswith("_") or not (inspect.isfunction(member) or isinstance(member, property)):
            continue
        function = member.fget if isinstance(member, property) else member
        text = f"property {name}" if isinstance(member, property) else f"{name}{signature(member)}"
        required = " (abstract)" if getattr(function, "__isabstractmethod__", False) else ""
        yield f"* `{text}`{required}: {sentence(function)}"


def fields(data: type) -> Iterator[str]:
    """Name, type and default of each field."""
    for name, parameter in inspect.signature(data).parameters.items():
        type_ = getattr(parameter.annotation, "__forward_arg__", parameter.annotation)
        default = parameter.default
        shown = "" if default is parameter.empty else f" = {default!r}".replace("<factory>", "{}")
        yield f"`{name}: {type_}{shown}`"


def sentence(thing: object) -> str:
    """The first paragraph of the documentation, on one line."""
    text = inspect.getdoc(thing) or ""
    return " ".join(text.split("\n\n")[0].split())


def section(title: str) -> str:
    """What stands under a heading of the page."""
    found = re.search(rf"^## {re.escape(title)}\n(.*?)(?=^## |\Z)", PAGE.read_text(), re.MULTILINE | re.DOTALL)
    assert found, f"the page has no section {title!r}"
    return found.group(1)


@pytest.mark.parametrize("name", HOOKS)
def test_each_hook_has_a_heading_with_its_signature(name: str) -> None:
    hook = getattr(hookspecs, name)
    assert f"### `{name}{signature(hook)}`\n\n{sentence(hook)}" in section("The hooks")


@pytest.mark.parametrize("noun", NOUNS, ids=lambda noun: noun.__name__)
def test_each_noun_has_its_methods_and_no_others(noun: type) -> None:
    assert re.findall(r"^\* `.*$", section(noun.__name__), re.MULTILINE) == list(methods(noun))


@pytest.mark.parametrize("data", [*MANIFESTS, *DATA], ids=lambda data: data.__name__)
def test_data_has_its_fields_and_no_others(data: type) -> None:
    title = "The manifests" if data in MANIFESTS else "Data"
    found = re.search(rf"^### `{data.__name__}`\n(.*?)(?=^### |\Z)", section(title), re.MULTILINE | re.DOTALL)
    assert found, f"no heading for {data.__name__}"
    assert re.findall(r"^\* (`\w+: [^`]+`)", found.group(1), re.MULTILINE) == list(fields(data))


def test_the_suite_is_shown_with_its_signature() -> None:
    for name in inspect.signature(conformance).parameters:
        assert f"`{name}" in section("The conformance suite"), name


def test_the_version_is_named() -> None:
    assert f"plugin API {API_VERSION}" in PAGE.read_text()


def test_the_doors_have_their_names_and_no_others() -> None:
    rooms = re.findall(
        r"^### `(flydsl\.backend\.\w+)`\n(.*?)(?=^### |\Z)", section("The doors"), re.MULTILINE | re.DOTALL
    )
    assert [door for door, _ in rooms] == [f"flydsl.backend.{path.stem}" for path in DOORS]
    for door, text in rooms:
        assert re.findall(r"^\| `(\w+)` \|", text, re.MULTILINE) == list(import_module(door).__all__), door


def test_the_doors_say_what_their_docstrings_say() -> None:
    script = ROOT / "scripts/generate_door_reference.py"
    done = subprocess.run([sys.executable, str(script), "--check"], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
