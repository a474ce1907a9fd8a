"""The running trace, and what is not supported inside one."""
