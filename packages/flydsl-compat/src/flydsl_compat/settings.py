"""Environment variables of this distribution."""

from __future__ import annotations

import os

from flydsl.base.setting import Group, text


class CompatSettings(Group):
    """`flydsl_compat.settings.compat`."""

    version = text("FLYDSL_COMPAT_VERSION", meaning="version of the language to imitate, such as 0.3. Unset: any")


compat = CompatSettings(os.environ)
