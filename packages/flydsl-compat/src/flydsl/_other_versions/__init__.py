"""What other versions of this language have under names of their own, by the paths of the modules that have them.

The core looks here for modules, names and attributes that it lacks itself (`flydsl.base.other_versions`), of the
version that is imitated (`flydsl_compat.imitate`), or of any. New kernels need none of it.
"""

from __future__ import annotations

from importlib import import_module
from typing import Any, NoReturn

from flydsl_compat.differences import difference
from flydsl_compat.imitation import imitated

from flydsl.backend.frameworks import mark_as_library

mark_as_library(__file__)  # locations and carets are of the kernel that calls it


class UnknownNameError(LookupError):
    """A name is not here; the text says what versions have it and what to write instead, or is empty."""


def name_of(module: str, name: str) -> Any:
    """What a version has as `name` in `module` of the core; UnknownNameError when it has none, or none is here."""
    check(f"{module}.{name}")
    try:
        return getattr(import_module(module.replace("flydsl", __name__, 1)), name)
    except ModuleNotFoundError as error:
        if not (error.name or "").startswith(__name__):
            raise
    except AttributeError:
        pass
    raise UnknownNameError("")


def attribute_of(value: object, owner: str, name: str) -> Any:
    """What objects of class `owner` have as `name` in a version."""
    check(f"{owner}.{name}")
    made = import_module("flydsl._other_versions.attributes").ATTRIBUTES.get((owner, name))
    if made is None:
        raise UnknownNameError("")
    return made(value)


def check(name: str) -> None:
    """UnknownNameError for a name that the imitated version has not, or that is of others and not here."""
    row, version = difference(name), imitated()
    if row is None:
        return
    if version and not row.is_in(version):
        raise UnknownNameError(f"versions {row.versions} have {name}, and {version} is imitated; it is {row.note}")
    if not row.is_here:
        raise UnknownNameError(f"versions {row.versions} have {name}, and it is not here: {row.note}")


def refuse_module(name: str) -> NoReturn:
    """Raise the ImportError for a module of others that is not here."""
    row = difference(name)
    assert row is not None
    raise ImportError(f"versions {row.versions} have {name}, and it is not here: {row.note}", name=name)
