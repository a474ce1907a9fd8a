"""`python -m flydsl_compat [VERSION]`: the table of differences, for people."""

from __future__ import annotations

import sys
from collections.abc import Sequence

from flydsl.base.errors import SettingError
from flydsl_compat.differences import DIFFERENCES
from flydsl_compat.imitation import checked


def main(arguments: Sequence[str] | None = None) -> int:
    """Print what differs, of one version or of all; 2 for a version that is not known."""
    given = sys.argv[1:] if arguments is None else arguments
    try:
        version = checked(given[0]) if given else ""
    except SettingError as error:
        print(error, file=sys.stderr)
        return 2
    for row in DIFFERENCES:
        if not version or row.is_in(version):
            print(f"{row.versions:<10} {row.here:<8} {row.name}: {row.note}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
