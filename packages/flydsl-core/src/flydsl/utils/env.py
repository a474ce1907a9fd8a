"""The settings under their public name: `env.compile.backend`, `env.runtime.cache_dir`, `env.debug.dump_ir`."""

from flydsl.base.settings import compile, debug, plugins, runtime

__all__ = ["compile", "debug", "plugins", "runtime"]
