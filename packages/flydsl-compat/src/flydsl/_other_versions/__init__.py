"""What other versions of this language have under names of their own, by the paths of the modules that have them there.

The core looks here for names that it lacks itself (`flydsl.base.other_versions`). New kernels need none of it.
"""

from __future__ import annotations

from flydsl.backend.frameworks import mark_as_library

mark_as_library(__file__)  # locations and carets are of the kernel that calls it
