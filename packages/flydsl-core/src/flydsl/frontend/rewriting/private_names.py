"""Private names (`__name`), which the class around them extends to `_Class__name`."""

from __future__ import annotations


def enclosing_class(qualified_name: str) -> str:
    """The innermost class around the code of that qualified name, at any depth; empty without one.

    Parts of the name that `<locals>` does not follow are classes: of `Layer.run.<locals>.kernel` it is `Layer`.
    """
    parts = qualified_name.split(".")
    for part, following in zip(parts[-2::-1], parts[:0:-1], strict=True):
        if following != "<locals>" and part.isidentifier():
            return part
    return ""


def mangled(name: str, owner: str) -> str:
    """`name` as code inside of the class `owner` reads it."""
    stripped = owner.lstrip("_")
    is_private = name.startswith("__") and not name.endswith("__") and "." not in name
    return f"_{stripped}{name}" if is_private and stripped else name
