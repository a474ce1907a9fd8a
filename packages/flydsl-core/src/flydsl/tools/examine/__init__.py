"""What `flydsl doctor` examines: each part gives findings, and is tried rather than read off a file."""
