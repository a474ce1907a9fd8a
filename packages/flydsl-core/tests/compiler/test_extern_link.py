"""External functions and the files that define them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from flydsl.base.errors import ArgumentError, SettingError
from flydsl.compiler import extern_link
from flydsl.compiler.extern_link import ExternFunction, link_extern, register_extern_resolver
from flydsl.expr.extern import ffi

FUNCTION = ffi("f", ["int32"], "int32")


def test_the_content_is_read_when_it_is_linked(tmp_path: Path) -> None:
    path = tmp_path / "f.bc"
    path.write_bytes(b"BC\xc0\xde 1")
    first = link_extern(FUNCTION, bitcode_path=path)
    path.write_bytes(b"BC\xc0\xde 2")
    second = link_extern(FUNCTION, bitcode_path=str(path))
    assert (first.bitcode, second.bitcode) == (b"BC\xc0\xde 1", b"BC\xc0\xde 2")
    assert first.__cache_signature__() != second.__cache_signature__()
    assert link_extern(FUNCTION) is FUNCTION


def test_files_that_are_no_bitcode_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "f.ll"
    path.write_text("define void @f()")
    with pytest.raises(SettingError, match="is not LLVM bitcode; make it with clang -c -emit-llvm"):
        link_extern(FUNCTION, bitcode_path=path)
    with pytest.raises(SettingError, match="the bitcode of 'f' cannot be read: .*absent"):
        link_extern(FUNCTION, bitcode_path=tmp_path / "absent.bc")


@pytest.mark.parametrize(
    ("function", "options", "words"),
    [
        (print, {}, "link_extern takes what ffi"),
        (FUNCTION, {"module_init_fn": print}, "module_init_fn is not supported"),
    ],
)
def test_other_arguments_are_refused(function: Any, options: dict[str, Any], words: str) -> None:
    with pytest.raises(ArgumentError, match=words):
        link_extern(function, **options)


def test_a_function_and_its_file_in_one(tmp_path: Path) -> None:
    path = tmp_path / "f.bc"
    path.write_bytes(b"BC\xc0\xde 1")
    function = ExternFunction("f", ["int32"], "int32", bitcode_path=path)
    assert function == link_extern(FUNCTION, bitcode_path=path)
    assert isinstance(function, ExternFunction)
    assert isinstance(FUNCTION, ExternFunction)
    with pytest.raises(ArgumentError, match="ffi takes a symbol and its types, found bitcode_path; .*link_extern"):
        ffi("f", ["int32"], "int32", bitcode_path=path)


def test_resolvers_say_where_files_are(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(extern_link, "_RESOLVERS", [])
    (tmp_path / "f.bc").write_bytes(b"BC\xc0\xde 2")
    asked = []

    def resolver(symbol: str, path: str | None, init: object) -> tuple[Path, object]:
        asked.append((symbol, path, init))
        return tmp_path / f"{symbol}.bc", None

    assert register_extern_resolver(resolver) is resolver
    assert link_extern(FUNCTION, bitcode_path="elsewhere.bc", module_init_fn=print).bitcode == b"BC\xc0\xde 2"
    assert link_extern(FUNCTION).bitcode == b"BC\xc0\xde 2"
    assert asked == [("f", "elsewhere.bc", print), ("f", None, None)]
    with pytest.raises(ArgumentError, match="a resolver is a function"):
        register_extern_resolver("f.bc")
