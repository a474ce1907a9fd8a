"""What a function reads is found, watched, and part of its digest."""

from __future__ import annotations

import functools
import os
import subprocess
import sys
import textwrap
import types
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from flydsl.cache.dependencies import Dependencies, dependencies

Load = Callable[..., ModuleType]

KERNEL = """
    import helpers_of_mine
    from helpers_of_mine import imported, Base

    BLOCK = 128
    TABLE = [1, 2]
    DEEP = {"a": [1, {"b": (1, [2])}]}

    class Config(Base):
        TILE = 4
        NAMES = ["x"]

        @staticmethod
        def ways():
            return 2

    class State:
        def __init__(self):
            self.stages = 2
            self.inner = Config()

    state = State()
    alias = lambda x: x + 1

    def second(x):
        return x * BLOCK

    def helper(x, scale=2):
        def nested(y):
            return y + TABLE[0]
        return nested(second(x)) * scale

    def make(offset):
        def kernel(a, n, step=1, *, flag=True):
            x = helper(a) + offset + imported(n) + helpers_of_mine.CONST + helpers_of_mine.sub.DEEP_CONST
            x += Config.TILE + Config.INHERITED + len(Config.NAMES) + Config.ways() + state.stages
            return alias(x) + sum(range(n)) + DEEP["a"][0]
        return kernel

    kernel = make(5)
"""


@pytest.fixture
def module(load: Load, helpers: ModuleType) -> ModuleType:
    return load(KERNEL)


def cell(module: ModuleType) -> Any:
    return module.kernel.__closure__[0]


CHANGES: dict[str, Callable[[Any], object]] = {
    "global": lambda m: setattr(m, "BLOCK", 256),
    "global of another type": lambda m: setattr(m, "BLOCK", 128.0),
    "global list in place": lambda m: m.TABLE.append(3),
    "element of a global list": lambda m: m.TABLE.__setitem__(0, True),
    "deeply nested element": lambda m: m.DEEP["a"][1]["b"][1].append(1),
    "closure cell": lambda m: setattr(cell(m), "cell_contents", 6),
    "default argument": lambda m: setattr(m.kernel, "__defaults__", (2,)),
    "keyword default": lambda m: m.kernel.__kwdefaults__.update(flag=False),
    "default of a helper": lambda m: setattr(m.helper, "__defaults__", (3,)),
    "helper replaced": lambda m: setattr(m, "helper", m.second),
    "helper of a helper replaced": lambda m: setattr(m, "second", lambda x: x),
    "code of a helper replaced": lambda m: setattr(m.second, "__code__", (lambda x: x).__code__),
    "code of the function itself": lambda m: setattr(m.second, "__code__", m.alias.__code__),
    "lambda replaced": lambda m: setattr(m, "alias", lambda x: x + 2),
    "class attribute": lambda m: setattr(m.Config, "TILE", 8),
    "class attribute in place": lambda m: m.Config.NAMES.append("y"),
    "class attribute overridden": lambda m: setattr(m.Config, "INHERITED", 4),
    "attribute of a base class": lambda m: setattr(m.Base, "INHERITED", 4),
    "static method": lambda m: setattr(m.Config, "ways", staticmethod(lambda: 3)),
    "attribute of an object": lambda m: setattr(m.state, "stages", 3),
    "object replaced": lambda m: setattr(m, "state", types.SimpleNamespace(stages=4)),
    "constant of another module": lambda m: setattr(m.helpers_of_mine, "CONST", 9),
    "constant of a module in a module": lambda m: setattr(m.helpers_of_mine.sub, "DEEP_CONST", 9),
    "module replaced": lambda m: setattr(
        m, "helpers_of_mine", types.SimpleNamespace(CONST=2, sub=m.helpers_of_mine.sub)
    ),
    "builtin hidden by a global": lambda m: setattr(m, "sum", lambda values: 0),
    "constant removed": lambda m: delattr(m, "BLOCK"),
}


@pytest.mark.parametrize("change", CHANGES.values(), ids=CHANGES)
def test_change_of_what_is_read_is_noticed_and_changes_the_digest(
    module: ModuleType, change: Callable[[Any], object]
) -> None:
    before = dependencies(module.kernel)
    assert before.indexable, before.reason
    assert before.is_current()
    change(module)
    assert not before.is_current()
    assert not before.checker()()
    assert dependencies(module.kernel).digest != before.digest


def test_replaced_builtin_is_noticed(module: ModuleType, monkeypatch: pytest.MonkeyPatch) -> None:
    before = dependencies(module.kernel)
    with monkeypatch.context() as patch:
        patch.setattr("builtins.sum", lambda values: 0)
        assert not before.is_current()
        assert dependencies(module.kernel).digest != before.digest
    assert before.is_current()


@pytest.mark.parametrize(
    "change",
    [
        lambda m: setattr(m, "UNUSED", 3),
        lambda m: setattr(m.Config, "OTHER", 3),
        lambda m: setattr(m.state, "other", 3),
        lambda m: setattr(m.helpers_of_mine, "OTHER", 3),
        lambda m: setattr(m, "sys", 3),
    ],
)
def test_change_of_what_is_not_read_is_ignored(module: ModuleType, change: Callable[[Any], object]) -> None:
    before = dependencies(module.kernel)
    change(module)
    assert before.is_current()
    assert dependencies(module.kernel).digest == before.digest


def test_value_that_comes_back_gives_the_digest_back(module: ModuleType) -> None:
    before = dependencies(module.kernel)
    module.BLOCK = 1000
    module.BLOCK = 128
    assert dependencies(module.kernel).digest == before.digest


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("BLOCK = 128", "BLOCK = 129"),
        ("make(5)", "make(6)"),
        ("scale=2", "scale=3"),
        ("x * BLOCK", "x + BLOCK"),
        ("y + TABLE[0]", "y - TABLE[0]"),
        ("TILE = 4", "TILE = 5"),
        ("x + 1", "x + 2"),
        ("self.stages = 2", "self.stages = 3"),
    ],
)
def test_edited_source_has_another_digest(load: Load, module: ModuleType, old: str, new: str) -> None:
    before = dependencies(module.kernel).digest
    assert KERNEL.count(old) == 1
    assert dependencies(load(KERNEL.replace(old, new)).kernel).digest != before


def test_place_of_the_source_does_not_matter(load: Load, module: ModuleType, monkeypatch: pytest.MonkeyPatch) -> None:
    before = dependencies(module.kernel).digest
    text = KERNEL.replace("BLOCK = 128", "# moved down\n\n\n    BLOCK = 0x80  # and respelled")
    elsewhere = load(text, "another_name", "deep/down")
    monkeypatch.chdir(Path(elsewhere.__file__ or "").parent)
    assert dependencies(elsewhere.kernel).digest == before


def test_import_order_does_not_matter(load: Load, module: ModuleType) -> None:
    before = dependencies(module.kernel).digest
    lines = textwrap.dedent(KERNEL).strip().split("\n")
    assert all("import" in line for line in lines[:2])
    swapped = "\n".join([lines[1], lines[0], *lines[2:]])
    assert dependencies(load(swapped).kernel).digest == before


GOLDEN = "d5c1758f52a3478d72652f27927b3ee024dd1ae240b401f090991f7667c2c70b"
"""The digest of the kernel above under every supported version of Python; a change of the encoding changes it."""


def test_hash_seed_process_and_python_version_do_not_matter(tmp_path: Path, module: ModuleType) -> None:
    (tmp_path / "run.py").write_text(
        "import user_module\nfrom flydsl.cache.dependencies import dependencies\n"
        "print(dependencies(user_module.kernel).digest)"
    )
    found = [dependencies(module.kernel).digest]
    for seed in range(3):
        environment = {**os.environ, "PYTHONHASHSEED": str(seed), "PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
        done = subprocess.run(
            [sys.executable, "run.py"], cwd=tmp_path, env=environment, capture_output=True, text=True, check=True
        )
        found.append(done.stdout.strip())
    assert found == [GOLDEN] * 4


def test_import_inside_is_followed(load: Load, helpers: ModuleType) -> None:
    module = load("def kernel():\n    from helpers_of_mine import CONST\n    return CONST")
    before = dependencies(module.kernel)
    helpers.CONST = 4
    assert not before.is_current()
    assert dependencies(module.kernel).digest != before.digest


def test_wrapper_made_by_a_decorator_is_read_with_what_it_wraps(load: Load) -> None:
    text = """
    import functools, contextlib
    def twice(function):
        @functools.wraps(function)
        def wrapper(*args): return function(*args) * TIMES
        return wrapper
    TIMES = 2
    @twice
    def helper(x): return x
    @contextlib.contextmanager
    def region(x): yield x
    def kernel(x):
        with region(x): return helper(x)
    """
    before = dependencies(load(text).kernel)
    assert before.indexable, before.reason
    for old, new in (("return x\n", "return -x\n"), ("TIMES = 2", "TIMES = 3"), ("yield x", "yield -x")):
        assert dependencies(load(text.replace(old, new)).kernel).digest != before.digest


class Decorated:
    """What a decorator of ours leaves: an object around the function, with options of its own."""

    __module__ = "flydsl.expr.pretended"

    def __init__(self, function: Callable[..., Any], options: tuple[int, ...] = ()) -> None:
        functools.update_wrapper(self, function)
        self.calls: list[int] = []
        self.options = options

    def __cache_signature__(self) -> tuple[int, ...]:
        return self.options


def test_decorated_kernel_is_read_with_its_options(module: ModuleType) -> None:
    kernel: Any = Decorated(module.second, (64,))

    def launch() -> Any:
        return kernel(1)

    before = dependencies(launch)
    assert before.indexable, before.reason
    kernel.calls.append(1)
    assert before.is_current()
    kernel.options = (128,)
    assert not before.is_current()
    after = dependencies(launch)
    assert after.digest != before.digest
    module.BLOCK = 64
    assert not after.is_current()
    assert dependencies(launch).digest != after.digest


def test_decorated_function_can_be_given_itself(module: ModuleType) -> None:
    assert dependencies(Decorated(module.kernel)).digest == dependencies(module.kernel).digest


def test_covered_packages_are_left_out(load: Load, helpers: ModuleType) -> None:
    module = load(KERNEL)
    covered = frozenset({"flydsl", "helpers_of_mine"})
    before = dependencies(module.kernel, covered=covered)
    helpers.imported.__defaults__ = (9,)
    assert before.is_current()
    assert dependencies(module.kernel, covered=covered).digest == before.digest
    helpers.CONST = 9  # at run time
    assert not before.is_current()
    changed = dependencies(module.kernel, covered=covered)
    assert changed.digest != before.digest
    helpers.CONST = lambda: 3  # a function that is not of the package
    assert not changed.is_current()
    assert dependencies(module.kernel, covered=covered).digest not in (before.digest, changed.digest)


def test_target_words_from_another_package_are_covered_through_ours(
    load: Load, monkeypatch: pytest.MonkeyPatch
) -> None:
    words = load("def barrier(): return 1", "words_of_a_backend")
    ours = types.ModuleType("flydsl.expr.pretended")
    module = load("import types\nfx = None\ndef kernel(): return fx.target.barrier()")
    module.fx = ours
    before = dependencies(module.kernel)
    monkeypatch.setattr(ours, "target", words, raising=False)  # loaded by now
    assert dependencies(module.kernel).digest == before.digest
    assert before.indexable


def test_traced_kernel_whose_code_pytest_rewrote_is_indexable(module: ModuleType) -> None:
    def kernel(x: int) -> int:
        assert x > 0
        return x

    decorated: Any = Decorated(kernel)

    def launch() -> Any:
        return decorated(1)

    found = dependencies(launch)
    assert found.indexable, found.reason


def test_module_with_getattr_of_its_own_is_asked_each_time(load: Load) -> None:
    lazy = load("VALUES = {'BLOCK': 1}\ndef __getattr__(name):\n    return VALUES[name]", "lazy_of_mine")
    module = load("import lazy_of_mine\ndef kernel(): return lazy_of_mine.BLOCK")
    before = dependencies(module.kernel)
    lazy.VALUES["BLOCK"] = 2
    assert not before.is_current()
    assert dependencies(module.kernel).digest != before.digest


def test_empty_closure_cell_is_noticed_when_filled() -> None:
    def outer() -> tuple[Dependencies, Dependencies]:
        def kernel() -> int:
            return later

        before = dependencies(kernel)
        later = 3
        return before, dependencies(kernel)

    before, after = outer()
    assert not before.is_current()
    assert before.digest != after.digest


TRACED = """
    N, M, LOG, TABLE = 1, 1, [], {"a": 1}
    def count():
        global N
        N += 1
    def kernel():
        count()
        LOG.append(M)
        TABLE["b"] = N
        return TABLE["a"]
"""


def test_what_a_trace_changes_itself_is_watched_no_more(load: Load) -> None:
    module = load(TRACED)
    before = dependencies(module.kernel)
    module.kernel()
    assert not before.is_current()
    after = before.after_trace()
    assert after.is_current()
    assert not after.indexable
    assert after.token == before.token
    module.kernel()
    assert after.after_trace().is_current()


def test_what_it_left_alone_is(load: Load) -> None:
    changes: list[Callable[[Any], object]] = [
        lambda m: m.TABLE.update(a=2),
        lambda m: m.LOG.clear(),
        lambda m: setattr(m, "LOG", []),
        lambda m: setattr(m, "M", 2),
    ]
    for change in changes:
        module = load(TRACED)
        before = dependencies(module.kernel)
        module.kernel()
        after = before.after_trace()
        assert after.is_current()
        change(module)
        assert not after.is_current()


def test_a_global_that_another_thread_binds_meanwhile_is_not_the_traces_own(load: Load) -> None:
    module = load(TRACED)
    before = dependencies(module.kernel)
    module.kernel()
    module.M = 2
    assert not before.after_trace().is_current()


def test_a_trace_that_changes_nothing_leaves_the_same_reading(module: ModuleType) -> None:
    before = dependencies(module.kernel)
    assert before.after_trace() is before
