"""The settings under their public name: `env.compile.backend`, `env.runtime.cache_dir`, `env.debug.dump_ir`."""

from flydsl.base.settings import autotune, compile, debug, plugins, runtime

__all__ = ["autotune", "compile", "debug", "plugins", "runtime"]
