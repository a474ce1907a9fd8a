"""Ways of making a cached kernel stale: what code can read, from where, and how it is changed."""

from __future__ import annotations

from typing import NamedTuple

HEADER = """\
import flydsl.compiler as flyc
import flydsl.expr as fx
"""

KERNEL = """
@flyc.kernel
def store(x: fx.Tensor):
    x[0] = fx.Float32(float({read}))


@flyc.jit
def run(x: fx.Tensor):
    store(x).launch(grid=1, block=1)


def plain():
    return {read}
"""


class Way(NamedTuple):
    """A program whose `run(x)` stores into x[0] what its `plain()` returns, and a change that gives another value.

    `setup` comes before the kernel, `program` replaces the usual kernel. `change` runs in the namespace of the module.
    `helper` is the text of a module that `{helper}` names; `edits` replace text in files of the way, by their suffix.
    """

    name: str
    read: str = ""
    change: str = ""
    setup: str = ""
    program: str = KERNEL
    helper: str = ""
    edits: tuple[tuple[str, str, str], ...] = ()

    @property
    def module(self) -> str:
        """The name of its module."""
        return "way_" + "".join(c if c.isalnum() else "_" for c in self.name)

    def files(self) -> dict[str, str]:
        """The texts of its modules by file name, before the change."""
        text = HEADER + self.setup.replace("{helper}", f"{self.module}_helper") + "\n"
        text += self.program.replace("{read}", self.read).replace("{helper}", f"{self.module}_helper")
        files = {f"{self.module}.py": text}
        if self.helper:
            files[f"{self.module}_helper.py"] = self.helper
        return files

    def edited(self) -> dict[str, str]:
        """The same after the change."""
        files = self.files()
        for suffix, old, new in self.edits:
            name = f"{self.module}{suffix}.py"
            assert old in files[name], (self.name, old)
            files[name] = files[name].replace(old, new)
        return files


def all_ways() -> dict[str, Way]:
    """Every way by its name."""
    import ways_ambient
    import ways_arguments
    import ways_files
    import ways_in_place
    import ways_places
    import ways_values

    ways: dict[str, Way] = {}
    for module in (ways_values, ways_in_place, ways_places, ways_arguments, ways_files, ways_ambient):
        for way in module.WAYS:
            assert way.name not in ways, way.name
            ways[way.name] = way
    return ways
