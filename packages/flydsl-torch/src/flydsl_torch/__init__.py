"""The entry point that torch calls at the end of its import, outside of the namespace `flydsl`.

Another package of that name, in front on the path, hides the namespace: then FlyDSL is off, and `import torch` works.
"""

from __future__ import annotations


def autoload() -> None:
    """Enable kernel calls in compiled code (`flydsl.torch.autoload`); any failure is one warning."""
    try:
        from flydsl.torch.autoload import autoload as enable
    except Exception as error:
        import warnings

        warnings.warn(
            f"FlyDSL is off in torch: {error}; a package 'flydsl' in front on sys.path hides that of flydsl-core and "
            "flydsl-torch, remove one of them",
            RuntimeWarning,
            stacklevel=2,
        )
        return
    enable()
