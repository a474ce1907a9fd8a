"""The content of the native toolchain: remembered while its files are the same, and never after."""

from __future__ import annotations

import importlib
import sys
from collections.abc import Callable, Iterator
from importlib.machinery import PathFinder
from pathlib import Path

import pytest

from flydsl.base.errors import ToolchainMissingError
from flydsl.base.files import file_digest
from flydsl.toolchain.native import NativeToolchain
from flydsl.toolchain.native_content import NativeContent, known_content

IDENTITY = """
from pathlib import Path
import flydsl_mlir._build as build
HERE = Path(__file__).parent
def distribution_version(): return build.VERSION
def native_file(): return HERE / "_native.so"
def shared_libraries(llvm_dir=None): return (HERE.parents[1] / "lib/libLLVM.so",)
def library_state(llvm_dir=None):
    (library,) = shared_libraries()
    try:
        return ("libLLVM:" + library.read_text(),), library.stat().st_ctime_ns
    except FileNotFoundError as error:
        raise ImportError("apt install") from error
"""


def forget() -> None:
    """Let the package be imported again."""
    for name in [name for name in sys.modules if name.partition(".")[0] == "flydsl_mlir"]:
        del sys.modules[name]
    importlib.invalidate_caches()


class Installation:
    """A package `flydsl_mlir` with a library, and what processes that start now would say of it."""

    def __init__(self, root: Path) -> None:
        self.memo, self.path, self.library = root / "cache/memo", root / "site", root / "lib/libLLVM.so"
        self.package = self.path / "flydsl_mlir"
        self.package.mkdir(parents=True)
        self.library.parent.mkdir()
        self.library.write_text("id1")
        (self.package / "_native.so").write_bytes(b"native")
        for name, text in {"__init__": "", "_build": "VERSION = '1.0'\n", "identity": IDENTITY}.items():
            (self.package / f"{name}.py").write_text(text)

    def start(self) -> str:
        """The fingerprint in another process."""
        forget()
        return NativeToolchain(memo=self.memo).fingerprint()

    @property
    def was_imported(self) -> bool:
        return "flydsl_mlir" in sys.modules


@pytest.fixture
def installation(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Installation]:
    """Files count as settled at once, and as those that this process has loaded."""
    real = {name: module for name, module in sys.modules.items() if name.partition(".")[0] == "flydsl_mlir"}
    monkeypatch.setattr(file_digest, "SETTLED_NS", -(10**18))
    monkeypatch.setattr("flydsl.toolchain.native.process_mark", lambda changed_ns: "")
    monkeypatch.setattr(sys, "dont_write_bytecode", True)
    made = Installation(tmp_path)
    monkeypatch.syspath_prepend(str(made.path))
    monkeypatch.setattr(sys, "meta_path", [PathFinder, *sys.meta_path])  # before the finders of editable installs
    forget()
    yield made
    forget()
    sys.modules.update(real)


def test_it_is_told_without_an_import(installation: Installation) -> None:
    told = installation.start()
    assert installation.was_imported
    assert told.startswith("flydsl-mlir 1.0 ")
    assert told.endswith(" libLLVM:id1")
    assert installation.start() == told
    assert not installation.was_imported


CHANGES: dict[str, Callable[[Installation], object]] = {
    "native module": lambda i: (i.package / "_native.so").write_bytes(b"other!"),
    "library": lambda i: i.library.write_text("id2"),
    "library, replaced": lambda i: (
        (i.library.parent / "new").write_text("id2"),
        (i.library.parent / "new").replace(i.library),
    ),
    "version": lambda i: (i.package / "_build.py").write_text("VERSION = '1.1'\n"),
    "code": lambda i: (i.package / "identity.py").write_text(IDENTITY.replace("libLLVM:", "other:")),
}


@pytest.mark.parametrize("change", CHANGES)
def test_a_change_is_seen(change: str, installation: Installation) -> None:
    toolchain = NativeToolchain(memo=installation.memo)
    before = {installation.start(), installation.start(), toolchain.fingerprint()}
    assert len(before) == 1
    CHANGES[change](installation)
    after = installation.start()
    assert after not in before
    assert installation.was_imported
    assert toolchain.fingerprint() == after  # the same process sees it, too
    assert installation.start() == after
    assert not installation.was_imported


def test_another_installation_has_its_own(
    installation: Installation, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = installation.start()
    other = Installation(tmp_path / "other")
    (other.package / "_native.so").write_bytes(b"other!")
    monkeypatch.syspath_prepend(str(other.path))
    assert installation.start() != first
    assert installation.was_imported


def test_what_is_missing_is_named_each_time(installation: Installation) -> None:
    installation.start()
    installation.library.unlink()
    for _ in range(2):
        with pytest.raises(ToolchainMissingError, match="the native toolchain is incomplete: apt install"):
            installation.start()


def test_another_prefix_is_looked_up_each_time(installation: Installation) -> None:
    content, memo = known_content("/llvm", installation.memo)
    assert content.libraries == ("libLLVM:id1",)
    assert memo is None
    _, memo = known_content(None, installation.memo)
    assert memo is not None
    assert NativeContent(*memo.value) == content


def test_a_replaced_file_marks_the_process(installation: Installation, monkeypatch: pytest.MonkeyPatch) -> None:
    """What this process has loaded may be what was there before: its code is for itself alone."""
    installation.start()
    monkeypatch.setattr("flydsl.toolchain.native.process_mark", lambda changed_ns: f"+{changed_ns}")
    marked = installation.start()
    assert not installation.was_imported
    module, library = (installation.package / "_native.so").stat(), installation.library.stat()
    assert f"+{max(module.st_mtime_ns, module.st_ctime_ns)}+{library.st_ctime_ns} " in marked


def test_a_module_that_is_imported_says_it_itself(installation: Installation) -> None:
    """And the memo is written once a process."""
    first, memo = known_content(None, installation.memo)
    (file,) = installation.memo.glob("toolchain-*")
    file.unlink()
    (installation.package / "_native.so").write_bytes(b"other!")
    second, memo = known_content(None, installation.memo, memo)
    assert second.digest != first.digest
    assert known_content(None, installation.memo, memo) == (second, memo)
    assert not file.exists()
