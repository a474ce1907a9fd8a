"""A file that is edited while a process runs: the process does what it loaded, and the next one what the file says."""

from __future__ import annotations

import importlib
import os
import subprocess
import sys
import zipfile
from collections.abc import Callable
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest

from flydsl.base.errors import FrontendError

HELPERS = """
def scaled(v):
    if v > 2:
        v = v * 10
    return v
def added(v): return v + 1
"""
TEXT = """
import numpy as np
import flydsl.compiler as flyc
import flydsl.expr as fx
import edited_helpers
from edited_helpers import scaled

def doubled(v):
    if v > 1:
        v = v * 2
    return v

@flyc.kernel
def kernel(x: fx.Tensor, y: fx.Tensor):
    i = fx.thread_idx.x
    y[i] = edited_helpers.added(scaled(doubled(x[i])))

@flyc.jit
def run(x: fx.Tensor, y: fx.Tensor):
    kernel(x, y).launch(grid=1, block=4)

def result():
    x, y = np.arange(4, dtype=np.int32), np.zeros(4, np.int32)
    run(x, y)
    return y.tolist()
"""
LOADED = [1, 2, 41, 61]
EDITS = {
    "new text": lambda text: text.replace("v * 2", "v * 3").replace("v * 10", "v * 9 + 50").replace("+ 1", "+ 2"),
    "lines before": lambda text: "# one\n# two\n" + text,
    "a line within": lambda text: text.replace("    return v", "    v = v + 7\n    return v"),
    "a syntax error": lambda text: "def (\n" + text,
    "nothing left": lambda text: "",
    "binary": lambda text: "\0\udc80",
}
Load = Callable[[str, str], ModuleType]


@pytest.fixture
def load(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setattr(sys, "dont_write_bytecode", True)

    def write(text: str, helpers: str) -> None:
        for name, content in (("edited_user", text), ("edited_helpers", helpers)):
            (tmp_path / f"{name}.py").write_text(content, errors="surrogateescape")

    def make(text: str = TEXT, helpers: str = HELPERS) -> ModuleType:
        write(text, helpers)
        importlib.invalidate_caches()
        return importlib.import_module("edited_user")

    make.write = write
    yield make
    for name in ("edited_user", "edited_helpers"):
        sys.modules.pop(name, None)


@pytest.mark.parametrize("edit", EDITS.values(), ids=EDITS)
@pytest.mark.parametrize("interpreted", [False, True])
def test_the_first_call_runs_what_was_loaded(load, edit, interpreted, monkeypatch):
    monkeypatch.setenv("FLYDSL_INTERPRET", "1" if interpreted else "0")
    module = load()
    load.write(edit(TEXT), edit(HELPERS))
    assert module.result() == LOADED


def test_files_that_are_gone_do_no_harm(load, tmp_path):
    module = load()
    for file in tmp_path.glob("*.py"):
        file.unlink()
    assert module.result() == LOADED


def test_a_reload_runs_the_new_text(load):
    module = load()
    edit = EDITS["new text"]
    load.write(edit(TEXT), edit(HELPERS))
    assert module.result() == LOADED
    importlib.reload(sys.modules["edited_helpers"])
    module = importlib.reload(module)
    assert module.result() == eval_plain(module)
    assert module.result() != LOADED


def eval_plain(module: ModuleType) -> list[int]:
    return [module.edited_helpers.added(module.scaled(module.doubled(v))) for v in range(4)]


def test_the_cache_on_disk_has_each_text_under_its_own_key(load, tmp_path):
    """A process that is edited between import and call fills the cache for what it loaded."""
    load.write(TEXT, HELPERS)
    edit = EDITS["new text"]
    program = f"""
import sys; sys.path.insert(0, {str(tmp_path)!r}); sys.dont_write_bytecode = True
import edited_user
from pathlib import Path
for name in sys.argv[1:]:
    Path({str(tmp_path)!r}, name + ".py").write_bytes(Path({str(tmp_path)!r}, name + ".new").read_bytes())
print(edited_user.result())
"""
    (tmp_path / "edited_user.new").write_text(edit(TEXT))
    (tmp_path / "edited_helpers.new").write_text(edit(HELPERS))

    def run(*edited: str) -> str:
        done = subprocess.run([sys.executable, "-c", program, *edited], capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr
        return done.stdout.strip()

    assert run("edited_user", "edited_helpers") == str(LOADED)
    new = run()
    assert new != str(LOADED)
    load.write(TEXT, HELPERS)
    assert run() == str(LOADED)


def test_errors_show_the_line_that_was_loaded(load):
    module = load(TEXT.replace("scaled(doubled(x[i]))", "scaled(doubled(x[i])).nothing"))
    load.write("# other\n" * 40, HELPERS)
    with pytest.raises(FrontendError, match=r"y\[i\] = edited_helpers.added\(scaled\(doubled\(x\[i\]\)\)\.nothing"):
        module.result()


def test_a_helper_edited_before_anything_kept_its_text_is_not_traced_as_it_is_now(load, tmp_path):
    """Of a module that no decorated function names, the text is first seen while tracing."""
    (tmp_path / "edited_far.py").write_text(HELPERS)
    text = TEXT.replace("doubled(x[i])", "far(x[i])") + "import edited_far as _\ndef far(v): return by_name(v)\n"
    module = load(text)
    module.by_name = sys.modules.pop("edited_far").scaled
    (tmp_path / "edited_far.py").write_text(EDITS["new text"](HELPERS))
    with pytest.raises(FrontendError, match=r"scaled runs as plain Python: .* the file changed after it was imported"):
        module.result()


def test_an_archive_that_is_replaced_does_no_harm(tmp_path, monkeypatch):
    archive = tmp_path / "all.zip"

    def write(text: str) -> None:
        with zipfile.ZipFile(archive, "w") as made:
            made.writestr("edited_user.py", text)
            made.writestr("edited_helpers.py", HELPERS)

    write(TEXT)
    monkeypatch.syspath_prepend(str(archive))
    module = importlib.import_module("edited_user")
    try:
        write("# nothing\n" * 100)
        assert module.result() == LOADED
    finally:
        for name in ("edited_user", "edited_helpers"):
            sys.modules.pop(name, None)


def test_byte_code_without_its_source_says_so(tmp_path, monkeypatch):
    import py_compile

    for name, text in (("edited_user", TEXT), ("edited_helpers", HELPERS)):
        (tmp_path / f"{name}.py").write_text(text)
        py_compile.compile(str(tmp_path / f"{name}.py"), str(tmp_path / f"{name}.pyc"))
        os.unlink(tmp_path / f"{name}.py")
    monkeypatch.syspath_prepend(tmp_path)
    importlib.invalidate_caches()
    module = importlib.import_module("edited_user")
    try:
        with pytest.raises(FrontendError, match=r"has no readable source: ship the \.py file beside the compiled one"):
            module.result()
    finally:
        for name in ("edited_user", "edited_helpers"):
            sys.modules.pop(name, None)


def test_other_texts_of_one_cell_are_told_apart():
    import linecache

    def ran(number: int) -> Callable[[], float]:
        text = (
            "import flydsl.compiler as flyc, flydsl.expr as fx\n@flyc.kernel\ndef kernel(y: fx.Tensor):\n"
            f"    y[0] = {number}\n@flyc.jit\ndef run(y: fx.Tensor):\n    kernel(y).launch(grid=1, block=1)\n"
        )
        linecache.cache["<one cell>"] = (len(text), None, text.splitlines(True), "<one cell>")
        space: dict[str, object] = {}
        exec(compile(text, "<one cell>", "exec"), space)

        def call() -> float:
            y = np.zeros(1, np.float32)
            space["run"](y)
            return float(y[0])

        return call

    calls = [ran(number) for number in range(4)]
    assert [call() for call in calls] == [0, 1, 2, 3]
