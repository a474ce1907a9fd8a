"""Entries of the cache as bytes: they come back as they were, or not at all."""

from __future__ import annotations

import hashlib
import json
import struct

import pytest
from hypothesis import given
from hypothesis import strategies as st

from flydsl.cache.entry import BadEntryError, Entry, check_size, decode, decode_header, encode

ENTRY = Entry(
    {"backend": "cpu", "runtime_kind": "host", "target": "x"}, {"name": "k", "slots": [1, "a"]}, {"a": b"12", "b": b""}
)

TEXT = st.text(max_size=6)
ENTRIES = st.builds(
    Entry,
    st.dictionaries(TEXT, TEXT, max_size=3),
    st.dictionaries(TEXT, st.none() | st.integers() | TEXT | st.lists(st.booleans(), max_size=3), max_size=3),
    st.dictionaries(TEXT, st.binary(max_size=40), max_size=3),
)


def header_file(document: object, parts: bytes = b"") -> bytes:
    """A file with a right digest over a header of any form."""
    header = json.dumps(document).encode()
    fixed = struct.pack("<8sII", b"FlyCache", 1, len(header))
    return fixed + hashlib.sha256(fixed + header).digest() + header + parts


@given(ENTRIES)
def test_an_entry_comes_back_as_it_was(entry: Entry) -> None:
    assert decode(encode(entry)) == entry


@given(ENTRIES)
def test_the_header_alone_can_be_read(entry: Entry) -> None:
    assert decode_header(encode(entry)) == Entry(entry.key, entry.header)


def test_backend_runtime_kind_and_target_are_in_the_file() -> None:
    found = decode(encode(ENTRY))
    assert (found.backend, found.key["runtime_kind"], found.target) == ("cpu", "host", "x")


def test_equal_entries_make_equal_bytes_whatever_the_order() -> None:
    turned = Entry(
        dict(reversed(ENTRY.key.items())), dict(reversed(ENTRY.header.items())), dict(reversed(ENTRY.parts.items()))
    )
    assert encode(turned) == encode(ENTRY)


def test_every_changed_byte_is_noticed() -> None:
    data = encode(ENTRY)
    for position in range(len(data)):
        for change in (0x01, 0x80, 0xFF):
            broken = bytearray(data)
            broken[position] ^= change
            with pytest.raises(BadEntryError):
                decode(bytes(broken))


def test_every_truncation_and_extension_is_noticed() -> None:
    data = encode(ENTRY)
    for size in range(len(data)):
        with pytest.raises(BadEntryError):
            decode(data[:size])
    with pytest.raises(BadEntryError):
        decode(data + b"\0")


@pytest.mark.parametrize("change", [-1, 1, 1 << 40])
def test_another_size_than_the_header_states_is_noticed_before_the_parts_are_read(change: int) -> None:
    data = encode(ENTRY)
    head = data[:-2]
    check_size(head, len(data))
    with pytest.raises(BadEntryError, match=f"{len(data) + change} bytes found, {len(data)} stated"):
        check_size(head, len(data) + change)


def test_size_of_a_file_with_a_long_header_is_at_least_that_of_its_header() -> None:
    data = encode(Entry({"ir": "x" * 1000}))
    check_size(data[:100], len(data))
    with pytest.raises(BadEntryError, match="a header of"):
        check_size(data[:100], 200)


@pytest.mark.parametrize(
    "document",
    [
        [],
        {},
        {"key": {}, "header": {}},
        {"key": [], "header": {}, "parts": {}},
        {"key": {}, "header": {}, "parts": {"a": 3}},
        {"key": {}, "header": {}, "parts": {"a": {"offset": 0, "size": 1.0, "sha256": ""}}},
        {"key": {}, "header": {}, "parts": {"a": {"offset": -1, "size": -1, "sha256": ""}}},
        {"key": {}, "header": {}, "parts": {"a": {"offset": 0, "size": 9, "sha256": ""}}},
        {"key": {}, "header": {}, "parts": {"a": {"offset": 0, "size": 0}}},
    ],
)
def test_a_header_of_another_form_is_a_bad_entry_even_with_a_right_digest(document: object) -> None:
    with pytest.raises(BadEntryError):
        decode(header_file(document))


def test_a_header_that_is_no_json_is_a_bad_entry() -> None:
    fixed = struct.pack("<8sII", b"FlyCache", 1, 1)
    with pytest.raises(BadEntryError):
        decode(fixed + hashlib.sha256(fixed + b"{").digest() + b"{")


def test_values_that_json_cannot_hold_are_refused_when_writing() -> None:
    with pytest.raises(ValueError, match="JSON"):
        encode(Entry({}, {"x": float("nan")}))
