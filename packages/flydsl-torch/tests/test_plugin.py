"""The plugin declares; it imports nothing."""

from __future__ import annotations

import subprocess
import sys

import torch

from flydsl.adaptors.resolve import adaptor_for
from flydsl.plugins.entry_points import EntryPoint, find_entry_points
from flydsl.testing.sandbox import PluginSandbox

ENTRY = EntryPoint("torch", "flydsl-torch", "0.1.0", "flydsl.torch.plugin")


def test_it_is_installed_as_an_entry_point() -> None:
    assert ENTRY in find_entry_points()


def test_it_claims_tensors_and_their_subclasses_only(isolated_plugins: PluginSandbox) -> None:
    (manifest,) = isolated_plugins.install(ENTRY).adaptors
    assert [manifest.claims(cls) for cls in (torch.Tensor, torch.nn.Parameter, object, int)] == [
        True,
        True,
        False,
        False,
    ]
    assert adaptor_for(torch.Tensor) is adaptor_for(torch.nn.Parameter)


def test_discovery_does_not_import_torch() -> None:
    script = (
        "import sys; from flydsl.plugins.registry import registry; registry.tables\n"
        "from flydsl.adaptors.resolve import adaptor_for\n"
        "class Speaks:\n    __dlpack__ = __dlpack_device__ = None\n"
        "adaptor_for(Speaks); print('torch' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "False"
