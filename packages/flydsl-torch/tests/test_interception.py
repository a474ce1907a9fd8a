"""torch's compiler reads other functions in the place of two of the core."""

from __future__ import annotations

import subprocess
import sys

from flydsl.base import interception
from flydsl.torch.graph_calls import record
from flydsl.torch.interception import install, skip_frames


def test_what_is_read_instead() -> None:
    install()
    assert interception.slow_path_call._torchdynamo_inline is record  # type: ignore[attr-defined]
    assert interception.is_tracing._torchdynamo_inline() is True  # type: ignore[attr-defined]
    assert interception.is_tracing() is False


def test_installing_imports_neither_torchs_compiler_nor_ours() -> None:
    script = (
        "import sys, torch\nfrom flydsl.torch.interception import install\ninstall()\n"
        "print([name for name in ('torch._dynamo', 'flydsl.compiler', 'flydsl.expr') if name in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_another_torch_without_the_means_is_slower_only(monkeypatch) -> None:  # type: ignore[no-untyped-def]
    monkeypatch.setitem(sys.modules, "torch._C._dynamo.eval_frame", None)
    skip_frames(install)
