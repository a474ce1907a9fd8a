"""Bitcode in the text of a module."""

from __future__ import annotations

from flydsl.base.bitcode import bitcode_files, encode_bitcode, has_bitcode, is_bitcode, take_bitcode

ONE, OTHER = b"BC\xc0\xde one", b"BC\xc0\xde \x00other\xff"


def test_bitcode_is_known_by_its_first_bytes() -> None:
    assert is_bitcode(ONE)
    assert is_bitcode(b"\xde\xc0\x17\x0b wrapped")
    assert not is_bitcode(b"define void @f()")


def test_what_a_text_brings_is_taken_out_of_it() -> None:
    words = ", ".join(f'"{encode_bitcode(content)}"' for content in (ONE, OTHER, ONE))
    text = f'"gpu.module"() {{fly.bitcode = [{words}], other = 1 : i32}} : () -> ()'
    assert has_bitcode(text)
    rest, contents = take_bitcode(text)
    assert rest == '"gpu.module"() {fly.bitcode = [], other = 1 : i32} : () -> ()'
    assert contents == [ONE, OTHER]
    assert not has_bitcode(rest)
    assert take_bitcode(rest) == (rest, [])


def test_files_live_as_long_as_they_are_used() -> None:
    with bitcode_files([ONE, OTHER]) as paths:
        assert [path.read_bytes() for path in paths] == [ONE, OTHER]
    assert not any(path.exists() for path in paths)
    with bitcode_files([]) as paths:
        assert paths == ()
