"""The plugin declares; it imports nothing, and works without jax."""

from __future__ import annotations

import subprocess
import sys

import jax
import jax.numpy as jnp
import numpy as np

from flydsl.adaptors.resolve import adaptor_for
from flydsl.plugins.entry_points import EntryPoint, find_entry_points
from flydsl.testing.sandbox import PluginSandbox

ENTRY = EntryPoint("jax", "flydsl-jax", "0.1.0", "flydsl.jax.plugin")
_HIDE = "import sys; sys.modules['jax'] = sys.modules['jaxlib'] = sys.modules['torch'] = None\n"
"""A program in which neither jax nor torch is installed."""


def run(script: str) -> str:
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


def test_it_is_installed_as_an_entry_point() -> None:
    assert ENTRY in find_entry_points()


def test_it_claims_what_is_of_jax_only(isolated_plugins: PluginSandbox) -> None:
    (manifest,) = isolated_plugins.install(ENTRY).adaptors
    claimed = (jnp.ones(1), jax.random.key(0), jax.new_ref(jnp.ones(1)))
    assert all(manifest.claims(type(value)) for value in claimed)
    assert not any(manifest.claims(cls) for cls in (np.ndarray, object, int, type(jnp.float32), jax.ShapeDtypeStruct))
    tracers: list[type] = []
    jax.vmap(lambda x: tracers.append(type(x)) or x)(jnp.ones(2))  # type: ignore[func-returns-value]
    jax.grad(lambda x: tracers.append(type(x)) or x)(1.0)  # type: ignore[func-returns-value]
    assert len(set(tracers)) == 2
    assert all(manifest.claims(cls) for cls in tracers)
    assert adaptor_for(type(jnp.ones(1))) is adaptor_for(tracers[0])


def test_discovery_does_not_import_jax() -> None:
    script = (
        "import sys; from flydsl.plugins.registry import registry; registry.tables\n"
        "import flydsl.jax, flydsl.compiler, flydsl.expr\n"
        "from flydsl.adaptors.resolve import adaptor_for\n"
        "class Speaks:\n    __dlpack__ = __dlpack_device__ = None\n"
        "adaptor_for(Speaks); print('jax' in sys.modules, 'torch' in sys.modules)"
    )
    assert run(script) == "False False"


def test_without_jax_the_rest_works_and_its_names_say_what_to_install() -> None:
    script = _HIDE + (
        "import flydsl.compiler as flyc, flydsl.jax, numpy as np\n"
        "from flydsl.adaptors.resolve import adaptor_for; print(adaptor_for(np.ndarray).name)\n"
        "from flydsl.base.errors import LibraryMissingError\n"
        "for ask in (lambda: flydsl.jax.from_jax, lambda: flyc.from_jax):\n"
        "    try: ask()\n"
        "    except LibraryMissingError as error: print(error)\n"
    )
    lines = run(script).splitlines()
    assert lines[0] == "numpy"
    assert len(lines) == 3
    assert all("needs jax" in line and "pip install" in line for line in lines[1:])
