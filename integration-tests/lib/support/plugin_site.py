"""Plugins of third parties in a folder of `sys.path`, written from parts of which each decides a number of the code.

`flydsl-zeta` has the backend `zeta`, the CPU's with a pass of its own: a kernel that stores `x + 1000` stores `x` and
what the parts come to. Its word `fx.zeta.plus` is for kernels of any backend.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

_BASE = """
from flydsl_cpu.backend import CpuBackend
class Base(CpuBackend):
    BASE = {base}
"""
_BACKEND = """
import importlib, json
from pathlib import Path
from flydsl_yeta.backend import Base
from yeta_helper import HELPER
from flydsl_zeta.settings import zeta
class One(Base):
    name, FACTORY = "zeta", 0
    def cache_key_native_lib_patterns(self):
        return [str(Path(__file__).parents[1] / "zeta_native.bin")]
    def pipeline_fragments(self, *, arch, options=None):
        from yeta_lazy.numbers import LAZY
        table = json.loads((Path(__file__).parent / "table.json").read_text())
        native = int((Path(__file__).parents[1] / "zeta_native.bin").read_text())
        required = importlib.import_module("yeta_" + "required").REQUIRED
        by = self.BASE + HELPER + LAZY + table + native + required + zeta.variable + self.FACTORY
        return [f"zeta-shift{{by={by}}}", *super().pipeline_fragments(arch=arch, options=options)]
class Two(One):
    FACTORY = 100000
"""
_SETTINGS = """
import os
from flydsl.base.setting import Group, integer
class ZetaSettings(Group):
    variable = integer("ZETA_VARIABLE", default=0, low=0, high=10**9, in_key=True, meaning="a number")
zeta = ZetaSettings(os.environ)
"""
_PASSES = """
from dataclasses import dataclass
from xdsl.dialects.arith import ConstantOp
from xdsl.dialects.builtin import FloatAttr, ModuleOp
from xdsl.passes import ModulePass
@dataclass(frozen=True)
class Shift(ModulePass):
    name = "zeta-shift"
    by: str = "0"
    def apply(self, ctx, op):
        for constant in op.walk():
            if isinstance(constant, ConstantOp) and isinstance(constant.value, FloatAttr):
                if constant.value.value.data == 1000.0:
                    constant.properties["value"] = FloatAttr(float(int(self.by) + self.more()), constant.value.type)
    def more(self):
        return 0
@dataclass(frozen=True)
class More(Shift):
    def more(self):
        return 200000
"""
_PLUGIN = """
import os
from flydsl.plugins import CompileBackendManifest, hookimpl
{hooks_read}
@hookimpl
def flydsl_compile_backends():
    factory = "flydsl_zeta.backend:" + os.environ.get("ZETA_FACTORY", "One")
    passes = "flydsl_zeta.passes:" + os.environ.get("ZETA_PASSES", "Shift")
    from flydsl_cpu.plugin import flydsl_compile_backends as ours
    return [CompileBackendManifest(
        name="zeta", factory=factory, runtime_kind="cpu", accelerator=False, settings="flydsl_zeta.settings:zeta",
        passes={{**ours()[0].passes, "zeta-shift": passes}}, expr_namespaces={{"zeta": "flydsl.expr:zeta"}},
    )]
"""
_WORDS = """
from yeta_words import more
CONSTANT = {constant}
def plus(x):
    return more(x + {word})
"""
_KERNELS = """
import flydsl.compiler as flyc
import flydsl.expr as fx
@flyc.kernel
def shifted_kernel(x: fx.Tensor, y: fx.Tensor):
    y[fx.thread_idx.x] = x[fx.thread_idx.x] + 1000.0
@flyc.jit
def shifted(x: fx.Tensor, y: fx.Tensor):
    shifted_kernel(x, y).launch(grid=1, block=4)
@flyc.kernel
def worded_kernel(x: fx.Tensor, y: fx.Tensor):
    y[fx.thread_idx.x] = fx.zeta.plus(x[fx.thread_idx.x]) + fx.zeta.CONSTANT
@flyc.jit
def worded(x: fx.Tensor, y: fx.Tensor):
    worded_kernel(x, y).launch(grid=1, block=4)
"""
PROGRAM = """
import json, sys
import numpy as np
import flydsl.base.files.file_digest as digest
if {settled}:
    digest.SETTLED_NS = -(10**18)  # files that changed just now count as any other
import flydsl.compiler as flyc
from flydsl.compiler.stages.build import Traced
import zeta_kernels
made = []
lower = Traced.lower
Traced.lower = lambda self: made.append(self.name) or lower(self)
answers = []
for backend, kernel in (("zeta", zeta_kernels.shifted), ("cpu", zeta_kernels.worded)):
    flyc.use_pair(backend)
    y = np.zeros(4, np.float32)
    kernel(np.zeros(4, np.float32), y)
    answers.append(float(y[0]))
print(json.dumps([answers, made]))
"""
PARTS = ("base", "helper", "lazy", "required", "table", "native", "variable", "constant", "word", "more")
"""Parts that are a number; the factory and the passes are chosen by variables."""


@dataclass(frozen=True, slots=True)
class Told:
    """What a program says: what both kernels stored, and which functions were compiled for that."""

    answers: tuple[float, float]
    made: tuple[str, ...]


@dataclass
class PluginSite:
    """A folder with the distributions, and what each part is now."""

    root: Path
    remembers: bool = False
    numbers: dict[str, int] = field(default_factory=lambda: {name: 3 + 7 * at for at, name in enumerate(PARTS)})
    variables: dict[str, str] = field(default_factory=dict)
    versions: dict[str, str] = field(default_factory=dict)

    @property
    def wanted(self) -> tuple[float, float]:
        """What the kernels have to store."""
        n = self.numbers
        shift = sum(n[name] for name in ("base", "helper", "lazy", "required", "table", "native", "variable"))
        shift += 100000 * (self.variables.get("ZETA_FACTORY") == "Two")
        shift += 200000 * (self.variables.get("ZETA_PASSES") == "More")
        return float(shift), float(n["word"] + n["more"] + n["constant"])

    def write(self) -> None:
        """Write the files that are not as they should be; others keep their times."""
        n, hooks_read = self.numbers, 'HOOKS_READ = ("ZETA_FACTORY", "ZETA_PASSES")' if self.remembers else ""
        files = {
            "flydsl_yeta/__init__.py": "",
            "flydsl_yeta/backend.py": _BASE.format(base=n["base"]),
            "yeta_helper.py": f"HELPER = {n['helper']}\n",
            "yeta_lazy/__init__.py": "",
            "yeta_lazy/numbers.py": "from yeta_lazy.inner import INNER as LAZY\n",
            "yeta_lazy/inner.py": f"INNER = {n['lazy']}\n",
            "yeta_required.py": f"REQUIRED = {n['required']}\n",
            "yeta_words.py": f"def more(x):\n    return x + {n['more']}\n",
            "flydsl_zeta/__init__.py": "",
            "flydsl_zeta/plugin.py": _PLUGIN.format(hooks_read=hooks_read),
            "flydsl_zeta/backend.py": _BACKEND,
            "flydsl_zeta/passes.py": _PASSES,
            "flydsl_zeta/settings.py": _SETTINGS,
            "flydsl_zeta/table.json": json.dumps(n["table"]),
            "flydsl_zeta/fx/zeta.py": _WORDS.format(constant=n["constant"], word=n["word"]),
            "zeta_native.bin": str(n["native"]),
            "zeta_kernels.py": _KERNELS,
            **self._metadata(),
        }
        for name, text in files.items():
            path = self.root / "site" / name
            path.parent.mkdir(parents=True, exist_ok=True)
            if not path.is_file() or path.read_text() != text:
                path.write_text(text)

    def _metadata(self) -> Mapping[str, str]:
        files = {"flydsl_zeta-1.0.dist-info/entry_points.txt": "[flydsl]\nzeta = flydsl_zeta.plugin\n"}
        for name in ("flydsl_zeta", "flydsl_yeta", "yeta_required", "other"):
            version = self.versions.get(name, "1.0")
            requires = "Requires-Dist: yeta-required>=1\n" if name == "flydsl_zeta" else ""
            text = f"Metadata-Version: 2.1\nName: {name.replace('_', '-')}\nVersion: {version}\n{requires}"
            files[f"{name}-1.0.dist-info/METADATA"] = text
        return files

    def run(self, *, cached: bool = True, settled: bool = True, **variables: str) -> Told:
        """What a new process says."""
        self.write()
        site, cache = self.root / "site", self.root / "cache"
        environment = {
            **{name: value for name, value in os.environ.items() if not name.startswith(("FLYDSL_", "ZETA_"))},
            "PYTHONPATH": os.pathsep.join(filter(None, [str(site), os.environ.get("PYTHONPATH")])),
            "PYTHONDONTWRITEBYTECODE": "1",
            "FLYDSL_RUNTIME_CACHE_DIR": str(cache),
            "FLYDSL_RUNTIME_ENABLE_CACHE": str(int(cached)),
            "ZETA_VARIABLE": str(self.numbers["variable"]),
            **self.variables,
            **variables,
        }
        command = [sys.executable, "-c", PROGRAM.format(settled=settled)]
        done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False, timeout=120)
        if done.returncode:
            raise RuntimeError(done.stderr[-3000:])
        answers, made = json.loads(done.stdout.splitlines()[-1])
        return Told(tuple(answers), tuple(made))
