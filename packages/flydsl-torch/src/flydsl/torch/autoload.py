"""What torch runs at the end of its own import: kernel calls in compiled code work without another word.

The entry point is in torch's group for extensions. Without it (TORCH_DEVICE_BACKEND_AUTOLOAD=0) the same happens at
the first call with a tensor, or with `flydsl.torch.enable()`.
"""

from __future__ import annotations


def autoload() -> None:
    """Enable kernel calls in compiled code; a failure is a warning, for `import torch` must not fail."""
    try:
        from flydsl.torch.interception import install

        install()
    except Exception as error:
        import warnings

        warnings.warn(f"FlyDSL is off in torch.compile and torch.export: {error}", RuntimeWarning, stacklevel=2)
