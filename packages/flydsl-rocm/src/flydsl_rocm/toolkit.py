"""AMD's device libraries (ocml, ockl): where they are, and the toolkit folder for MLIR that they are in.

MLIR links what a kernel calls from `amdgcn/bitcode` of a folder. That is the folder of the installation itself: links
to it, or copies, would be one more thing that somebody else could put in place of them.
"""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

from flydsl_rocm.device_libraries import device_libraries

_PACKAGE = Path(__file__).parent


class Toolkit(NamedTuple):
    """What MLIR gets as its toolkit; `reason` says why it is a folder without libraries."""

    folder: Path
    reason: str = ""

    @property
    def option(self) -> str:
        """The folder as the text of a pass option."""
        quote = "'" if '"' in str(self.folder) else '"'
        return f"{quote}{self.folder}{quote}"


def toolkit() -> Toolkit:
    """The toolkit of this compilation.

    Libraries that somebody else could exchange are not used: neither root's nor the user's, nor of who owns the
    package that this code is in.
    """
    from flydsl.backend.toolchain import distrust

    libraries = device_libraries()
    if not libraries:
        return Toolkit(_PACKAGE, "which are not installed: apt install rocm-device-libs, or set ROCM_PATH")
    reason = distrust(libraries, owners={_PACKAGE.stat().st_uid})
    if reason:
        return Toolkit(_PACKAGE, f"and those found are not used: {reason}; install them, or set ROCM_PATH")
    return Toolkit(libraries[0].absolute().parents[2])
