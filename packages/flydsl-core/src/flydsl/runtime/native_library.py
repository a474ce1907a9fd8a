"""Typed `ctypes` libraries of distributions that ship native code.

For runtimes with native code of their own: ours and third parties' open theirs with this.
"""

from __future__ import annotations

import ctypes
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path, PurePosixPath
from typing import Any

from flydsl.base.errors import LibraryMissingError

Prototypes = Mapping[str, tuple[Any, Sequence[Any]]]
"""The result type and the argument types of each function, by its name."""


@dataclass(frozen=True, slots=True)
class NativeLibrary:
    """A shared library inside the import package of a distribution.

    `file` is its path as installed, from the folder of the import package: "flydsl_tiny/libtiny.so".
    """

    distribution: str
    file: str

    @property
    def name(self) -> str:
        """The name of the file."""
        return PurePosixPath(self.file).name

    def path(self) -> Path | None:
        """Where it is, or None when the distribution was not built."""
        package, *inner = PurePosixPath(self.file).parts
        spec = find_spec(package)
        # An editable install has two folders: the sources and the built files.
        for folder in (spec.submodule_search_locations or ()) if spec else ():
            path = Path(folder, *inner)
            if path.is_file():
                return path
        return self._installed()

    def open(self, prototypes: Prototypes, *, mode: int = ctypes.DEFAULT_MODE) -> ctypes.CDLL:
        """The library with its functions typed; LibraryMissingError, naming what to reinstall, when that cannot be."""
        path = self.path()
        if path is None:
            raise LibraryMissingError(
                f"{self.name!r} was not found: {self.distribution} is not built, reinstall {self.distribution}"
            )
        try:
            library = ctypes.CDLL(str(path), mode=mode)
            for name, (result, arguments) in prototypes.items():
                function = getattr(library, name)
                function.restype, function.argtypes = result, arguments
        except (OSError, AttributeError) as error:  # AttributeError: a library of another version
            raise LibraryMissingError(f"{path} cannot be used, reinstall {self.distribution}: {error}") from error
        return library

    def _installed(self) -> Path | None:
        """The file of the installed distribution, when its sources are imported from elsewhere."""
        from importlib.metadata import PackageNotFoundError, distribution  # here: it is slow to import

        try:
            path = Path(str(distribution(self.distribution).locate_file(self.file)))
        except PackageNotFoundError:
            return None
        return path if path.is_file() else None
