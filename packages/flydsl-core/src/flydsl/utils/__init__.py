"""Small things for users: `env`, the settings as the environment gives them."""

from flydsl.utils import env

__all__ = ["env"]
