"""Which version of the language programs written elsewhere are for: `flydsl_compat.imitate("0.3")`.

python -m flydsl_compat          # what differs between the versions, and what there is here
python -m flydsl_compat 0.3      # the same of one version
"""

from __future__ import annotations

from flydsl_compat.differences import DIFFERENCES, VERSIONS, Difference
from flydsl_compat.imitation import ImitationWarning, imitate, imitated

__all__ = ["DIFFERENCES", "VERSIONS", "Difference", "ImitationWarning", "imitate", "imitated"]
