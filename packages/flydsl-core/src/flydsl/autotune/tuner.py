"""The search of the fastest configuration for a call, and calls with what is known."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any, TypeAlias

from flydsl.autotune.arguments import Values, check_parameter, given_arguments, signature_of, with_defaults
from flydsl.autotune.artifacts import Artifacts
from flydsl.autotune.candidate import Candidate, Hooks, named_arrays, saved_arrays
from flydsl.autotune.config import Config, Hook, Keywords
from flydsl.autotune.identity import candidates_digest, config_text, file_name
from flydsl.autotune.key import make_key
from flydsl.autotune.search import Bench, Measured, best_of, measured
from flydsl.autotune.store import Kept, Key, read_configs, write_configs
from flydsl.base import settings
from flydsl.base.errors import ArgumentError
from flydsl.base.location import locating
from flydsl.base.process.fork_locks import new_rlock
from flydsl.base.process.global_object import GlobalObject

Configs: TypeAlias = Sequence[Config] | Callable[..., Sequence[Config]]


class Autotuner(GlobalObject):
    """A function that is called with the fastest of some configurations, as measured at the first call with a key.

    See `autotune` for the parameters. `cache` has what calls of this process run with, by key: what was measured here,
    and of what is on disk the winners among the same candidates.
    """

    def __init__(
        self,
        fn: Callable[..., Any],
        configs: Configs,
        key: Sequence[str] | None = None,
        warmup: int = 5,
        rep: int = 25,
        prune_configs_by: Callable[[Sequence[Config], Values], Sequence[Config]] | None = None,
        reset_to_zero: Sequence[str] | None = None,
        restore_value: Sequence[str] | None = None,
        pre_hook: Hook | None = None,
        post_hook: Hook | None = None,
        do_bench_fn: Bench | None = None,
        default: Callable[..., Config] | None = None,
        artifact_name: str | None = None,
        *,
        validate_hook: Callable[[Values], AbstractContextManager[object]] | None = None,
        select_config: Callable[[list[Measured]], Measured] | None = None,
    ) -> None:
        self._signature = signature_of(fn)
        if not callable(configs):
            configs = self._checked(configs)
        self.fn, self.configs = fn, configs
        self.key = self._names("key", key, checks=artifact_name is None)  # else the artifacts do
        self.warmup, self.rep = warmup, rep
        self.prune_configs_by, self.default = prune_configs_by, default
        self.reset_to_zero = self._names("reset_to_zero", reset_to_zero)
        self.restore_value = self._names("restore_value", restore_value)
        self.pre_hook, self.post_hook, self.do_bench_fn = pre_hook, post_hook, do_bench_fn
        self.validate_hook, self.select_config = validate_hook, select_config
        self.__name__: str = getattr(fn, "__name__", type(fn).__name__)
        self.__qualname__: str = getattr(fn, "__qualname__", self.__name__)
        self.__module__ = getattr(fn, "__module__", type(fn).__module__)
        self.__doc__, self.__wrapped__ = getattr(fn, "__doc__", None), fn
        self.artifact_name = artifact_name
        self._artifacts = None if artifact_name is None else Artifacts(artifact_name, self.key, self._signature)
        self._cache_file = Path(settings.autotune.cache_dir, file_name(fn, self.__name__))
        self._kept, unusable = read_configs(self._cache_file)
        if unusable:
            print(f"[autotune] {self.__name__}: {self._cache_file} is not used: {unusable}")
        self.cache: dict[Key, Config] = {}
        self._lock = new_rlock()

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Call the function with the best configuration, which is searched if it is not known, and give its value."""
        config = self.resolve_config(*args, **kwargs)
        candidate = self._candidate(config, args, kwargs)
        candidate.reset()
        return candidate.call()

    def resolve_config(self, *args: Any, **kwargs: Any) -> Config:
        """The configuration that a call with these arguments runs with."""
        given = given_arguments(self._signature, args, kwargs)
        values = with_defaults(self._signature, given)
        if settings.autotune.force:
            return self._search(args, kwargs, given, values)
        key = self._key(given, values)
        known = self.cache.get(key) or self._winner(key, args, kwargs, values)
        known = known or self._known(args, kwargs, given, values)
        if known is not None:
            return known
        with self._lock:  # of threads with one key, one searches
            return self.cache.get(key) or self._search(args, kwargs, given, values)

    def _winner(self, key: Key, args: tuple[Any, ...], kwargs: Values, values: Values) -> Config | None:
        """The candidate that was the fastest of the same ones when they were measured, as the file says."""
        kept = self._kept.get(key)
        if kept is None:
            return None
        candidates = self._candidates(args, kwargs, values)
        text = config_text(kept.config)
        if candidates_digest(candidates) != kept.candidates:
            return None
        winner = next((config for config in candidates if config_text(config) == text), None)
        if winner is not None:
            self.cache[key] = winner
        return winner

    def _known(self, args: tuple[Any, ...], kwargs: Values, given: Values, values: Values) -> Config | None:
        """What was delivered for the call, or chosen by `default`."""
        delivered = self._artifacts.find(args, kwargs, given, values) if self._artifacts else None
        if delivered is not None or self.default is None:
            return delivered
        chosen = self.default(*args, **kwargs)
        if not isinstance(chosen, Config):
            raise ArgumentError(f"default of {self.__name__!r} gives a Config, found {chosen!r}")
        return chosen

    def _search(self, args: tuple[Any, ...], kwargs: Values, given: Values, values: Values) -> Config:
        artifacts = self._artifacts if settings.autotune.force else None
        delivers = artifacts is not None and artifacts.folder is not None
        identity = artifacts.identity(values) if artifacts is not None and delivers else None
        configs = self._candidates(args, kwargs, values)
        candidates = [self._candidate(config, args, kwargs, given) for config in configs]
        named_arrays("reset_to_zero", self.reset_to_zero, given)
        with saved_arrays(self.restore_value, given) as saved:
            results = measured(self.__name__, candidates, saved, self.do_bench_fn, self.warmup, self.rep)
        best = best_of(self.__name__, results, self.select_config)
        if artifacts is not None and identity is not None:
            artifacts.check(best)
            artifacts.write(identity, best)
        key = self._key(given, values)
        self.cache[key] = best
        self._save(key, Kept(best, candidates_digest(configs)))
        return best

    def _candidates(self, args: tuple[Any, ...], kwargs: Values, values: Values) -> list[Config]:
        """The configurations to choose from for a call."""
        configs = self.configs(*args, **kwargs) if callable(self.configs) else self.configs
        if self.prune_configs_by is not None:
            configs = self.prune_configs_by(list(configs), values)
        return self._checked(configs)

    def _save(self, key: Key, best: Kept) -> None:
        try:
            write_configs(self._cache_file, {key: best})
        except (OSError, TypeError, ValueError) as error:
            print(f"[autotune] {self.__name__}: {self._cache_file} is not written: {error}")

    def _make_key(self, args: tuple[Any, ...], kwargs: Values) -> Key:
        """The key of a call."""
        given = given_arguments(self._signature, args, kwargs)
        return self._key(given, with_defaults(self._signature, given))

    def _key(self, given: Values, values: Values) -> Key:
        hints = getattr(self.fn, "_effective_compile_hints", None)
        return make_key(self.key, values, given, hints() if callable(hints) else {}, self.artifact_name)

    def _candidate(
        self, config: Config, args: tuple[Any, ...], kwargs: Keywords, given: Values | None = None
    ) -> Candidate:
        given = given_arguments(self._signature, args, kwargs) if given is None else given
        hooks = Hooks(self.reset_to_zero, self.pre_hook, self.post_hook, self.validate_hook)
        return Candidate(self.fn, config, args, kwargs, given, hooks)

    def _names(self, what: str, names: Iterable[str] | None, *, checks: bool = True) -> tuple[str, ...]:
        """Names of parameters, as a decorator was given them."""
        with locating():
            if isinstance(names, str):
                raise ArgumentError(f"{what} is a list of parameter names, found {names!r}: write [{names!r}]")
            listed = tuple(names or ())
            for name in listed if checks else ():
                check_parameter(self._signature, name, f"{what} names {name!r}")
        return listed

    def _checked(self, configs: Sequence[Config]) -> list[Config]:
        """Candidates that the function can be called with, as far as their names tell."""
        checked = list(configs)
        with locating():
            for config in checked:
                if not isinstance(config, Config):
                    raise ArgumentError(f"configs are objects of flydsl.autotune.Config, found {config!r}")
                for name in config.all_kwargs():
                    check_parameter(self._signature, name, f"{config!r} sets {name!r}")
        return checked

    def __repr__(self) -> str:
        return f"<autotuned {self.fn!r}>"


def autotune(
    configs: Configs,
    key: Sequence[str] | None = None,
    warmup: int = 5,
    rep: int = 25,
    prune_configs_by: Callable[[Sequence[Config], Values], Sequence[Config]] | None = None,
    reset_to_zero: Sequence[str] | None = None,
    restore_value: Sequence[str] | None = None,
    pre_hook: Hook | None = None,
    post_hook: Hook | None = None,
    do_bench: Bench | None = None,
    default: Callable[..., Config] | None = None,
    artifact_name: str | None = None,
    *,
    validate_hook: Callable[[Values], AbstractContextManager[object]] | None = None,
    select_config: Callable[[list[Measured]], Measured] | None = None,
) -> Callable[[Callable[..., Any]], Autotuner]:
    """Decorate a @flyc.jit function, or any that launches kernels: calls run with the fastest of `configs`.

    `configs` are candidates, or a function of the call's arguments that gives them; `prune_configs_by` leaves some out.
    A search happens once for each value of the arguments named in `key` (of arrays their shape), each type and pattern
    of strides of arrays, settings, installed code and device. It is measured by `do_bench(call, warmup=, rep=)`, which
    gives milliseconds. Each of its runs begins with the arrays in `restore_value` as the caller gave them and those in
    `reset_to_zero` set to 0; the hooks get the keyword arguments. `default` chooses instead of a search,
    `artifact_name` names configurations that are delivered with a program, `validate_hook` makes a context manager
    around one run that rejects a candidate by raising, and `select_config` chooses one of the pairs of configuration
    and time.
    """

    def decorate(fn: Callable[..., Any]) -> Autotuner:
        return Autotuner(
            fn,
            configs,
            key,
            warmup,
            rep,
            prune_configs_by,
            reset_to_zero,
            restore_value,
            pre_hook,
            post_hook,
            do_bench,
            default,
            artifact_name,
            validate_hook=validate_hook,
            select_config=select_config,
        )

    return decorate
