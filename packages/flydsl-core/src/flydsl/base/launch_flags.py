"""How a kernel is launched, besides its sizes: the bits that the launcher ABI has for it."""

from __future__ import annotations

LAUNCH_COOPERATIVE = 1
"""All blocks run at a time, so that they can wait for one another."""
LAUNCH_DEPENDENT = 2
"""The kernel may start before the one in front of it has ended, for whose results it waits itself."""
