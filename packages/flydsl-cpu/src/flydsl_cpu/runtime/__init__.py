"""The device runtime `cpu`: one device, worker threads, streams and events in a native library."""
