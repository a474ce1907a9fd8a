"""Creation of what a manifest declares: every failure of a plugin's factory names the plugin and what to do."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from flydsl.base.errors import FlyDSLError, PluginFactoryError, text_of
from flydsl.base.references import resolve_reference
from flydsl.base.wording import with_article
from flydsl.plugins.compile_backend import CompileBackend


def created(noun: type[Any], name: str, factory: str | Callable[[], Any], *, distribution: str, owner: str) -> Any:
    """What `factory` makes: a `noun`, else PluginFactoryError; an error of FlyDSL's own passes as it is.

    A backend must be called `name`, as artifacts and cache keys name the backend that made them.
    """
    where = f"{noun.__name__} {name!r} of {owner or 'this program'}"
    advice = _advice(distribution)
    make = _resolved(factory, where, advice)
    shown = repr(factory) if isinstance(factory, str) else f"{getattr(factory, '__qualname__', factory)!r}"
    missing = sorted(getattr(make, "__abstractmethods__", ()))
    if missing:
        raise PluginFactoryError(
            f"{where}: its factory {shown} leaves methods abstract: {', '.join(missing)}; {advice}"
        )
    try:
        made = make()
    except FlyDSLError as error:  # says itself what is wrong and what to do
        error.add_note(f"raised by the factory {shown} of {where}")
        raise
    except KeyboardInterrupt:
        raise
    except BaseException as error:
        raise PluginFactoryError(f"{where}: its factory {shown} raised {text_of(error)}; {advice}") from error
    if not isinstance(made, noun):
        found = f"made {with_article(repr(type(made).__name__))}, expected {with_article(noun.__name__)}"
        raise PluginFactoryError(f"{where}: its factory {shown} {found}; {advice}")
    if noun is CompileBackend and made.name != name:
        found = f"made one named {made.name!r}: both names must be the same"
        raise PluginFactoryError(f"{where}: its factory {shown} {found}; {advice}")
    return made


def _resolved(factory: str | Callable[[], Any], where: str, advice: str) -> Callable[[], Any]:
    if not isinstance(factory, str):
        return factory
    try:
        make = resolve_reference(factory)
    except KeyboardInterrupt:
        raise
    except BaseException as error:  # whatever a stranger's module does when it is imported
        raise PluginFactoryError(
            f"{where}: its factory {factory!r} cannot be imported, {text_of(error)}; {advice}"
        ) from error
    if not callable(make):
        found = f"is {with_article(repr(type(make).__name__))}, expected a class or a function without arguments"
        raise PluginFactoryError(f"{where}: its factory {factory!r} {found}; {advice}")
    return make  # type: ignore[no-any-return]


def _advice(distribution: str) -> str:
    if not distribution:
        return "mend the factory that was registered"
    return f"reinstall or upgrade {distribution}, or leave it out by FLYDSL_DISABLE_PLUGINS"
