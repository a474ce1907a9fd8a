"""Functions in; whether what they read is known surely enough for the index of the cache."""

import linecache
import textwrap
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from flydsl.base.errors import SourceUnavailableError
from flydsl.cache.dependencies import dependencies

Load = Callable[..., ModuleType]


@pytest.mark.usefixtures("helpers")
@pytest.mark.parametrize(
    ("body", "reason"),
    [
        ("return os.environ['X']", "the environment"),
        ("return os.getpid()", "getpid"),
        ("return time.time()", "time"),
        ("return random.random()", "random"),
        ("return open('x').read()", "may depend on more than its arguments"),
        ("return eval('BLOCK')", "'eval' reads more"),
        ("return globals()['BLOCK']", "'globals' reads more"),
        ("return getattr(helpers_of_mine, 'CON' + 'ST')", "module 'helpers_of_mine' is used as a value"),
        ("return lock.locked()", "lock"),
        ("return ctypes.c_int.from_address(1).value", "c_int"),
        ("def inner(a: time.time()): pass", "time"),
        ("return arrays[0][0]", "ndarray"),
        ("return np.geterr()", "compiled"),
        ("return logging.getLogger().level", "logger"),
        ("return getattr(log, 'le' + 'vel')", "logger"),
        ("return isinstance(log, collections.abc.Sized)", "registered"),
        ("return helper.__globals__['BLOCK']", "__globals__"),
        ("return Mine.__subclasses__()", "__subclasses__"),
        ("return day.today()", "today"),
        ("return kept()", "keeps results of earlier calls"),
        ("import not_loaded_yet\n        return not_loaded_yet.X", "not loaded yet"),
        ("return unsourced()", "no readable source"),
    ],
)
def test_what_cannot_be_read_surely_is_not_indexable(load: Load, body: str, reason: str) -> None:
    module = load(f"""
    import collections.abc, ctypes, datetime, functools, logging, os, random, threading, time
    import numpy
    import numpy as np
    import helpers_of_mine
    BLOCK = 1
    lock = threading.Lock()
    arrays = numpy.array([[1], [1, 2]], object)
    log = logging.getLogger(__name__)
    day = datetime.date(2024, 1, 1)
    class Mine: pass
    def helper(): return 1
    @functools.cache
    def kept(): return BLOCK
    kept()
    exec("def unsourced(): return 1")
    def kernel():
        {body}
    """)
    found = dependencies(module.kernel)
    assert not found.indexable
    assert reason in found.reason
    assert "kernel" in found.reason or "geterr" in found.reason


@pytest.mark.usefixtures("helpers")
@pytest.mark.parametrize(
    "body",
    [
        "return math.ceil(3 / 2) + math.pi",
        "return functools.reduce(operator.mul, (1, 2))",
        "return np.ceil(np.float32(2)) + np.prod((1, 2))",
        "raise Mine('x')",
        "log.info('x')",
        "return pure(3) + Kind.A.value",
        "from helpers_of_mine import CONST\n        return CONST",
        "return [print(x, len(x)) for x in ()]",
        "return recursive(3)",
        "return array[0] + day.day",
        "return float(D)",
        "return getattr(array, 'size')",
        "return ctypes.c_float(1).value",
        "return datetime.date(2024, 1, 1).day",
        "return annotated(1)",
        "print(1, file=sys.stderr)",
        "with lock: return 1",
        "return os.path.join('a', 'b')",
    ],
)
def test_ordinary_code_is_indexable(load: Load, body: str) -> None:
    module = load(f"""
    import ctypes, datetime, decimal, enum, functools, logging, math, operator, os, pathlib, random, sys, threading
    lock = threading.Lock()
    def annotated(a: pathlib.Path, b: random.Random = None) -> threading.Thread: return a
    import numpy as np
    array = np.zeros(3)
    day = datetime.date(2024, 1, 1)
    D = decimal.Decimal("1.5")
    log = logging.getLogger(__name__)
    class Mine(ValueError): pass
    class Kind(enum.Enum): A = 1
    @functools.cache
    def pure(x): return x
    def recursive(x): return recursive(x - 1) if x else other(x)
    def other(x): return recursive(x)
    def kernel():
        {body}
    """)
    found = dependencies(module.kernel)
    assert found.indexable, found.reason


def test_file_edited_after_its_import_makes_helpers_uncertain(load: Load) -> None:
    text = "def helper():\n    return {}\n\ndef kernel():\n    return helper()\n"
    module = load(text.format(1))
    Path(module.__file__ or "").write_text(text.format(22222))
    linecache.checkcache()
    found = dependencies(module.kernel)
    assert not found.indexable
    assert "changed after" in found.reason


def test_text_that_was_hashed_is_the_text_that_is_traced(load: Load) -> None:
    from flydsl.frontend.rewriting.source import function_source

    module = load("def kernel():\n    return 1\n")
    dependencies(module.kernel)
    Path(module.__file__ or "").write_text("def kernel():\n    return 22222\n")
    linecache.checkcache()
    assert "22222" not in function_source(module.kernel).text


def test_method_with_private_names_and_super_is_indexable(load: Load) -> None:
    module = load("""
    class Base:
        def size(self): return 1
    class Maker(Base):
        def __init__(self): self.__n = 1
        def size(self): return super().size() + self.__n
    maker = Maker()
    def kernel(): return maker.size()
    """)
    before = dependencies(module.kernel)
    assert before.indexable, before.reason
    module.Base.size = lambda self: 2
    assert not before.is_current()
    assert dependencies(module.kernel).digest != before.digest


def test_function_without_source_is_an_error() -> None:
    namespace: dict[str, Any] = {}
    exec("def kernel(): pass", namespace)
    with pytest.raises(SourceUnavailableError):
        dependencies(namespace["kernel"])


def test_deep_chain_of_helpers_is_uncertain_and_no_error(load: Load) -> None:
    lines = [f"def f{i}(): return f{i + 1}()" for i in range(400)]
    module = load("\n".join([*lines, "def f400(): return 1"]))
    found = dependencies(module.f0)
    assert not found.indexable
    assert textwrap.shorten(found.reason, 200)
