"""Command lines: `flydsl` and its subcommands, `fly-opt`, `fly-llc`."""
