"""Configurations that are delivered with a program: a file for each kernel, key and device.

Forced searches write them into FLYDSL_AUTOTUNE_CONFIG_DIR; other calls check one before they use it.
"""

from __future__ import annotations

import inspect
import json
import math
import re
import warnings
from collections.abc import Sequence
from hashlib import sha256
from pathlib import Path
from typing import Any, get_args, get_origin

from flydsl.autotune.arguments import Values
from flydsl.autotune.config import Config, Keywords
from flydsl.autotune.key import key_value
from flydsl.autotune.public_names import public_names
from flydsl.autotune.store import LARGEST, write_whole
from flydsl.base import settings
from flydsl.base.errors import ArgumentError, FlyDSLError, OperandError
from flydsl.base.files.bounded_file import read_bounded
from flydsl.expr.threads.compile_time import Constexpr

_VERSION = 1
_NAME = re.compile(r"[A-Za-z0-9._-]{1,64}")
_PLAIN = (bool, int, float, str)


class Artifacts:
    """The delivered configurations of one tuned function, called `name` in their files."""

    def __init__(self, name: str, keys: Sequence[str], signature: inspect.Signature | None) -> None:
        """ArgumentError for a name that is no text, OperandError for one that is no file name or for unusable keys."""
        if not isinstance(name, str):
            raise ArgumentError(f"artifact_name is text, found {name!r}")
        if not _NAME.fullmatch(name):
            raise OperandError(f"artifact_name is 1 to 64 letters, digits, '.', '_' or '-', found {name!r}")
        known = set(signature.parameters) if signature else set()
        if len(set(keys)) != len(keys) or not set(keys) <= known:
            raise OperandError(f"artifact keys are different parameters of the function, found {list(keys)!r}")
        self.name, self._keys, self._signature = name, tuple(keys), signature

    @property
    def folder(self) -> Path | None:
        """Where the files are; None when nobody said."""
        return settings.autotune.config_dir

    def identity(self, values: Values) -> Keywords:
        """What a file is for; OperandError (a ValueError) where it cannot be said in JSON, or there is no device."""
        try:
            key = {name: _plain(key_value(values.get(name))) for name in self._keys}
            device = {name: _plain(value) for name, value in public_names()._device_descriptor().items()}
        except (FlyDSLError, TypeError) as error:
            raise OperandError(f"cannot generate offline config identity of {self.name!r}: {error}") from error
        return {"name": self.name, "key": key, "device": device}

    def file(self, identity: Keywords) -> Path | None:
        """The file of an identity."""
        if self.folder is None:
            return None
        return self.folder / f"{self.name}-{sha256(_canonical(identity).encode()).hexdigest()}.json"

    def check(self, config: Config) -> None:
        """OperandError (a ValueError) for a configuration that no file can hold."""
        if config.pre_hook is not None:
            raise OperandError(f"an offline config cannot hold a pre_hook, which {config!r} has")
        for name, value in config.to_dict().items():
            if value is not None and (type(value) not in _PLAIN or _is_infinite(value)):
                raise OperandError(
                    f"offline configs preserve their types in JSON only for bool, int, float and str, "
                    f"found {name}={value!r} of {config!r}"
                )

    def write(self, identity: Keywords, config: Config) -> None:
        """Make the file of an identity."""
        file = self.file(identity)
        if file is not None:
            document = {"version": _VERSION, "identity": identity, "config": config.to_dict()}
            write_whole(file, json.dumps(document, indent=1, sort_keys=True, allow_nan=False) + "\n")

    def find(self, args: tuple[object, ...], kwargs: Values, given: Values, values: Values) -> Config | None:
        """The delivered configuration for a call; None without one, with a warning for one that cannot be used."""
        if self.folder is None:
            return None
        try:
            identity = self.identity(values)
        except OperandError:
            return None
        file = self.file(identity)
        if file is None or not file.exists():
            return None
        try:
            config = self._read(file, identity)
            self._check_call(config, args, kwargs, given)
        except (ValueError, TypeError, LookupError, OSError, FlyDSLError) as error:
            warnings.warn(f"{file} is not used: {error}", RuntimeWarning, stacklevel=4)
            return None
        return config

    def _read(self, file: Path, identity: Keywords) -> Config:
        document = json.loads(read_bounded(file, LARGEST))
        if not isinstance(document, dict) or document.get("version") != _VERSION:
            raise ValueError(f"it is no configuration of version {_VERSION}")
        if _canonical(document.get("identity")) != _canonical(identity):
            raise ValueError("it is for another kernel, key or device")
        return Config.from_dict(document.get("config"))  # type: ignore[arg-type]

    def _check_call(self, config: Config, args: tuple[object, ...], kwargs: Values, given: Values) -> None:
        """ValueError or TypeError when the call cannot be made with `config`."""
        self.check(config)
        own = config.all_kwargs()
        for name in own:
            if name in given or name in self._keys:
                raise ValueError(f"{name!r} is an argument or a key, not a matter of the configuration")
        options: Keywords = {**config.compiler_opts(), "num_warps": config.num_warps}
        for name, value in options.items():
            if value is not None and type(value) is not int:
                raise ValueError(f"{name} is an integer, found {value!r}")
        if self._signature is not None:
            for name, value in own.items():
                _check_annotation(name, value, self._signature)
            self._signature.bind(*args, **{**kwargs, **own})


def _check_annotation(name: str, value: object, signature: inspect.Signature) -> None:
    parameter = signature.parameters.get(name)
    annotation: Any = parameter.annotation if parameter is not None else inspect.Parameter.empty
    if get_origin(annotation) is Constexpr and get_args(annotation):
        (annotation,) = get_args(annotation)
    if hasattr(annotation, "__coerce__"):
        annotation.__coerce__(value)
    elif annotation in _PLAIN and type(value) is not annotation:
        raise TypeError(f"{name} is of type {annotation.__name__}, found {value!r}")


def _plain(value: object) -> object:
    """A value as JSON holds it; TypeError for one that it does not."""
    if isinstance(value, tuple | list):
        return [_plain(item) for item in value]
    if value is None or (type(value) in _PLAIN and not _is_infinite(value)):
        return value
    if hasattr(value, "__index__"):  # extents of some frameworks are integers of their own
        return value.__index__()
    raise TypeError(f"{value!r} is no number, text, bool or tuple of them")


def _is_infinite(value: object) -> bool:
    return isinstance(value, float) and not math.isfinite(value)


def _canonical(data: object) -> str:
    return json.dumps(data, sort_keys=True, separators=(",", ":"), allow_nan=False)
