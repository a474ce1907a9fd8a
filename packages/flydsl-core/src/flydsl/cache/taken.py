"""Marks of entries that came from a shared cache: with a key, only what it signed is used, whenever it was taken."""

from __future__ import annotations

from flydsl.cache.entry import Entry

TAKEN = "taken"
"""Field of the header: the name of the key whose signature was checked, empty where none was."""


def marked(entry: Entry, key_name: str) -> Entry:
    """An entry of a shared cache as it is kept here; `key_name` is that of the key it was checked with, or empty."""
    return Entry(entry.key, {**entry.header, TAKEN: key_name}, entry.parts)


def unmarked(entry: Entry) -> Entry:
    """The entry as it was made."""
    if TAKEN not in entry.header:
        return entry
    return Entry(entry.key, {name: value for name, value in entry.header.items() if name != TAKEN}, entry.parts)


def distrust(entry: Entry, key_name: str) -> str:
    """Why an entry of the folder does not count where the key of that name is set; nothing when it does."""
    taken = entry.header.get(TAKEN, key_name)
    if not key_name or taken == key_name:
        return ""
    signed = "with the signature of another key" if taken else "without a signature"
    return f"it was taken from a shared cache {signed}, and FLYDSL_RUNTIME_CACHE_REMOTE_KEY_FILE names a key now"
