"""The public door for backends and for other plugins: each module of this package is one, its `__all__` what it offers.

They have the version of the plugin API (`flydsl.plugins.API_VERSION`), and `docs/reference/plugin_api.md` lists their
names. Plugins import nothing of the core's layers behind them, and nothing of the folders here, which hold no doors.
"""
